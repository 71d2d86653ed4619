import { Turn } from '../../kernel/sharing/turn.js'
import { NEEDLE_UNITS, Signature } from '../../lists/contents/grams.js'
import { FIRST_BLOCKS, slabOf } from '../../lists/contents/slabs.js'
import type { NewBlock, NewSlab } from '../../storage/contents/blocks.js'
import type { TextRow } from '../../storage/contents/texts.js'

/** Hashes after which a block is full: with more, too many blocks would have all hashes of a text by chance. */
const FULL = 17_000
/** Steps of a block, which are all read when it may contain a text. */
const MAX_STEPS = 128
/** Units of a text that are added at once, so that a large one fills several blocks. */
const PART = 8192

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
    // Parts overlap, so that a text that is searched is within one of them.
    for (let from = 0; from === 0 || from < text.length; from += PART) {
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
      block.signature.add(text.slice(from, from + PART + NEEDLE_UNITS))
      if (block.signature.size >= FULL || block.stepIds.length >= MAX_STEPS) this.#close(block)
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
