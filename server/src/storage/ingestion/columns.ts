import { TABLES } from '../../../generated/tables.js'

/**
 * How a column is merged with the stored one. `keep`: a given value replaces the stored one, an absent one keeps it.
 * The others are exceptions of the merge rules.
 */
type Merge = 'keep' | 'type' | 'tags' | 'first' | 'sticky' | 'thread' | 'cost' | 'revision'

/** The values that have an excerpt, each in a column beside it, which is written and cleared with it. */
export const EXCERPTS = {
  input: 'inputExcerpt',
  output: 'outputExcerpt',
  genPrompt: 'genPromptExcerpt',
  genCompletion: 'genCompletionExcerpt',
  genMessages: 'genMessagesExcerpt',
  genMessageCompletion: 'genMessageCompletionExcerpt',
} as const

/** The columns that ingestion writes, besides the key, created_at and ingested, in the order of a row's values. */
const MERGES = {
  threadId: 'keep',
  rootRunId: 'keep',
  parentId: 'keep',
  participantId: 'thread',
  type: 'type',
  name: 'keep',
  startTime: 'keep',
  endTime: 'keep',
  input: 'keep',
  output: 'keep',
  metadata: 'keep',
  error: 'keep',
  tags: 'tags',
  sessionId: 'keep',
  sequence: 'keep',
  environment: 'first',
  hasGeneration: 'sticky',
  genType: 'keep',
  genPrompt: 'keep',
  genCompletion: 'keep',
  genMessages: 'keep',
  genMessageCompletion: 'keep',
  genProvider: 'keep',
  genModel: 'keep',
  genVariables: 'keep',
  genTools: 'keep',
  genSettings: 'keep',
  genPromptId: 'keep',
  genTokenCount: 'keep',
  genInputTokenCount: 'keep',
  genOutputTokenCount: 'keep',
  genUsage: 'keep',
  genTtFirstToken: 'keep',
  genDuration: 'keep',
  genTokenThroughput: 'keep',
  genError: 'keep',
  genTags: 'tags',
  genMetadata: 'keep',
  inputExcerpt: 'keep',
  outputExcerpt: 'keep',
  genPromptExcerpt: 'keep',
  genCompletionExcerpt: 'keep',
  genMessagesExcerpt: 'keep',
  genMessageCompletionExcerpt: 'keep',
  genClientCost: 'keep',
  genCost: 'cost',
  genCostSource: 'cost',
  genCostPartial: 'cost',
  genCostRevision: 'revision',
} as const satisfies Partial<Record<keyof typeof TABLES.steps, Merge>>

export type StepColumn = keyof typeof MERGES

/** Values of new rows for columns that were not given, as the database takes them. */
const INITIAL: Partial<Record<StepColumn, string>> = {
  type: 'undefined',
  hasGeneration: 'false',
  genCostPartial: 'false',
  genCostRevision: '0',
}

export interface Column {
  column: string
  type: string
  merge: Merge
  initial?: string | undefined
  /** The column of the value that this is the excerpt of. */
  excerptOf?: string | undefined
}

const SOURCES = Object.fromEntries(
  Object.entries(EXCERPTS).map(([value, excerpt]) => [excerpt, value]),
) as Partial<Record<StepColumn, keyof typeof EXCERPTS>>

export const STEP_COLUMNS = Object.fromEntries(
  (Object.keys(MERGES) as StepColumn[]).map((name) => {
    const { column, type } = TABLES.steps[name]
    const source = SOURCES[name]
    const excerptOf = source === undefined ? undefined : TABLES.steps[source].column
    return [name, { column, type, merge: MERGES[name], initial: INITIAL[name], excerptOf }]
  }),
) as Record<StepColumn, Column>

/**
 * The value of `noted_participants` of a step whose participant changes: the first one that it had, unless it has a note.
 * `next` is the new participant.
 */
export const noteOfFirst = (step: string, next: string): string =>
  `CASE WHEN ${step}.noted_participants IS NULL AND ${step}.participant_id <> coalesce(${next}, '')
    THEN ARRAY[${step}.participant_id] ELSE ${step}.noted_participants END`

/**
 * Returns the revision of calls whose recorded values change: they wait for their price, and no computation under way is
 * kept, as no other change has this number. The database draws none itself: a distributed one cannot while it writes.
 */
export const newWaitingRevision = (): number => -1 - Math.floor(Math.random() * 2_147_483_646)

export const entries = Object.entries(STEP_COLUMNS) as [StepColumn, Column][]
