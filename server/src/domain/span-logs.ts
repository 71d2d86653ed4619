import type { GenerationPayloadInput, ScorePayloadInput } from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import { portionsOf } from '../database/portions.js'
import { givingWay } from '../database/transactions/attempts.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError } from '../kernel/errors.js'
import type { Clock } from '../kernel/instant.js'
import type { Turn } from '../kernel/sharing/turns.js'
import { noteChanges } from '../storage/contents/changes.js'
import { upsertScores } from '../storage/ingestion/nested.js'
import {
  amendSteps,
  countSpanLogs,
  findKnownSpanLogs,
  findSpanLogs,
  insertSpanLogs,
  type LockedStep,
  lockSteps,
  type SizedSpanLog,
  type SpanLog,
  type StepAmendment,
  sizesOfMetadata,
} from '../storage/ingestion/span-logs.js'
import { changeSteps } from '../storage/threads.js'
import { generationValues } from './ingestion/generation-values.js'
import { type ScoreDraft, scoreDraft } from './ingestion/nested-drafts.js'
import { nestedScores } from './ingestion/nested-scores.js'
import { ScoreRules } from './score-rules.js'
import { isObject, type Values } from './values.js'

export type { SizedSpanLog, SpanLog } from '../storage/ingestion/span-logs.js'

/** Log records of one step: each that arrives is joined to all that came before. */
export const MAX_LOGS_OF_STEP = 500
/** Their size together, in bytes of JSON. A larger one is stored only as the first of its step. */
export const MAX_LOG_BYTES_OF_STEP = 2_000_000

const INSERTED_AT_ONCE = { mostRows: 2000, mostWeight: 2_000_000 }
const COUNTED_AT_ONCE = { mostRows: 2000, mostWeight: 2_000_000 }
/** Steps that are joined in one transaction, and the bytes of their records and metadata. */
const JOINED_AT_ONCE = { mostRows: 200, mostWeight: 2_000_000 }

/** The result of joining a step with its log records. */
export interface Joined {
  /** Returns the metadata, which name the fields that are too large to be stored. */
  metadata: (leftOut: readonly string[]) => Record<string, unknown>
  /** Undefined when they say nothing about a call of a model. */
  generation: GenerationPayloadInput | undefined
  scores: readonly ScorePayloadInput[]
}

/** Says what follows from the metadata of a step and all of its log records. */
export type Join = (metadata: Record<string, unknown>, logs: readonly SpanLog[]) => Joined

/**
 * Log records of spans. They are exported apart from their spans, before or after them and in any division, so all of
 * them are stored, and a step is joined with all that it has whenever either arrives.
 */
