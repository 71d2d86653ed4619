import { randomUUID } from 'node:crypto'
import type {
  MutationCreateStepArgs,
  MutationUpdateStepArgs,
  SessionInput,
  StepInput,
} from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import type { Changes } from '../database/rows/writes.js'
import { inTransaction } from '../database/transactions/attempts.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, notFound, type Refusal } from '../kernel/errors.js'
import { excerptOf } from '../kernel/excerpts/excerpt.js'
import { Turn } from '../kernel/sharing/turn.js'
import { noteRefusedItems } from '../kernel/watching/refused-items.js'
import { withoutStacks } from '../kernel/without-stacks.js'
import type { Listing } from '../lists/listing.js'
import type { PageRequest, Pages } from '../lists/page.js'
import { askedFields } from '../lists/query.js'
import { noteChanges } from '../storage/contents/changes.js'
import { generationListing } from '../storage/generations.js'
import { EXCERPTS } from '../storage/ingestion/columns.js'
import {
  deleteStep,
  findSteps,
  type StepParts,
  type StepRow,
  stepListing,
  updateStep,
} from '../storage/steps.js'
import { changeSteps } from '../storage/threads.js'
import { noteFor } from './audit/entry.js'
import { handOnFromSteps } from './erasure/handing-on.js'
import type { Ingestion } from './ingestion/ingestion.js'
import { parseStepPatch, type StepPatch } from './ingestion/step-patch.js'
import { noteForJudges } from './judges/awaiting.js'
import { type Pricer, waitingAgain } from './prices/pricer.js'
import { countAhead } from './rollups/count.js'
import { type ScoreRefusal, ScoreRules } from './score-rules.js'
import type { Sessions } from './sessions.js'
import type { Values } from './values.js'

/** A step to store, or why it could not even be read. */
export type SentStep = StepInput | { refused: Refusal }

/** The outcome of a step: its refusal, or null once it is stored, without the scores that were left out. */
export interface StepOutcome {
  refusal: Refusal | null
  refusedScores: readonly ScoreRefusal[]
}

export class Steps {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #ingestion: Ingestion
  readonly #sessions: Sessions
  readonly #pricer: Pricer

  constructor(
    db: Database,
    pages: Pages,
    values: Values,
    ingestion: Ingestion,
    sessions: Sessions,
    pricer: Pricer,
  ) {
    this.#pricer = pricer
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#ingestion = ingestion
    this.#sessions = sessions
  }

