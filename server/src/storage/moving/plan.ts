import { TABLES } from '../../../generated/tables.js'
import type { Definition, TableName } from '../../database/rows/columns.js'

/** The part that a table has in the archive of a project. */
export type Part =
  | {
      /** The columns of its primary key after the project. */
      key: readonly string[]
      /** Columns that stay behind: computed again from others, secret, or of no meaning elsewhere. */
      left?: readonly string[]
    }
  /** Why no row of the table is in archives. */
  | { reason: string }

const ID = { key: ['id'] }

/**
 * All tables. One that is added has to be decided on here, else the program does not compile. The order is that of an
 * archive: files before the attachments that refer to them, threads before their steps.
 */
export const PLAN: Record<TableName, Part> = {
  // The header has its id and its name. Keys of models are sealed with a secret of the service: the export empties them.
  projects: {
    key: [],
    left: ['id', 'name', 'imported_archive', 'imported_bytes', 'is_import_complete'],
  },
  participants: ID,
  prices: ID,
  price_states: { key: [] },
  score_definitions: { key: ['name'] },
  prompt_lineages: ID,
  prompt_versions: ID,
  prompt_experiments: ID,
  views: ID,
  // The URL and the secret of a webhook are sealed with a secret of the service, and a lease is of one of its processes.
  alerts: { key: ['id'], left: ['sealed_url', 'sealed_secret', 'lease', 'leased_until'] },
  alert_events: ID,
  judges: ID,
  judge_days: { key: ['name', 'day'] },
  datasets: ID,
  dataset_items: ID,
  experiments: ID,
  experiment_items: ID,
  experiment_leases: { key: ['experiment_id', 'key', 'repetition'] },
  // The check for references begins anew once all attachments are there.
  files: { key: ['object_key'], left: ['check_at'] },
  attachments: ID,
  // The sums are computed from the steps.
  threads: {
    key: ['id'],
    left: [
      'token_count',
      'duration',
      'last_step_at',
      'stale',
      'step_count',
      'error_count',
      'first_message',
      'last_activity_at',
      'last_tools',
      'started_at',
      'last_message',
      'first_error',
      'cost',
      'unpriced_count',
      'words_taken',
      'figures_changed',
    ],
  },
  // Excerpts and told tokens are computed from the other columns when they are missing. Costs are not: they stay as billed.
  steps: {
    key: ['id'],
    left: [
      'told_tokens',
      'told_input_tokens',
      'told_output_tokens',
      'told_cost',
      'input_excerpt',
      'output_excerpt',
      'gen_prompt_excerpt',
      'gen_completion_excerpt',
      'gen_messages_excerpt',
      'gen_message_completion_excerpt',
    ],
  },
  span_logs: { key: ['step_id', 'id'] },
  traces: ID,
  sessions: ID,
  session_losses: { key: ['session_id', 'first'] },
  scores: ID,
  // Figures of rows that are nowhere else any more.
  kept_rollups: { key: ['subject', 'dimension', 'seconds', 'start'] },
  judge_items: { key: ['judge_id', 'id'] },
  audit_entries: {
    reason: 'a log of what was done on one service, which an archive could not prove',
  },
  audit_runs: { reason: 'of processes of one service' },
  deleted_projects: { reason: 'of requests to one service that are over in minutes' },
  api_keys: { reason: 'keys open a service, and are made anew' },
  person_sessions: { reason: 'of people who are signed in to one service' },
  used_links: { reason: 'links to one service, which sign nobody in any more' },
  secrets: { reason: 'secrets are of a service, not of a project' },
  rollups: { reason: 'measured again from steps, threads and scores' },
  rollup_marks: { reason: 'made by triggers as rows are written' },
  rollup_fills: { reason: 'progress of a migration' },
  participant_sums: { reason: 'summed up again from threads' },
  participant_marks: { reason: 'made by triggers as threads are written' },
  content_changes: { reason: 'made as steps are written' },
  content_blocks: { reason: 'an index, made again' },
  content_slabs: { reason: 'an index, made again' },
  content_states: { reason: 'the progress of an index' },
  moves: { reason: 'a move of a whole service' },
  move_changes: { reason: 'a move of a whole service' },
}

/** A table as it is in archives. */
export interface MovedTable {
  name: TableName
  key: readonly Definition[]
  /** Without the project and the columns that stay behind, by name. */
  columns: readonly Definition[]
}

const definitionsOf = (name: TableName): Definition[] =>
  Object.values<Definition>(TABLES[name]).sort((one, other) => (one.column < other.column ? -1 : 1))

/** The tables of an archive, in its order. */
export const MOVED: readonly MovedTable[] = Object.entries(PLAN).flatMap(([name, part]) => {
  if ('reason' in part) return []
  const table = name as TableName
  const all = definitionsOf(table)
  const left = new Set(['project_id', ...(part.left ?? [])])
  return {
    name: table,
    key: part.key.map((column) => all.find((one) => one.column === column) as Definition),
    columns: all.filter(({ column, isGenerated }) => !left.has(column) && !isGenerated),
  }
})
