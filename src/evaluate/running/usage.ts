import type { StepwellClient } from '../../client.js'
import type { StepRecord } from '../../outbox/records.js'

/** The price of a model, in dollars for a million tokens. */
export interface ModelPrice {
  /** Of tokens that go in. */
  input: number
  /** Of tokens that come out. */
  output: number
}

/** Everything that the recorded steps of a run or an item used. */
export interface Usage {
  tokens: number
  /** Steps that have ended, without the item's own run. */
  steps: number
  /** Of calls whose model has a price. */
  dollars: number
}

/** The usage of an item. */
export interface ItemUsage extends Usage {
  /** The model of a call that has no price; `undefined` when all have one. */
  unpriced: string | undefined
}

const noUsage = (): Usage => ({ tokens: 0, steps: 0, dollars: 0 })

interface Call {
  model?: unknown
  tokenCount?: unknown
  inputTokenCount?: unknown
  outputTokenCount?: unknown
}

const numberOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)

/** Counts the tokens, steps and dollars of items, by the steps that the client records below their runs and in their threads. */
export class UsageMeter {
  readonly total = noUsage()
  readonly #prices: Readonly<Record<string, ModelPrice>>
  readonly #items = new Map<string, { usage: ItemUsage; changed: () => void }>()
  readonly #end: () => void

  constructor(stepwell: StepwellClient, prices: Readonly<Record<string, ModelPrice>>) {
    this.#prices = prices
    this.#end = stepwell.recorder.listen((record) => this.#count(record))
  }

  /** True when the prices of models are known. */
  get isPriced(): boolean {
    return Object.keys(this.#prices).length > 0
  }

  /** Counts for an item from now on, by the id of its run or its thread. Calls `changed` after each step. */
  begin(id: string, changed: () => void, before: Usage = noUsage()): ItemUsage {
    const { tokens, steps, dollars } = before
    const usage = { tokens, steps, dollars, unpriced: undefined }
    this.#items.set(id, { usage, changed })
    return usage
  }

  end(id: string): void {
    this.#items.delete(id)
  }

  close(): void {
    this.#end()
  }

  #count({ id, rootRunId, threadId, generation }: StepRecord): void {
    if (id === rootRunId) return
    // Scorers run outside of the run, in the thread of the item.
    const item = this.#items.get(rootRunId ?? '') ?? this.#items.get(threadId ?? '')
    if (item === undefined) return
    const call = (generation ?? {}) as Call
    const input = numberOf(call.inputTokenCount)
    const output = numberOf(call.outputTokenCount)
    const model = String(call.model)
    const price = Object.hasOwn(this.#prices, model) ? this.#prices[model] : undefined
    if (generation != null && price === undefined) item.usage.unpriced ??= model
    const tokens = numberOf(call.tokenCount) || input + output
    const dollars =
      price === undefined ? 0 : (input * price.input + output * price.output) / 1_000_000
    for (const usage of [item.usage, this.total]) {
      usage.steps++
      usage.tokens += tokens
      usage.dollars += dollars
    }
    item.changed()
  }
}
