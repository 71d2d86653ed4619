/** The tokens that a step says, or of which something else is said: each null when it is not known. */
export interface Tokens {
  tokens: number | null
  inputTokens: number | null
  outputTokens: number | null
}

/** A step that may be part of a call of a model. */
export interface Call extends Tokens {
  id: string
  parentId: string | null
  type: string
}

const COUNTS = ['tokens', 'inputTokens', 'outputTokens'] as const

/** Kinds of calls that tell tokens. An embedding within a chat is another call. */
const KINDS = ['llm', 'embedding'] as const
type Kind = (typeof KINDS)[number]

type Sums = Record<Kind, Tokens>

/**
 * Calls of models within calls. A framework, a client and a provider each make a span of the same call, one within the
 * other, and each says its tokens; only the innermost have each attempt. So of an outer call only those tokens count
 * which the calls in it have not told. Spans of no type may lie between them, any number of them; a step of another type
 * in between, as a tool, makes it another call.
 *
 * Returns for each call the part of its own tokens that calls below it have told, null where that is nothing. A step
 * whose parents form a circle has no parent. The result depends on the steps alone, and not on their order.
 */
export const toldBelow = (calls: readonly Call[]): Map<string, Readonly<Tokens>> => {
  const byId = new Map<string, Call>()
  for (const call of calls) if (isPartOfCall(call)) byId.set(call.id, call)
  const children = new Map<string, number>()
  for (const { parentId } of byId.values())
    if (parentId !== null && byId.has(parentId))
      children.set(parentId, (children.get(parentId) ?? 0) + 1)
  const below = new Map<string, Sums>()
  // Steps that wait for no child: from the innermost to the outermost. Those that never come are circles.
  const ready = [...byId.values()].filter(({ id }) => !children.has(id))
  for (let call = ready.pop(); call !== undefined; call = ready.pop()) {
    const parent = call.parentId === null ? undefined : byId.get(call.parentId)
    if (parent === undefined) continue
    const inner = below.get(call.id)
    if (inner !== undefined || isKind(call.type)) {
      const sums = below.get(parent.id) ?? { llm: nothing(), embedding: nothing() }
      below.set(parent.id, sums)
      for (const kind of KINDS) add(sums[kind], toldBy(call, kind, inner))
    }
    const left = (children.get(parent.id) ?? 0) - 1
    children.set(parent.id, left)
    if (left === 0) ready.push(parent)
  }
  return new Map(calls.map((call) => [call.id, toldOf(call, below.get(call.id))]))
}

const isPartOfCall = ({ type }: Call): boolean => isKind(type) || type === 'undefined'
const isKind = (type: string): type is Kind => KINDS.some((kind) => kind === type)

/** Returns the tokens of calls of a kind that a step tells, by itself or below it. */
const toldBy = (call: Call, kind: Kind, below: Sums | undefined): Readonly<Tokens> => {
  const inner = below?.[kind] ?? NOTHING
  if (call.type === 'undefined') return inner
  return call.type === kind ? each((count) => largest(call[count], inner[count])) : NOTHING
}

const toldOf = (call: Call, below: Sums | undefined): Readonly<Tokens> => {
  const { type } = call
  if (!isKind(type) || below === undefined) return NOTHING
  return each((count) => Math.min(call[count] ?? 0, below[type][count] ?? 0) || null)
}

const each = (read: (count: (typeof COUNTS)[number]) => number | null): Tokens => ({
  tokens: read('tokens'),
  inputTokens: read('inputTokens'),
  outputTokens: read('outputTokens'),
})

const nothing = (): Tokens => each(() => null)
const NOTHING: Readonly<Tokens> = nothing()

const largest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

const add = (sums: Tokens, more: Readonly<Tokens>): void => {
  for (const count of COUNTS)
    if (more[count] !== null) sums[count] = (sums[count] ?? 0) + (more[count] ?? 0)
}
