import { Turn } from '../../kernel/sharing/turn.js'
import { partsOf, Signature } from '../../lists/contents/grams.js'
import { FIRST_BLOCKS, MAX_STEPS, slabOf } from '../../lists/contents/slabs.js'
import type { NewBlock, NewSlab } from '../../storage/contents/blocks.js'
import type { TextRow } from '../../storage/contents/texts.js'

/** Gathers steps in blocks until a slab is full. */
export class Gatherer {
  readonly slabs: NewSlab[] = []
  #blocks: (NewBlock & { signature: Signature })[] = []
  #current: (NewBlock & { signature: Signature }) | undefined
  readonly #turn = new Turn()

  /** True once there are whole slabs. Only then may it end, as a slab has room for eight blocks. */
  get isFull(): boolean {
    return this.slabs.length > 0
  }

  async add({ id, text, createdAt, startedAt }: TextRow): Promise<void> {
    for (const part of partsOf(text)) {
      if (this.#turn.isOver()) await this.#turn.next()
      this.#current ??= {
        stepIds: [],
        signature: new Signature(),
        createdFrom: createdAt,
        createdTo: createdAt,
        startedFrom: startedAt,
        startedTo: startedAt,
      }
      const block = this.#current
      if (block.stepIds.at(-1) !== id) block.stepIds.push(id)
      block.createdFrom = Math.min(block.createdFrom, createdAt)
      block.createdTo = Math.max(block.createdTo, createdAt)
      block.startedFrom = Math.min(block.startedFrom, startedAt)
      block.startedTo = Math.max(block.startedTo, startedAt)
      block.signature.add(part)
      if (block.signature.isFull || block.stepIds.length >= MAX_STEPS) this.#close(block)
    }
    // A step of several slabs ends with a whole one.
    if (this.slabs.length > 0) this.#finish()
  }

  #close(block: NewBlock & { signature: Signature }): void {
    this.#blocks.push(block)
    this.#current = undefined
    if (this.#blocks.length === FIRST_BLOCKS) this.#finish()
  }

  #finish(): void {
    if (this.#current !== undefined) this.#blocks.push(this.#current)
    this.#current = undefined
    if (this.#blocks.length === 0) return
    const signatures = slabOf(this.#blocks.map(({ signature }) => signature))
    this.slabs.push({ blocks: this.#blocks.map(({ signature: _, ...block }) => block), signatures })
    this.#blocks = []
  }
}
