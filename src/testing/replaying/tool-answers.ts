import { isPlain } from '../../values/fit.js'
import { keyOf, type Normal } from '../comparing/normal.js'
import { exactDifferences } from '../comparing/values.js'
import type { RecordedNode } from '../fixtures/read-fixture.js'
import { lineOf } from '../tree.js'
import type { Fork } from './fork.js'
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
  readonly #fork: Fork | undefined
  /** The calls behind the fork, and those around it. */
  readonly #behind = new Set<string>()

  constructor(
    nodes: readonly RecordedNode[],
    live: readonly string[] | true,
    normal: Normal,
    problems: Problems,
    fork?: Fork,
  ) {
    this.#normal = normal
    this.#problems = problems
    this.#live = live
    this.#fork = fork
    for (const node of nodes) {
      if (!isTool(node)) continue
      const key = this.#keyOf(node.step.name, node.step.input)
      if (fork === undefined || fork.isBefore(node.step.id)) this.#slots.add(node, key)
      else this.#behind.add(key)
    }
  }

  /** Returns true for work that the record answers. */
  answers(type: string | null | undefined, name: string | null | undefined): boolean {
    return TOOLS.includes(type ?? '') && this.#live !== true && !this.#live.includes(name ?? '')
  }

  /** Returns true when a call with this name is left. */
  has(name: string | null | undefined): boolean {
    return this.#slots.has(({ step }) => (step.name ?? '') === (name ?? ''))
  }

  /** Returns true for a call that is recorded behind the fork or around it alone: it works as it is. */
  isBehind(name: string | undefined, input: unknown): boolean {
    const key = this.#keyOf(name, input)
    return this.#behind.has(key) && !this.#slots.hasKey(key)
  }

  /** Gives up calls that nobody will make. */
  drop(steps: ReadonlySet<string>): void {
    this.#slots.drop(({ step }) => steps.has(step.id))
  }

  /** Takes the recorded call. Throws where there is none. */
  take(name: string | undefined, input: unknown): RecordedNode {
    const found = this.#slots.take(this.#keyOf(name, input))
    if (found !== undefined) {
      this.#fork?.onAnswer(found.step.id)
      return found
    }
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

/** Returns true for a step whose work a record answers. */
export const isTool = ({ step }: RecordedNode): boolean => TOOLS.includes(step.type)

/** An input is stored as an object, by way of JSON. */
const storedOf = (input: unknown): unknown => {
  if (input == null) return undefined
  const written: unknown = JSON.parse(JSON.stringify(input) ?? 'null')
  return isPlain(written) ? written : { input: written }
}
