import type { Step } from './step.js'

/** More steps than this are not watched: those that never end would fill the memory. */
const MAX = 10_000

/** A step that runs, between the one that began before it and the one that began after it. */
export interface Link {
  readonly step: Step
  before: Link | undefined
  after: Link | undefined
}

/** The steps that have begun and not ended. A list of links: sets make garbage of their own when much comes and goes. */
export class OpenSteps {
  #last: Link | undefined
  #size = 0

  add(step: Step): void {
    if (this.#size >= MAX || step.link !== undefined) return
    const link: Link = { step, before: this.#last, after: undefined }
    if (this.#last !== undefined) this.#last.after = link
    this.#last = link
    step.link = link
    this.#size++
  }

  delete(step: Step): void {
    const { link } = step
    if (link === undefined) return
    step.link = undefined
    if (link.before !== undefined) link.before.after = link.after
    if (link.after === undefined) this.#last = link.before
    else link.after.before = link.before
    this.#size--
  }

  /** Gives them, the last one first, and forgets them. */
  takeAll(): Step[] {
    const steps: Step[] = []
    for (let link = this.#last; link !== undefined; link = this.#last) {
      steps.push(link.step)
      this.delete(link.step)
    }
    return steps
  }
}