  /**
   * Stores steps together, with their client's report of its session. Resolves to one outcome per
   * step.
   */
  async ingest(
    caller: Caller,
    steps: readonly SentStep[],
    session?: SessionInput | null,
  ): Promise<StepOutcome[]> {
    this.#sessions.check(session)
    const sent = steps.flatMap((step) => ('refused' in step ? [] : [step]))
    const repeated = await this.#sessions.received(caller, sent)
    const rules = await this.#rulesOf(caller, sent)
    const outcomes: StepOutcome[] = []
    const accepted: { index: number; step: StepInput; patch: StepPatch }[] = []
    const turn = new Turn()
    for (const [index, step] of steps.entries()) {
      outcomes[index] = STORED
      if ('refused' in step) {
        outcomes[index] = { refusal: step.refused, refusedScores: [] }
        continue
      }
      if (repeated.has(step)) continue
      if (turn.isOver()) await turn.next()
      try {
        const patch = withoutStacks(() => parseStepPatch(this.#values, caller, step, rules))
        const { refusedScores } = patch
        if (refusedScores.length > 0) outcomes[index] = { refusal: null, refusedScores }
        accepted.push({ index, step, patch })
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        const { code, message } = error
        outcomes[index] = { refusal: { code, message }, refusedScores: [] }
      }
    }
    const stored = await this.#ingestion.store(accepted.map(({ patch }) => patch))
    accepted.forEach(({ index }, position) => {
      const refusal = stored[position] ?? null
      if (refusal !== null) outcomes[index] = { refusal, refusedScores: [] }
    })
    await this.#sessions.note(
      caller,
      session,
      accepted.flatMap(({ index, step }) => (outcomes[index]?.refusal === null ? [step] : [])),
    )
    noteRefusedItems(outcomes)
    return outcomes
  }

  async create(
    caller: Caller,
    step: Omit<MutationCreateStepArgs, 'id'> & Partial<StepInput>,
  ): Promise<StepRow> {
    const id = step.id || randomUUID()
    const sent = { ...withoutNulls(step), id }
    const rules = await this.#rulesOf(caller, [sent])
    const patch = parseStepPatch(this.#values, caller, sent, rules)
    const [refusal] = await this.#ingestion.store([patch])
    if (refusal) throw new DomainError(refusal.code, refusal.message)
    return this.#existing(caller, id)
  }

  async update(caller: Caller, { id, ...step }: MutationUpdateStepArgs): Promise<StepRow> {
    const values = this.#values
    const given = withoutNulls(step)
    const changes: Changes<'steps'> = {
      type: given.type,
      name: values.text('name', given.name),
      startTime: given.startTime,
      endTime: given.endTime,
      parentId: values.id('parentId', given.parentId),
      ...payloadsOf(values, given),
      metadata: values.metadata('metadata', given.metadata),
      tags: values.tags('tags', given.tags),
      // The price of a call depends on its moment: it waits for another one.
      genCostRevision: given.startTime === undefined ? undefined : waitingAgain(),
    }
    const stepId = values.requiredId('id', id)
    // In one transaction: the sums of a thread would otherwise stay wrong for good if the process ended in between.
    await inTransaction(this.#db, (transaction) =>
      changeSteps(transaction, caller.projectId, [stepId], async () => {
        const changed = await updateStep(transaction, caller.projectId, stepId, changes)
        if (changed === undefined) throw notFound('step', id)
        const { threadId } = changed
        await noteChanges(transaction, [{ projectId: caller.projectId, id: stepId }])
        const refOf = (id: string) => ({ projectId: caller.projectId, id })
        await noteForJudges(transaction, {
          steps: [refOf(stepId)],
          threads: threadId === null ? [] : [refOf(threadId)],
        })
        return { result: undefined, threadIds: [changed.threadId] }
      }),
    )
    return this.#existing(caller, id)
  }

  async find(caller: Caller, id: string, parts: StepParts = 'all'): Promise<StepRow | null> {
    return (await findSteps(this.#db, caller.projectId, [id], parts))[0] ?? null
  }

  list({ projectId }: Caller, request: PageRequest, parts: StepParts = 'all') {
    return this.#read('steps', projectId, stepListing(projectId, parts), request)
  }

  async listGenerations({ projectId }: Caller, request: PageRequest, parts: StepParts = 'all') {
    const asked = askedFields('generations', request)
    if (request.orderBy?.column === 'cost' || asked.has('cost') || asked.has('costSource'))
      await this.#pricer.catchUp(projectId, this.#values.limits.searchMs)
    return this.#read('generations', projectId, generationListing(projectId, parts), request)
  }

  #read<Row>(
    subject: 'steps' | 'generations',
    projectId: string,
    listing: Listing<Row>,
    request: PageRequest,
  ) {
    return this.#pages.read(projectId, listing, request, () =>
      countAhead(this.#db, projectId, subject, listing, request),
    )
  }

  /** Returns null when there is no such step. */
  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    return inTransaction(this.#db, async (transaction) => {
      const deleted = await changeSteps(transaction, caller.projectId, [id], async () => {
        const result = await deleteStep(transaction, caller.projectId, id)
        return { result, threadIds: [result?.threadId ?? null] }
      })
      if (deleted === undefined) return null
      await handOnFromSteps(transaction, caller.projectId, [deleted])
      await noteFor(transaction, caller, { action: 'DELETE_STEP', on: 'STEP', id })
      return { id }
    })
  }

  #rulesOf({ projectId }: Caller, steps: readonly StepInput[]): Promise<ScoreRules> {
    const names = new Set<string>()
    for (const { scores } of steps) for (const { name } of scores ?? []) names.add(name)
    return ScoreRules.read(this.#db, projectId, names)
  }

  async #existing(caller: Caller, id: string): Promise<StepRow> {
    const step = await this.find(caller, id)
    if (step === null) throw notFound('step', id)
    return step
  }
}

const STORED: StepOutcome = { refusal: null, refusedScores: [] }

/** Returns the input and output that are given, each with its excerpt. */
const payloadsOf = (values: Values, given: Pick<StepInput, 'input' | 'output'>) => {
  const changes: Changes<'steps'> = {}
  for (const field of ['input', 'output'] as const) {
    if (given[field] === undefined) continue
    const payload = values.payload(field, given[field])
    changes[field] = payload
    changes[EXCERPTS[field]] = excerptOf(payload)
  }
  return changes
}

/** Drops nulls: released clients send null for every value that they leave unchanged. */
const withoutNulls = <Given extends object>(given: Given) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as {
    [Key in keyof Given]?: Exclude<Given[Key], null>
  }
