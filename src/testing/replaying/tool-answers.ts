import { isPlain } from '../../values/fit.js'
import { keyOf, type Normal } from '../comparing/normal.js'
import { exactDifferences } from '../comparing/values.js'
import type { RecordedNode } from '../fixtures/read-fixture.js'
import { lineOf } from '../tree.js'
import type { Problems } from './problem.js'
import { nearestOf, Slots } from './slots.js'

/** Types of steps whose work the record answers. */
const TOOLS = ['tool', 'retrieval', 'rerank']

/** Answers calls of tools from a record, by name and arguments, in its order, each answer once. */
export class ToolAnswers {
  readonly #slots = new Slots<RecordedNode>()
  readonly #normal: Normal
  readonly #problems: Problems
  readonly #live: readonly string[] | true

  constructor(
    nodes: readonly RecordedNode[],
    live: readonly string[] | true,
    normal: Normal,
    problems: Problems,
  ) {
    this.#normal = normal
    this.#problems = problems
    this.#live = live
    for (const node of nodes)
      if (TOOLS.includes(node.step.type))
        this.#slots.add(node, this.#keyOf(node.step.name, node.step.input))
  }

  /** Returns true for work that the record answers. */
  answers(type: string | null | undefined, name: string | null | undefined): boolean {
    return TOOLS.includes(type ?? '') && this.#live !== true && !this.#live.includes(name ?? '')
  }

  /** Takes the recorded call. Throws where there is none. */
  take(name: string | undefined, input: unknown): RecordedNode {
    const found = this.#slots.take(this.#keyOf(name, input))
    if (found !== undefined) return found
    throw this.#problems.note(this.#noAnswer(name, input))
  }

  #noAnswer(name: string | undefined, input: unknown): string {
    const call = `${lineOf({ id: '', name, input: storedOf(input) })} has no recorded answer`
    const candidates = this.#slots.candidates
    const named = candidates.filter((node) => node.step.name === name)
    const nearest = nearestOf(named.length > 0 ? named : candidates, ({ step }) => [
      ...(step.name === name ? [] : [`name: expected ${step.name}, got ${name}`]),
      ...exactDifferences('input', this.#normal(step.input), this.#normal(storedOf(input))),
    ])
    if (nearest === undefined) return `the call of ${call}: no call of a tool is recorded`
    const { item, differences } = nearest
    const why =
      differences.length === 0 ? ['it was called once, and has been answered'] : differences
    return [
      `the call of ${call}. The nearest is ${lineOf(item.step)} (recorded as ${item.step.id})`,
      ...why.map((line) => `  ${line}`),
    ].join('\n')
  }

  #keyOf(name: string | undefined, input: unknown): string {
    return keyOf(this.#normal([name, storedOf(input)]))
  }
}

/** An input is stored as an object, by way of JSON. */
const storedOf = (input: unknown): unknown => {
  if (input == null) return undefined
  const written: unknown = JSON.parse(JSON.stringify(input) ?? 'null')
  return isPlain(written) ? written : { input: written }
}
