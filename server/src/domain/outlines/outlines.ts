import { FLAG } from '../../../generated/outline-flags.js'
import type { QueryOutlineArgs, StepType } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import {
  findOutlineBelow,
  findOutlineOfThread,
  findRevision,
  findStepsWithText,
  type OutlineRow,
} from '../../storage/outlines.js'
import { findThreads } from '../../storage/threads.js'
import type { Values } from '../values.js'
import { type Placed, toPreOrder } from './skeleton.js'

const MAX_MATCHES = 10_000
/** Steps may hold some megabytes each, which a search has in memory at once. */
const SEARCHED_AT_ONCE = 25
/** How long an outline is kept. */
const KEPT_MS = 60_000
/** Outlines that are kept for whoever asks for the rest of one in parts. */
const MAX_KEPT = 4

export interface Skeleton {
  id: string[]
  depth: number[]
  type: number[]
  name: number[]
  start: (number | null)[]
  duration: (number | null)[]
  firstToken: (number | null)[]
  tokens: (number | null)[]
  flags: number[]
}

/** A tree of steps that is read when something of it is asked for, once. */
export class StepTree {
  readonly #db: Database
  readonly #caller: Caller
  readonly #read: () => Promise<OutlineRow[]>
  readonly #revision: string | undefined
  readonly #rootId: string | undefined
  readonly #searchMs: number
  #steps: Promise<Steps> | undefined

  constructor(
    db: Database,
    caller: Caller,
    read: () => Promise<OutlineRow[]>,
    {
      revision,
      rootId,
      searchMs,
    }: {
      /** Without one, it is made of the steps. */
      revision?: string | undefined
      /** The step at the root, whatever it says of a parent. */
      rootId?: string | undefined
      searchMs: number
    },
  ) {
    this.#db = db
    this.#caller = caller
    this.#read = read
    this.#revision = revision
    this.#rootId = rootId
    this.#searchMs = searchMs
  }

  async revision(): Promise<string> {
    return this.#revision ?? (await this.#all()).revision
  }

