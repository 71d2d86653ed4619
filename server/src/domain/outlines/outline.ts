import { FLAG } from '../../../generated/outline-flags.js'
import type { StepType } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import { findStepsWithText, type OutlineRow } from '../../storage/outlines.js'
import { type OutlineStep, toPreOrder } from './pre-order.js'

const MAX_MATCHES = 10_000
/** A search holds this many steps with their payloads at once, which may be some megabytes each. */
const SEARCHED_AT_ONCE = 25
export interface OutlineColumns {
  id: string[]
  depth: number[]
  type: number[]
  name: number[]
  start: (number | null)[]
  duration: (number | null)[]
  firstToken: (number | null)[]
  tokens: (number | null)[]
  cost: (number | null)[]
  flags: number[]
}

/** The outline of a thread or of a run: its tree of steps, read once, when one of its fields is first used. */
export class Outline {
  readonly #db: Database
  readonly #caller: Caller
  readonly #read: () => Promise<OutlineRow[]>
  readonly #revision: string | undefined
  readonly #rootId: string | undefined
  readonly #searchMs: number
  #steps: Promise<PreOrder> | undefined

  constructor(
    db: Database,
    caller: Caller,
    read: () => Promise<OutlineRow[]>,
    {
      revision,
      rootId,
      searchMs,
    }: {
      /** Without one, it is derived from the steps. */
      revision?: string | undefined
      /** The step at the root, whatever its own parent. */
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
    return (await this.#all()).steps.length
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
    return (await this.#all()).steps.reduce((most, { depth }) => Math.max(most, depth + 1), 0)
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
  }): Promise<OutlineColumns> {
    const start = wholeNumber('from', from ?? 0)
    const { steps, columns } = await this.#all()
    const end = count == null ? steps.length : start + wholeNumber('count', count)
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
    if (text.trim() === '') throw invalid('text: expected a text to find, got an empty one')
    const { steps } = await this.#all()
    const found: string[] = []
    const goOn = deadline(this.#searchMs, 'text: the thread is too large to search')
    for (let from = 0; from < steps.length && found.length < most; from += SEARCHED_AT_ONCE) {
      await goOn()
      const ids = steps.slice(from, from + SEARCHED_AT_ONCE).map(({ row }) => row.id)
      const matching = await findStepsWithText(this.#db, this.#caller.projectId, ids, text)
      found.push(...ids.filter((id) => matching.has(id)))
    }
    return found.slice(0, most)
  }

  #all(): Promise<PreOrder> {
    if (this.#steps !== undefined) return this.#steps
    const steps = this.#read().then((rows) => new PreOrder(rows, this.#rootId))
    this.#steps = steps
    // A failure is not kept: others may ask for a kept outline.
    steps.catch(() => {
      this.#steps = undefined
    })
    return steps
  }
}

/** The steps of an outline in pre-order. */
class PreOrder {
  readonly steps: readonly OutlineStep[]
  readonly names: string[]
  readonly types: StepType[]
  /** The first start and the last end, in milliseconds since 1970. */
  readonly first: number | null
  readonly last: number | null

  constructor(rows: readonly OutlineRow[], rootId: string | undefined) {
    this.steps = toPreOrder(rows, rootId)
    // In pre-order, so that equal rows make equal lists: parts of one outline refer to positions in them.
    const steps = this.steps.map(({ row }) => row)
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
    return this.steps.reduce((sum, { flags }) => sum + (flags & flag ? 1 : 0), 0)
  }

  get revision(): string {
    const ended = this.steps.length - this.count(FLAG.running)
    return [this.steps.length, ended, this.count(FLAG.failed), this.first, this.last].join('-')
  }

  readonly columns = (from: number, to: number): OutlineColumns => {
    const nameAt = placesOf(this.names)
    const typeAt = placesOf(this.types)
    const part = this.steps.slice(from, to)
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
      cost: part.map(({ row }) => row.cost),
      flags: part.map(({ flags }) => flags),
    }
  }
}

/** Returns the distinct values, the most frequent first. */
const byUse = <T>(values: readonly T[]): T[] => {
  const uses = new Map<T, number>()
  for (const value of values) uses.set(value, (uses.get(value) ?? 0) + 1)
  return [...uses].sort(([, a], [, b]) => b - a).map(([value]) => value)
}

const placesOf = (values: readonly string[]): ReadonlyMap<string, number> =>
  new Map(values.map((value, place) => [value, place]))

const wholeNumber = (field: string, value: number): number => {
  if (value >= 0) return value
  throw invalid(`${field}: expected a whole number, 0 or more, got ${value}`)
}

/** Rounds milliseconds to the microsecond, as floating-point sums have more digits than clocks. */
const micro = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

const instantOf = (milliseconds: number | null): Instant | null =>
  milliseconds === null
    ? null
    : `${new Date(Math.floor(milliseconds)).toISOString().slice(0, -1)}000Z`

/** Returns a function that yields to other requests, and throws once the time is over. */
export const deadline = (ms: number, message: string): (() => Promise<void>) => {
  const end = performance.now() + ms
  return async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() > end) throw new DomainError('TOO_LARGE', message)
  }
}