export class SpanLogs {
  readonly #db: Database
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, values: Values, clock: Clock) {
    this.#db = db
    this.#values = values
    this.#clock = clock
  }

  /** Stores records. Returns those for which their steps have no place any more. */
  async add(
    { projectId }: Caller,
    logs: readonly SizedSpanLog[],
    turn: Turn,
  ): Promise<SizedSpanLog[]> {
    const refused: SizedSpanLog[] = []
    for (const portion of portionsOf(logs, { ...INSERTED_AT_ONCE, weigh: ({ bytes }) => bytes })) {
      await turn()
      const ids = [...new Set(portion.map(({ stepId }) => stepId))]
      const counts = new Map(
        (await countSpanLogs(this.#db, projectId, ids)).map(({ stepId, ...sums }) => [
          stepId,
          sums,
        ]),
      )
      const known = new Set(
        (counts.size === 0 ? [] : await findKnownSpanLogs(this.#db, projectId, portion)).map(
          ({ stepId, id }) => `${stepId} ${id}`,
        ),
      )
      const fresh = portion.filter((log) => {
        if (known.has(`${log.stepId} ${log.id}`)) return false
        const { count, bytes } = counts.get(log.stepId) ?? { count: 0, bytes: 0 }
        const isFull =
          count >= MAX_LOGS_OF_STEP || (count > 0 && bytes + log.bytes > MAX_LOG_BYTES_OF_STEP)
        if (isFull) refused.push(log)
        else counts.set(log.stepId, { count: count + 1, bytes: bytes + log.bytes })
        return !isFull
      })
      if (fresh.length > 0) await insertSpanLogs(this.#db, projectId, fresh)
    }
    return refused
  }

  /**
   * Joins those of some steps that have log records with all of them, by a function that says what follows from them.
   * Their sizes are known before anything is read, so that no transaction reads much more than its limit.
   */
  async join(
    { projectId }: Caller,
    stepIds: readonly string[],
    join: Join,
    turn: Turn,
  ): Promise<void> {
    const steps = [...new Set(stepIds)].sort().map((id) => ({ id }))
    for (const some of portionsOf(steps, COUNTED_AT_ONCE)) {
      await turn()
      const sizes = new Map(
        (
          await countSpanLogs(
            this.#db,
            projectId,
            some.map(({ id }) => id),
          )
        ).map(({ stepId, bytes }) => [stepId, bytes]),
      )
      const joined = (await sizesOfMetadata(this.#db, projectId, [...sizes.keys()])).sort(
        (one, other) => (one.id < other.id ? -1 : 1),
      )
      const weigh = ({ id, bytes }: { id: string; bytes: number }) => bytes + (sizes.get(id) ?? 0)
      for (const portion of portionsOf(joined, { ...JOINED_AT_ONCE, weigh })) {
        await turn()
        const ids = portion.map(({ id }) => id)
        await this.#joinSome(projectId, ids, join)
      }
    }
  }

  /** Lets others go first, as a request that writes the same steps may lock their threads in another order. */
  #joinSome(projectId: string, ids: readonly string[], join: Join): Promise<void> {
    return givingWay(this.#db, (transaction) =>
      changeSteps(transaction, projectId, ids, async () => {
        const steps = await lockSteps(transaction, projectId, ids)
        await this.#amend(transaction, projectId, steps, join)
        return { result: undefined, threadIds: steps.map(({ threadId }) => threadId) }
      }),
    )
  }

  async #amend(
    db: Database,
    projectId: string,
    steps: readonly LockedStep[],
    join: Join,
  ): Promise<void> {
    const ids = steps.map(({ id }) => id)
    const logs = new Map<string, SpanLog[]>(ids.map((id) => [id, []]))
    for (const log of await findSpanLogs(db, projectId, ids)) logs.get(log.stepId)?.push(log)
    const joined = steps.flatMap(({ id, metadata }) => {
      const own = logs.get(id) ?? []
      if (own.length === 0) return []
      return [{ id, joined: join(isObject(metadata) ? metadata : {}, own) }]
    })
    const names = joined.flatMap(({ joined: { scores } }) => scores.map(({ name }) => name))
    const rules = await ScoreRules.read(db, projectId, names)
    const amendments = joined.map(({ id, joined }) => ({ id, ...this.#encode(joined, rules) }))
    if (amendments.length === 0) return
    await amendSteps(db, projectId, amendments)
    await noteChanges(
      db,
      amendments.map(({ id }) => ({ projectId, id })),
    )
    const judged = amendments
      .filter(({ scores }) => scores.length > 0)
      .map(({ id, scores }) => ({ projectId, id, scores }))
    if (judged.length > 0)
      await upsertScores(db, await nestedScores(db, judged, 'replace', this.#clock))
  }

  /** Encodes what follows from log records. Fields that are too large are left out, and named in the metadata; so are scores that do not fit. */
  #encode({ metadata, generation, scores }: Joined, rules: ScoreRules): Encoded {
    const leftOut: string[] = []
    const values = generation && this.#encodeGeneration(generation, leftOut)
    const { fitted, refused } = rules.sort(scores, (score, index) =>
      rules.fit(`scores[${index}].`, scoreDraft(this.#values, `scores[${index}]`, score)),
    )
    if (refused.length > 0) leftOut.push('scores')
    const encoded = this.#values.encoded('metadata', metadata(leftOut), 'metadataBytes')
    return {
      values: { metadata: encoded, ...(values === undefined ? {} : { type: '"llm"', ...values }) },
      scores: fitted,
    }
  }

  #encodeGeneration(
    generation: GenerationPayloadInput,
    leftOut: string[],
  ): StepAmendment['values'] | undefined {
    try {
      return generationValues(this.#values, generation)
    } catch (error) {
      const field = tooLargeField(error)
      const member = field.slice('generation.'.length)
      if (!Object.hasOwn(generation, member)) throw error
      leftOut.push(field)
      return this.#encodeGeneration({ ...generation, [member]: undefined }, leftOut)
    }
  }
}

interface Encoded extends Pick<StepAmendment, 'values'> {
  scores: readonly ScoreDraft[]
}

/** Returns the field that an error finds too large; throws any other error again. */
const tooLargeField = (error: unknown): string => {
  if (error instanceof DomainError && error.code === 'TOO_LARGE')
    return error.message.split(':', 1)[0] ?? ''
  throw error
}
