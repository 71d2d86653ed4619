import { ContentsForAgentDocument } from '../../../generated/agents.js'
import type { Excerpts } from '../outline/excerpts.js'
import type { Node } from '../outline/tree.js'
import { ask, type Source } from '../source.js'
import { quote, textIn } from '../text.js'

interface Both {
  readonly base: Node
  readonly other: Node
}

/** Contents may have megabytes each: so many pairs are read, a few at once. */
const MAX_READ = 64
const AT_ONCE = 4

/** Parts of a pair that differ behind equal beginnings, and how many of the pairs with such beginnings were read. */
export interface Whole {
  readonly changes: ReadonlyMap<Node, readonly string[]>
  readonly read: number
  readonly all: number
}

/** Reads the contents of pairs whose excerpts are equal and cut, and finds where they differ. */
export const compareWhole = async (
  source: Source,
  pairs: readonly Both[],
  excerptsOf: (node: Node) => Excerpts | undefined,
): Promise<Whole> => {
  const parts = ['input', 'output'] as const
  const partsOf = ({ base, other }: Both) =>
    parts.filter((part) => {
      const text = excerptsOf(base)?.[part]
      return text != null && text === excerptsOf(other)?.[part] && text.endsWith('…')
    })
  const cut = pairs.filter((pair) => partsOf(pair).length > 0)
  const changes = new Map<Node, string[]>()
  const chosen = cut.slice(0, MAX_READ)
  for (let from = 0; from < chosen.length; from += AT_ONCE) {
    const portion = chosen.slice(from, from + AT_ONCE)
    const ids = portion.flatMap(({ base, other }) => [base.step.id, other.step.id])
    const { stepsById } = await ask(source, ContentsForAgentDocument, { ids })
    portion.forEach((pair, index) => {
      const [one, two] = [stepsById[2 * index], stepsById[2 * index + 1]]
      if (one == null || two == null) return
      const found = partsOf(pair).flatMap(
        (part) => differenceIn(part, textOf(one[part]), textOf(two[part])) ?? [],
      )
      if (found.length > 0) changes.set(pair.base, found)
    })
  }
  return { changes, read: chosen.length, all: cut.length }
}

const BEFORE = 20
const SHOWN = 70

const differenceIn = (part: string, one: string, two: string): string | undefined => {
  if (one === two) return undefined
  let at = 0
  while (one[at] === two[at]) at++
  const from = Math.max(0, at - BEFORE)
  const near = (text: string) => quote(text.slice(from), SHOWN)
  return `${part} from character ${at} on ${near(one)} / ${near(two)}`
}

/** Members of objects have no order that says something. */
const textOf = (value: unknown): string => {
  const text = textIn(value)
  return typeof text === 'string' ? text : (JSON.stringify(text, sorted, 1) ?? '')
}

const sorted = (_: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)))
    : value
