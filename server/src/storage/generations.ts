import type { Usage } from '../../generated/model-calls/usage/usage.js'
import { cast } from '../database/rows/columns.js'
import { pick, select, sql } from '../database/rows/sql.js'
import { l, s, v } from '../database/rows/tables.js'
import type { Instant } from '../kernel/instant.js'
import type { Kind } from '../lists/conditions.js'
import {
  byMember,
  byPresence,
  byRange,
  byStart,
  creation,
  type Field,
  indexed,
  number,
  type OwnField,
  oneOf,
  orLowest,
  startOf,
  string,
  tags,
} from '../lists/fields.js'
import { fieldsOf, type Listing, type OrdersOf } from '../lists/listing.js'
import { contentOfStep, inContents } from './contents/texts.js'
import { inDollars } from './prices/costs.js'
import { started, startOfStep } from './reading/starts.js'
import { scoreOfStep } from './scores/scores.js'
import {
  failureOfStep,
  genType,
  newestStep,
  participantOfStep,
  type StepParts,
  type StepRow,
  stepEnvironment,
  stepId,
  stepRows,
} from './steps.js'
import { byParticipant } from './users.js'

export interface GenerationRow {
  id: string
  projectId: string
  stepId: string
  type: 'CHAT' | 'COMPLETION'
  prompt: string | null
  completion: string | null
  messages: unknown
  messageCompletion: unknown
  provider: string | null
  model: string | null
  variables: unknown
  tools: unknown
  settings: unknown
  promptId: string | null
  tokenCount: number | null
  inputTokenCount: number | null
  outputTokenCount: number | null
  usage: Usage | null
  /** Picodollars. */
  cost: number | null
  costSource: string | null
  isCostPartial: boolean
  /** Not above 0 while the cost is not computed. */
  costRevision: number
  ttFirstToken: number | null
  duration: number | null
  tokenThroughputInSeconds: number | null
  error: string | null
  tags: string[] | null
  metadata: unknown
  createdAt: Instant
  startedAt: Instant | null
}

/** Returns the generation of a step; null when it has none. */
export const generationOf = (projectId: string, step: StepRow): GenerationRow | null =>
  step.hasGeneration
    ? {
        id: step.id,
        projectId,
        stepId: step.id,
        type: step.genType,
        prompt: step.genPrompt,
        completion: step.genCompletion,
        messages: step.genMessages,
        messageCompletion: step.genMessageCompletion,
        provider: step.genProvider,
        model: step.genModel,
        variables: step.genVariables,
        tools: step.genTools,
        settings: step.genSettings,
        promptId: step.genPromptId,
        tokenCount: step.genTokens,
        inputTokenCount: step.genInputTokenCount,
        outputTokenCount: step.genOutputTokenCount,
        usage: step.genUsage as Usage | null,
        cost: step.genCost,
        costSource: step.genCostSource,
        isCostPartial: step.genCostPartial,
        costRevision: step.genCostRevision,
        ttFirstToken: step.genTtFirstToken,
        duration: step.genDuration,
        tokenThroughputInSeconds: step.genTokenThroughput,
        error: step.genError,
        tags: step.genTags,
        metadata: step.genMetadata,
        createdAt: step.createdAt,
        startedAt: step.startTime,
      }
    : null

/** Filters by a field of the prompt that a generation was made from. Generations without a prompt have no value. */
const ofPrompt = <Held extends Kind>(
  projectId: string,
  { kind, test }: OwnField<Held>,
): Field<Held> =>
  oneOf(s.genPromptId, kind, async (db, condition) => {
    const { rows } = await sql`
      SELECT ${select(pick(v, 'id'))} FROM prompt_versions v JOIN prompt_lineages l ON l.project_id = v.project_id AND l.id = v.lineage_id
      WHERE v.project_id = ${projectId} AND ${condition.value === null ? sql`true` : test(condition)}`.execute(
      db,
    )
    return rows.map((row) => row.id)
  })

const generationTags = cast(
  'text[]',
  sql`coalesce(${s.genTags}, '{}') || coalesce(${s.tags}, '{}')`,
)
const genModel = cast('text', sql`coalesce(${startOf(s.genModel)}, '')`)
const genProvider = cast('text', sql`coalesce(${startOf(s.genProvider)}, '')`)
const genDuration = orLowest(s.genDuration)
const genTokens = orLowest(cast('float8 | null', s.genTokens))
const dollars = inDollars(s.genCost)
const genCost = orLowest(dollars)
const genCostSource = cast('text | null', sql`nullif(${s.genCostSource}, 'NONE')`)

export const generationListing = (
  projectId: string,
  parts: StepParts = 'all',
): Listing<StepRow> => ({
  name: 'generations',
  ...stepRows(parts),
  always: sql`s.has_generation AND s.ingested`,
  list: 'generations',
  fields: fieldsOf('generations', {
    id: stepId,
    content: contentOfStep,
    error: inContents(indexed(string(s.genError), byPresence(s.genError))),
    failure: failureOfStep,
    promptLineage: ofPrompt(projectId, string(l.name)),
    promptVersion: ofPrompt(projectId, number(v.version)),
    participant: participantOfStep(projectId),
    environment: stepEnvironment,
    createdAt: creation(s.createdAt),
    startedAt: started(startOfStep),
    model: indexed(string(s.genModel), byStart(genModel, { isInOrder: false })),
    provider: indexed(string(s.genProvider), byStart(genProvider, { isInOrder: false })),
    duration: indexed(number(s.genDuration), byRange('duration', genDuration, 'float8')),
    score: scoreOfStep(projectId),
    tokenCount: indexed(number(s.genTokens), byRange('tokenCount', genTokens, 'float8')),
    cost: indexed(number(dollars), byRange('cost', genCost, 'float8')),
    costSource: string(genCostSource),
    tags: indexed(tags(generationTags), byMember(s.genTags, s.tags)),
    type: string(genType),
  }),
  orders: {
    ...newestStep,
    duration: { value: genDuration, type: 'float8', isIndexed: true },
    model: { value: genModel, type: 'text', isIndexed: true },
    provider: { value: genProvider, type: 'text', isIndexed: true },
    tokenCount: { value: genTokens, type: 'float8', isIndexed: true },
    cost: { value: genCost, type: 'float8', isIndexed: true },
    participant: byParticipant(s.projectId, s.participantId),
  } satisfies OrdersOf<'generations'>,
})
