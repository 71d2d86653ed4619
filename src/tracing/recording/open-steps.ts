/** Limit of watched steps: those that never end would fill the memory. The oldest go, as they are the likeliest never to. */
const MAX_OPEN = 10_000

/** A running step, between the one that began before it and the one that began after it. */
export interface Link<Step> {
  readonly step: Step
  before: Link<Step> | undefined
  after: Link<Step> | undefined
}

/**
 * Keeps the steps that have begun and not ended. A linked list: sets produce garbage when items come and go quickly.
 */
export class OpenSteps<Step extends { recording: { link: Link<Step> | undefined } }> {
  #first: Link<Step> | undefined
  #last: Link<Step> | undefined
  #size = 0

  add(step: Step): void {
    if (step.recording.link !== undefined) return
    if (this.#size >= MAX_OPEN && this.#first !== undefined) this.delete(this.#first.step)
    const link: Link<Step> = { step, before: this.#last, after: undefined }
    if (this.#last === undefined) this.#first = link
    else this.#last.after = link
    this.#last = link
    step.recording.link = link
    this.#size++
  }

  delete(step: Step): void {
    const { link } = step.recording
    if (link === undefined) return
    step.recording.link = undefined
    if (link.before === undefined) this.#first = link.after
    else link.before.after = link.after
    if (link.after === undefined) this.#last = link.before
    else link.after.before = link.before
    this.#size--
  }

  /** Takes them all, the last one first. */
  takeAll(): Step[] {
    const steps: Step[] = []
    for (let link = this.#last; link !== undefined; link = this.#last) {
      steps.push(link.step)
      this.delete(link.step)
    }
    return steps
  }
}
