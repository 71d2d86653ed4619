import { keyOf } from './merging.js'
import type { StepPatch } from './step-patch.js'

/** Limits of one commit, so that a burst neither blocks readers for long nor builds one huge statement. */
const MAX_COMMIT_STEPS = 2000
const MAX_COMMIT_CHARACTERS = 8_000_000
/**
 * Limits for each project that shares a commit, as all of them wait until the largest part is written. A larger patch
 * goes alone.
 */
const MAX_SHARED_STEPS = 250
const MAX_SHARED_CHARACTERS = 1_000_000

export interface Queued {
  patch: StepPatch
  /** Position in the order of arrival, set by the queue: an object around each item would take memory of its own. */
  number?: number
}

/** The waiting patches of one step. */
interface Step<Item> {
  items: Item[]
  /** Index of the first item that still waits. */
  first: number
}

interface Project<Item extends Queued> {
  /** Steps with a waiting patch, or with one in a commit under way. */
  steps: Map<string, Step<Item>>
  /** Steps that may be taken, the longest waiting first. */
  ready: Heap<Step<Item>>
}

interface Share {
  steps: number
  characters: number
  /** The size of the largest patch that fits. */
  largest: number
}

/**
 * A queue of patches that wait for a commit. Projects share each commit evenly, however many patches one of them has
 * waiting; the rest follows in the next commits. Within a project the step that waits longest comes first. While a
 * commit has a patch of a step, no other patch of that step is taken, so that they are stored in order.
 */
export class CommitQueue<Item extends Queued> {
  /** The first one's turn is next. */
  readonly #projects = new Map<string, Project<Item>>()
  #count = 0

  push(item: Item): void {
    const { projectId, id } = item.patch
    let project = this.#projects.get(projectId)
    if (project === undefined) {
      project = { steps: new Map(), ready: new Heap(isOlder) }
      this.#projects.set(projectId, project)
    }
    item.number = this.#count++
    const step = project.steps.get(id)
    if (step !== undefined) {
      step.items.push(item)
      return
    }
    // Most steps come in one patch, and pushing to an empty list reserves room for many.
    const only = { items: [item], first: 0 }
    project.steps.set(id, only)
    project.ready.push(only)
  }

  /**
   * Takes the patches of the next commit, from projects that may share it; a project that is alone gets no more than a
   * share when others wait for the commit. No other patches of these steps are taken until `release` is called with all
   * that was taken of them.
   */
  take(mayShare: (projectId: string) => boolean = () => true, isAwaited = false): Item[] {
    const batch: Item[] = []
    const took = new Set<string>()
    let active = [...this.#projects].filter(
      ([projectId, { ready }]) => ready.first !== undefined && mayShare(projectId),
    )
    const [longest] = active
    const goesAlone = longest !== undefined && active.length > 1 && isHuge(longest[1])
    const waiting = goesAlone ? [longest] : active
    const left = roomFor(active.length, isAwaited)
    if (goesAlone) active = []
    while (active.length > 0 && left.steps > 0) {
      // Projects share the room that others leave.
      const share = {
        steps: Math.max(1, Math.floor(left.steps / active.length)),
        characters: left.characters / active.length,
        largest: left.largest,
      }
      active = active.filter(([projectId, project]) => {
        if (left.steps === 0 || !this.#takeOf(project, { ...share }, left, batch)) return false
        took.add(projectId)
        return project.ready.first !== undefined
      })
    }
    // A patch larger than its project's share would otherwise wait for ever.
    const overlooked = waiting.find(
      ([projectId, project]) => !took.has(projectId) && (batch.length === 0 || !isHuge(project)),
    )
    if (overlooked !== undefined && left.steps > 0) {
      const [projectId, project] = overlooked
      this.#takeOf(project, { ...WHATEVER, steps: 1 }, left, batch)
      took.add(projectId)
    }
    // Moves behind the projects that got nothing.
    for (const projectId of took) {
      const project = this.#projects.get(projectId)
      this.#projects.delete(projectId)
      if (project !== undefined) this.#projects.set(projectId, project)
    }
    return batch
  }

  /** Releases the steps of patches that `take` returned. */
  release(batch: readonly Item[]): void {
    const done = new Set<string>()
    for (const { patch } of batch) {
      const { projectId, id } = patch
      const key = keyOf(projectId, id)
      if (done.has(key)) continue
      done.add(key)
      const project = this.#projects.get(projectId)
      const step = project?.steps.get(id)
      if (project === undefined || step === undefined) continue
      if (step.first < step.items.length) project.ready.push(step)
      else {
        project.steps.delete(id)
        if (project.steps.size === 0) this.#projects.delete(projectId)
      }
    }
  }

  /** Takes a project's share of its waiting patches; returns false when none fits. */
  #takeOf(project: Project<Item>, share: Share, left: Share, batch: Item[]): boolean {
    const before = batch.length
    for (let step = project.ready.first; step !== undefined; step = project.ready.first) {
      if (!fits(step, share)) break
      project.ready.shift()
      while (fits(step, share)) {
        const item = step.items[step.first++] as Item
        batch.push(item)
        for (const rest of [share, left]) {
          rest.steps--
          rest.characters -= item.patch.size
        }
      }
      forget(step)
    }
    return batch.length > before
  }
}

