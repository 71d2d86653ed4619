import { randomUUID } from 'node:crypto'
import type {
  MutationCreateStepArgs,
  MutationUpdateStepArgs,
  SessionInput,
  StepInput,
} from '../../generated/resolvers.js'
import { inAttempts } from '../database/attempts.js'
import type { Database } from '../database/database.js'
import type { Changes } from '../database/rows/writes.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, notFound, type Refusal } from '../kernel/errors.js'
import { Turn } from '../kernel/sharing/turn.js'
import { withoutStacks } from '../kernel/without-stacks.js'
import type { PageRequest, Pages } from '../lists/page.js'
import { generationListing } from '../storage/generations.js'
import {
  deleteStep,
  findSteps,
  type StepParts,
  type StepRow,
  stepListing,
  updateStep,
} from '../storage/steps.js'
import { changeSteps } from '../storage/threads.js'
import { handOnFromSteps } from './erasure/handing-on.js'
import type { Ingestion } from './ingestion/ingestion.js'
import { parseStepPatch, type StepPatch } from './ingestion/step-patch.js'
import type { Sessions } from './sessions.js'
import type { Values } from './values.js'

/** A step to store, or why it could not even be read. */
export type SentStep = StepInput | { refused: Refusal }

export class Steps {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #ingestion: Ingestion
  readonly #sessions: Sessions

  constructor(
    db: Database,
    pages: Pages,
    values: Values,
    ingestion: Ingestion,
    sessions: Sessions,
  ) {
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#ingestion = ingestion
    this.#sessions = sessions
  }

  /**
   * Stores steps together, with their client's report of its session. Resolves to one entry per step: null, or the
   * refusal.
   */
  async ingest(
    caller: Caller,
    steps: readonly SentStep[],
    session?: SessionInput | null,
  ): Promise<(Refusal | null)[]> {
    this.#sessions.check(session)
    const sent = steps.flatMap((step) => ('refused' in step ? [] : [step]))
    const repeated = await this.#sessions.received(caller, sent)
    const outcomes: (Refusal | null)[] = []
    const accepted: { index: number; step: StepInput; patch: StepPatch }[] = []
    const turn = new Turn()
    for (const [index, step] of steps.entries()) {
      outcomes[index] = null
      if ('refused' in step) {
        outcomes[index] = step.refused
        continue
      }
      if (repeated.has(step)) continue
      if (turn.isOver()) await turn.next()
      try {
        const patch = withoutStacks(() => parseStepPatch(this.#values, caller, step))
        accepted.push({ index, step, patch })
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        outcomes[index] = { code: error.code, message: error.message }
      }
    }
    const stored = await this.#ingestion.store(accepted.map(({ patch }) => patch))
    accepted.forEach(({ index }, position) => {
      outcomes[index] = stored[position] ?? null
    })
    await this.#sessions.note(
      caller,
      session,
      accepted.flatMap(({ index, step }) => (outcomes[index] === null ? [step] : [])),
    )
    return outcomes
  }

  async create(
    caller: Caller,
    step: Omit<MutationCreateStepArgs, 'id'> & Partial<StepInput>,
  ): Promise<StepRow> {
    const id = step.id || randomUUID()
    const patch = parseStepPatch(this.#values, caller, { ...withoutNulls(step), id })
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
      input: given.input === undefined ? undefined : values.payload('input', given.input),
      output: given.output === undefined ? undefined : values.payload('output', given.output),
      metadata: values.metadata('metadata', given.metadata),
      tags: values.tags('tags', given.tags),
    }
    const stepId = values.requiredId('id', id)
    // In one transaction: the sums of a thread would otherwise stay wrong for good if the process ended in between.
    await inAttempts(() =>
      this.#db.transaction().execute((transaction) =>
        changeSteps(transaction, caller.projectId, [stepId], async () => {
          const changed = await updateStep(transaction, caller.projectId, stepId, changes)
          if (changed === undefined) throw notFound('step', id)
          return { result: undefined, threadIds: [changed.threadId] }
        }),
      ),
    )
    return this.#existing(caller, id)
  }

  async find(caller: Caller, id: string, parts: StepParts = 'all'): Promise<StepRow | null> {
    return (await findSteps(this.#db, caller.projectId, [id], parts))[0] ?? null
  }

  list({ projectId }: Caller, request: PageRequest, parts: StepParts = 'all') {
    return this.#pages.read(projectId, stepListing(projectId, parts), request)
  }

  listGenerations({ projectId }: Caller, request: PageRequest, parts: StepParts = 'all') {
    return this.#pages.read(projectId, generationListing(projectId, parts), request)
  }

  /** Returns null when there is no such step. */
  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    return inAttempts(() =>
      this.#db.transaction().execute(async (transaction) => {
        const deleted = await changeSteps(transaction, caller.projectId, [id], async () => {
          const result = await deleteStep(transaction, caller.projectId, id)
          return { result, threadIds: [result?.threadId ?? null] }
        })
        if (deleted === undefined) return null
        await handOnFromSteps(transaction, caller.projectId, [deleted])
        return { id }
      }),
    )
  }

  async #existing(caller: Caller, id: string): Promise<StepRow> {
    const step = await this.find(caller, id)
    if (step === null) throw notFound('step', id)
    return step
  }
}

/** Drops nulls: released clients send null for every value that they leave unchanged. */
const withoutNulls = <Given extends object>(given: Given) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as {
    [Key in keyof Given]?: Exclude<Given[Key], null>
  }
