import { digitsOf, NONE } from '../../tracing/trace-ids.js'

const SPAN_OF_TRACE = /^([\da-f]{32})-([\da-f]{16})$/

/** Returns the ids of the span that a step was received as; undefined for a step of another origin. */
const receivedIds = (stepId: string): { traceId: string; spanId: string } | undefined => {
  const [, traceId = '', spanId = ''] = SPAN_OF_TRACE.exec(stepId) ?? []
  return traceId === '' || NONE.test(traceId) || NONE.test(spanId) ? undefined : { traceId, spanId }
}

/** Returns the id of a step's span: the same each time, so that a span that is sent again is the same span. */
export const spanIdOf = (stepId: string): string =>
  receivedIds(stepId)?.spanId ?? digitsOf(stepId, 16)

/** The place of a step in its tree. */
export interface PlacedStep {
  id: string
  parentId: string | null
  rootRunId: string | null
}

/** Finds steps by their ids; leaves out those that are not there. */
export type FindSteps = (ids: readonly string[]) => Promise<readonly PlacedStep[]>

const MAX_KNOWN = 100_000
const MAX_DEPTH = 1000

/**
 * The traces of steps: that of its first step. Steps may come before those above them, which are then looked up, each level of a page
 * at once. Remembers a bounded number of steps.
 */
export class TraceIds {
  readonly #find: FindSteps
  readonly #known = new Map<string, string>()

  constructor(find: FindSteps) {
    this.#find = find
  }

  /** Returns the trace ids of steps, in their order. */
  async of(steps: readonly PlacedStep[]): Promise<string[]> {
    const places = new Map(steps.map((step) => [step.id, step]))
    const missing = new Set<string>()
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const wanted = new Set<string>()
      for (const { id, parentId } of places.values())
        if (parentId !== null && !this.#isKnown(id) && !places.has(parentId))
          if (!this.#isKnown(parentId) && !missing.has(parentId)) wanted.add(parentId)
      if (wanted.size === 0) break
      for (const found of await this.#find([...wanted])) places.set(found.id, found)
      for (const id of wanted) if (!places.has(id)) missing.add(id)
    }
    return steps.map(({ id }) => this.#traceOf(id, places))
  }

  #isKnown(id: string): boolean {
    return this.#known.has(id) || receivedIds(id) !== undefined
  }

  #traceOf(id: string, places: ReadonlyMap<string, PlacedStep>): string {
    const path: string[] = []
    const seen = new Set<string>()
    let top = id
    let traceId: string | undefined
    while (traceId === undefined) {
      traceId = receivedIds(top)?.traceId ?? this.#known.get(top)
      const step = places.get(top)
      if (traceId !== undefined) break
      path.push(top)
      seen.add(top)
      const parentId = step?.parentId ?? null
      // A circle has no first step. Each of its steps must find the same one, whichever is asked for first.
      if (parentId !== null && seen.has(parentId)) {
        const circle = path.slice(path.indexOf(parentId)).toSorted()
        traceId = digitsOf(circle[0] ?? top, 32)
      } else if (parentId === null) traceId = digitsOf(step?.rootRunId ?? top, 32)
      else top = parentId
    }
    for (const one of path) this.#remember(one, traceId)
    return traceId
  }

  #remember(id: string, traceId: string): void {
    this.#known.delete(id)
    this.#known.set(id, traceId)
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value as string)
  }
}