  async stepCount(): Promise<number> {
    return (await this.#all()).placed.length
  }

  async errorCount(): Promise<number> {
    return (await this.#all()).count(FLAG.failed)
  }

  async runningCount(): Promise<number> {
    return (await this.#all()).count(FLAG.running)
  }

  async startedAt(): Promise<Instant | null> {
    return instantOf((await this.#all()).first)
  }

  async endedAt(): Promise<Instant | null> {
    return instantOf((await this.#all()).last)
  }

  async maxDepth(): Promise<number> {
    return (await this.#all()).placed.reduce((most, { depth }) => Math.max(most, depth + 1), 0)
  }

  async names(): Promise<string[]> {
    return (await this.#all()).names
  }

  async types(): Promise<StepType[]> {
    return (await this.#all()).types
  }

  async skeleton({
    from,
    count,
  }: {
    from?: number | null | undefined
    count?: number | null | undefined
  }): Promise<Skeleton> {
    const start = wholeNumber('from', from ?? 0)
    const { placed, columns } = await this.#all()
    const end = count == null ? placed.length : start + wholeNumber('count', count)
    return columns(start, end)
  }

  async matches({
    text,
    first,
  }: {
    text: string
    first?: number | null | undefined
  }): Promise<string[]> {
    const most = wholeNumber('first', first ?? 1000)
    if (most > MAX_MATCHES) throw invalid(`first: expected at most ${MAX_MATCHES}, got ${most}`)
    if (text.trim() === '') throw invalid('text: expected what to look for, got nothing')
    const { placed } = await this.#all()
    const found: string[] = []
    const goOn = deadline(this.#searchMs, 'text: the thread holds too much to be searched')
    for (let from = 0; from < placed.length && found.length < most; from += SEARCHED_AT_ONCE) {
      await goOn()
      const ids = placed.slice(from, from + SEARCHED_AT_ONCE).map(({ row }) => row.id)
      const matching = await findStepsWithText(this.#db, this.#caller.projectId, ids, text)
      found.push(...ids.filter((id) => matching.has(id)))
    }
    return found.slice(0, most)
  }

  #all(): Promise<Steps> {
    if (this.#steps !== undefined) return this.#steps
    const steps = this.#read().then((rows) => new Steps(rows, this.#rootId))
    this.#steps = steps
    // Others may ask for what is kept; a failure is not.
    steps.catch(() => {
      this.#steps = undefined
    })
    return steps
  }
}

/** The steps of an outline in their places. */
class Steps {
  readonly placed: readonly Placed[]
  readonly names: string[]
  readonly types: StepType[]
  /** When the first one started and the last one ended, in milliseconds since 1970. */
  readonly first: number | null
  readonly last: number | null

  constructor(rows: readonly OutlineRow[], rootId: string | undefined) {
    this.placed = toPreOrder(rows, rootId)
    // In pre-order, so that the lists are the same whenever the same rows are read: parts of one outline refer to them.
    const steps = this.placed.map(({ row }) => row)
    this.names = byUse(steps.flatMap(({ name }) => name ?? []))
    this.types = byUse(steps.map(({ type }) => type as StepType))
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const { start, end } of steps) {
      first = Math.min(first, start ?? end ?? first)
      last = Math.max(last, end ?? start ?? last)
    }
    this.first = Number.isFinite(first) ? first : null
    this.last = Number.isFinite(last) ? last : null
  }

  count(flag: number): number {
    return this.placed.reduce((sum, { flags }) => sum + (flags & flag ? 1 : 0), 0)
  }

  get revision(): string {
    const ended = this.placed.length - this.count(FLAG.running)
    return [this.placed.length, ended, this.count(FLAG.failed), this.first, this.last].join('-')
  }

  readonly columns = (from: number, to: number): Skeleton => {
    const nameAt = placesOf(this.names)
    const typeAt = placesOf(this.types)
    const part = this.placed.slice(from, to)
    const base = this.first ?? 0
    return {
      id: part.map(({ row }) => row.id),
      depth: part.map(({ depth }) => depth),
      type: part.map(({ row }) => typeAt.get(row.type) ?? -1),
      name: part.map(({ row }) => (row.name === null ? -1 : (nameAt.get(row.name) ?? -1))),
      start: part.map(({ row }) => (row.start === null ? null : micro(row.start - base))),
      duration: part.map(({ row }) =>
        row.start === null || row.end === null ? null : micro(row.end - row.start),
      ),
      firstToken: part.map(({ row }) => row.firstToken),
      tokens: part.map(({ row }) => row.tokens),
      flags: part.map(({ flags }) => flags),
    }
  }
}

/** The trees of steps that threads and runs are. */
export class Outlines {
  readonly #db: Database
  readonly #values: Values
  /** The outlines that were asked for last, by what they are of and its revision. */
  readonly #kept = new Map<string, StepTree>()

  constructor(db: Database, values: Values) {
    this.#db = db
    this.#values = values
  }

  async find(
    caller: Caller,
    { threadId, rootStepId }: Partial<QueryOutlineArgs>,
  ): Promise<StepTree | null> {
    if ((threadId == null) === (rootStepId == null))
      throw invalid('threadId, rootStepId: expected exactly one of them')
    if (threadId != null)
      return this.#ofThread(caller, this.#values.requiredId('threadId', threadId))
    const { searchMs } = this.#values.limits
    const rootId = this.#values.requiredId('rootStepId', rootStepId ?? '')
    const rows = await findOutlineBelow(
      this.#db,
      caller.projectId,
      rootId,
      deadline(searchMs, 'rootStepId: too many steps lie below each other there'),
    )
    return rows.length === 0
      ? null
      : new StepTree(this.#db, caller, async () => rows, { rootId, searchMs })
  }

  async #ofThread(caller: Caller, threadId: string): Promise<StepTree | null> {
    const { projectId } = caller
    const { searchMs } = this.#values.limits
    const revision = await findRevision(this.#db, projectId, threadId)
    if (revision === undefined) {
      const [thread] = await findThreads(this.#db, projectId, [threadId])
      return thread === undefined
        ? null
        : new StepTree(this.#db, caller, async () => [], { revision: '0', searchMs })
    }
    const key = JSON.stringify([projectId, threadId, revision])
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const outline = new StepTree(
      this.#db,
      caller,
      () => findOutlineOfThread(this.#db, projectId, threadId),
      { revision, searchMs },
    )
    const oldest = this.#kept.keys().next().value
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, outline)
    setTimeout(() => this.#kept.delete(key), KEPT_MS).unref()
    return outline
  }
}

/** The values, each once, the most frequent first. */
const byUse = <T>(values: readonly T[]): T[] => {
  const uses = new Map<T, number>()
  for (const value of values) uses.set(value, (uses.get(value) ?? 0) + 1)
  return [...uses].sort(([, a], [, b]) => b - a).map(([value]) => value)
}

const placesOf = (values: readonly string[]): ReadonlyMap<string, number> =>
  new Map(values.map((value, place) => [value, place]))

const wholeNumber = (field: string, value: number): number => {
  if (value >= 0) return value
  throw invalid(`${field}: expected a whole number from 0 on, got ${value}`)
}

/** Milliseconds to the microsecond, as the sums of floating point have more digits than clocks. */
const micro = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

const instantOf = (milliseconds: number | null): Instant | null =>
  milliseconds === null
    ? null
    : `${new Date(Math.floor(milliseconds)).toISOString().slice(0, -1)}000Z`

/** Lets others have their turn, and gives up after a while: the embedded engine runs in this very process. */
const deadline = (ms: number, message: string): (() => Promise<void>) => {
  const end = performance.now() + ms
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() > end) throw new DomainError('TOO_LARGE', message)
  }
}