const fits = <Item extends Queued>({ items, first }: Step<Item>, share: Share): boolean => {
  const next = items[first]
  if (next === undefined || share.steps <= 0) return false
  return next.patch.size <= Math.min(share.characters, share.largest)
}

/** Returns true when the next patch of a project takes longer than other projects should have to wait. */
const isHuge = <Item extends Queued>({ ready }: Project<Item>): boolean => {
  const step = ready.first
  return (step?.items[step.first]?.patch.size ?? 0) > MAX_SHARED_CHARACTERS
}

const WHATEVER: Share = {
  steps: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
  largest: Number.POSITIVE_INFINITY,
}

/** Returns the room that a commit shared by so many projects has. */
const roomFor = (projects: number, isAwaited: boolean): Share =>
  projects <= 1 && !isAwaited
    ? { ...WHATEVER, steps: MAX_COMMIT_STEPS, characters: MAX_COMMIT_CHARACTERS }
    : {
        largest: MAX_SHARED_CHARACTERS,
        steps: Math.min(projects * MAX_SHARED_STEPS, MAX_COMMIT_STEPS),
        characters: Math.min(projects * MAX_SHARED_CHARACTERS, MAX_COMMIT_CHARACTERS),
      }

/** Drops the items that were taken, once they are most of the list: a long list is not moved for each of them. */
const forget = <Item>(step: Step<Item>): void => {
  if (2 * step.first < step.items.length) return
  step.items.splice(0, step.first)
  step.first = 0
}

const isOlder = <Item extends Queued>(a: Step<Item>, b: Step<Item>): boolean =>
  (a.items[a.first]?.number ?? 0) < (b.items[b.first]?.number ?? 0)

/** A binary heap. */
class Heap<Value> {
  readonly #values: Value[] = []
  readonly #isBefore: (a: Value, b: Value) => boolean

  constructor(isBefore: (a: Value, b: Value) => boolean) {
    this.#isBefore = isBefore
  }

  get first(): Value | undefined {
    return this.#values[0]
  }

  push(value: Value): void {
    const values = this.#values
    let at = values.length
    values.push(value)
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = values[above] as Value
      if (!this.#isBefore(value, parent)) break
      values[at] = parent
      at = above
    }
    values[at] = value
  }

  shift(): void {
    const values = this.#values
    const last = values.pop()
    if (last === undefined || values.length === 0) return
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= values.length) break
      const [left, right] = [values[below] as Value, values[below + 1]]
      const isRight = right !== undefined && this.#isBefore(right, left)
      if (isRight) below++
      const child = isRight ? right : left
      if (!this.#isBefore(child, last)) break
      values[at] = child
      at = below
    }
    values[at] = last
  }
}
