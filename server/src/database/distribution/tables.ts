/**
 * The tables that a distributed PostgreSQL (Citus) spreads over its workers, each by the column of its own id: the rows
 * of one project are on all workers, so that a large project does not overload one of them. No statement joins two of
 * these tables; a test checks all statements.
 */
export const DISTRIBUTED: Readonly<Record<string, string>> = {
  steps: 'id',
  threads: 'id',
  scores: 'id',
  attachments: 'id',
  sessions: 'id',
  session_losses: 'session_id',
  traces: 'id',
  span_logs: 'step_id',
  experiment_leases: 'experiment_id',
  judges: 'id',
  judge_days: 'name',
  judge_items: 'judge_id',
  rollups: 'project_id',
  kept_rollups: 'project_id',
  // Beside the rows that a worker marks.
  rollup_marks: 'row_id',
  rollup_fills: 'project_id',
  content_changes: 'id',
  content_blocks: 'number',
  content_slabs: 'first_block',
}

/** The other tables are small, and every worker has a copy of them. Referenced tables come first. */
export const REFERENCE: readonly string[] = [
  'projects',
  'api_keys',
  'person_sessions',
  'used_links',
  'secrets',
  'participants',
  'files',
  'datasets',
  'dataset_items',
  'experiments',
  'experiment_items',
  'prompt_lineages',
  'prompt_versions',
  'prompt_experiments',
  'score_definitions',
  'prices',
  'price_states',
  'views',
  'alerts',
  'alert_events',
  'content_states',
]

/**
 * Tables that only the coordinator has, which all statements reach the workers through: triggers keep changes out of the audit
 * log, and Citus allows those of a table that lies in one place. Sums of users are not kept while threads are on workers.
 */
export const LOCAL: readonly string[] = [
  'audit_entries',
  'audit_runs',
  'moves',
  'move_changes',
  'deleted_projects',
  'participant_sums',
  'participant_marks',
]
