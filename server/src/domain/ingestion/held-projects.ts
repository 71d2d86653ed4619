import { Places } from '../../kernel/sharing/places.js'
import type { Report } from '../../kernel/watching/reports.js'
import type { Queued } from './commit-queue.js'
import { keyOf } from './merging.js'

/** Projects that wait at once for a lock, each with a connection. */
const MAX_WAITING = 2

interface Part<Item> {
  items: Item[]
  deadline: number
}

export interface HeldOptions<Item> {
  /** Takes the other patches of a project that wait for a commit. */
  more: (projectId: string) => Part<Item>
  /** Commits items and returns those whose rows another transaction has locked for too long. */
  commit: (items: Item[], deadline: number) => Promise<Item[]>
  /** Refuses items whose deadline has passed. */
  refuse: (items: readonly Item[]) => void
  /** Called when a project may share commits again. */
  freed: () => void
  report: Report
}

/**
 * Projects some of whose rows another transaction has locked. They share no commit with others until all their items
 * are stored or past their deadline. The locked rows are found by halving, and tried again and again; the rest of the
 * project continues.
 */
export class HeldProjects<Item extends Queued> {
  readonly #options: HeldOptions<Item>
  /** Items that were not yet tried apart from others, by project. */
  readonly #fresh = new Map<string, Part<Item>[]>()
  readonly #runs = new Set<Promise<void>>()
  readonly #places = new Places({ count: MAX_WAITING, mayTake: () => true })

  constructor(options: HeldOptions<Item>) {
    this.#options = options
  }

  get runs(): ReadonlySet<Promise<void>> {
    return this.#runs
  }

  has(projectId: string): boolean {
    return this.#fresh.has(projectId)
  }

  add(projectId: string, items: Item[], deadline: number): void {
    const fresh = this.#fresh.get(projectId)
    if (fresh !== undefined) {
      fresh.push({ items, deadline })
      return
    }
    const parts = [{ items, deadline }]
    this.#fresh.set(projectId, parts)
    const { report, freed } = this.#options
    const run = this.#run(projectId, parts)
      .catch(report)
      .then(() => {
        this.#runs.delete(run)
        freed()
      })
    this.#runs.add(run)
  }

  async #run(projectId: string, fresh: Part<Item>[]): Promise<void> {
    const { more, commit, refuse } = this.#options
    const held: Part<Item>[] = []
    try {
      for (let isFreshNext = true; ; isFreshNext = !isFreshNext) {
        const arrived = more(projectId)
        if (arrived.items.length > 0) fresh.push(arrived)
        // Alternates, so that neither new nor blocked items wait for all of the other kind.
        const part = isFreshNext ? (fresh.shift() ?? held.shift()) : (held.shift() ?? fresh.shift())
        if (part === undefined) return
        const { items, deadline } = part
        if (performance.now() > deadline) {
          refuse(items)
          continue
        }
        const leave = this.#places.take(projectId) ?? (await this.#places.wait(projectId))
        const left = await commit(items, deadline).finally(leave)
        for (const half of halvesBySteps(left)) held.push({ items: half, deadline })
      }
    } finally {
      // Without waiting in between: an item added after the last look would be lost.
      this.#fresh.delete(projectId)
    }
  }
}

/** Keeps all patches of one step together, as they must be stored in order. */
const halvesBySteps = <Item extends Queued>(items: readonly Item[]): Item[][] => {
  const steps = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item.patch.projectId, item.patch.id)
    const step = steps.get(key)
    if (step === undefined) steps.set(key, [item])
    else step.push(item)
  }
  const all = [...steps.values()]
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle).flat(), all.slice(middle).flat()].filter(({ length }) => length > 0)
}
