import { type Caller, checkProject } from '../../kernel/caller.js'
import type { Page, PageRequest } from '../../lists/page.js'
import type { AuditEntryRow } from '../../storage/audit/entries.js'
import type { DatasetItemRow, DatasetRow } from '../../storage/datasets.js'
import type { ExperimentItemRow, ExperimentRow } from '../../storage/experiments.js'
import type { GenerationRow } from '../../storage/generations.js'
import type { ScoreRow } from '../../storage/scores/scores.js'
import type { StepRow } from '../../storage/steps.js'
import type { ParticipantRow } from '../../storage/users.js'
import type { ThreadNode } from './thread-node.js'

export type StepPage = Page<StepRow>
export type GenerationPage = Page<GenerationRow>
export type ThreadPage = Page<ThreadNode>
export type ParticipantPage = Page<ParticipantRow>
export type ScorePage = Page<ScoreRow>
export type AuditEntryPage = Page<AuditEntryRow>
export type DatasetPage = Page<DatasetRow>
export type DatasetItemPage = Page<DatasetItemRow>
export type ExperimentPage = Page<ExperimentRow>
export type ExperimentItemPage = Page<ExperimentItemRow>

/**
 * Returns the resolvers of a connection, the same for every list. Rows are counted only when the count is asked for.
 */
export const connection = <Row extends object>() => ({
  edges: ({ rows }: Page<Row>) => rows.map((row) => ({ cursor: row.cursor, node: row })),
  pageInfo: ({ rows, hasNextPage, hasPreviousPage }: Page<Row>) => ({
    startCursor: rows[0]?.cursor ?? null,
    endCursor: rows.at(-1)?.cursor ?? null,
    hasNextPage,
    hasPreviousPage,
  }),
  totalCount: ({ count }: Page<Row>) => count(),
})

/** Returns the arguments that every list has. Rejects those that name another project. */
export const pageRequest = (
  caller: Caller,
  { projectId, ...request }: PageRequest & { projectId?: string | null | undefined },
): PageRequest => {
  checkProject(caller, projectId)
  return request
}
