import type { Watch } from '../../tracing/results/bound.js'
import type { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import type { Host } from './host.js'

/** Runs that were given up and are remembered, as they may end after all. */
const MAX_ABANDONED = 1000

const CALLS = new Set(['llm', 'embedding', 'rerank'])

/** The runs under one outermost run. */
interface Tree {
  readonly open: Set<Run>
  watch: Watch | undefined
}

interface Run {
  readonly id: string
  readonly step: Step
  readonly tree: Tree
  /** The run around it; undefined for an outermost one. */
  readonly parent: Run | undefined
  /** False for a run that is not shown, and stands for the step around it. */
  readonly isShown: boolean
  isAbandoned: boolean
}

/**
 * The steps of a framework's runs, by the ids that it has for them. Runs that never end, as a stream that nobody reads to
 * its end, are given up together with those around them, once nothing came of any of them for a time.
 */
export class Runs {
  readonly #host: Host
  readonly #runs = new Map<string, Run>()
  readonly #abandoned: Run[] = []
  /** Steps of model calls. Readers of an answer may run in their context, and are not inside them. */
  readonly #calls = new WeakSet<Step>()

  constructor(host: Host) {
    this.#host = host
  }

  has(id: string): boolean {
    return this.#runs.has(id)
  }

  /** Returns the step of a run that is known and was not given up. */
  running(id: string): Step | undefined {
    const run = this.#runs.get(id)
    return run?.isAbandoned === false ? run.step : undefined
  }

  /** Tells the step of a model call. */
  isCall(step: Step): boolean {
    return this.#calls.has(step)
  }

  /** Returns the step of a run; that of the run around it, when it is hidden. */
  step(id: string | undefined): Step | undefined {
    return id === undefined ? undefined : this.#runs.get(id)?.step
  }

  open(id: string, parentId: string | undefined, data: StepData): Step {
    const parent = parentId === undefined ? undefined : this.#runs.get(parentId)
    const step = this.#host.open(data, parent?.step, (one) => this.isCall(one))
    const run = { id, step, parent, tree: this.#treeOf(parent), isShown: true, isAbandoned: false }
    this.#add(run)
    if (CALLS.has(String(data.type))) {
      this.#calls.add(step)
      step.recording.onLeft = () => this.#leave(run)
    }
    return step
  }

  /** Notes a run that is not shown: those inside it are inside the run around it. False when there is none around it. */
  hide(id: string, parentId: string | undefined): boolean {
    const parent = parentId === undefined ? undefined : this.#runs.get(parentId)
    if (parent === undefined) return false
    const { step, tree } = parent
    this.#add({ id, step, parent, tree, isShown: false, isAbandoned: false })
    return true
  }

  /** Notes that a run is alive. */
  touch(id: string): Step | undefined {
    const run = this.#runs.get(id)
    if (run === undefined) return undefined
    run.tree.watch?.touch()
    return run.isShown ? run.step : undefined
  }

  /** Ends a run. `change` sets the last values of its step. */
  close(id: string, change: (step: Step) => void): void {
    const run = this.#runs.get(id)
    if (run === undefined) return
    this.#runs.delete(id)
    run.tree.open.delete(run)
    run.tree.watch?.touch()
    if (run.tree.open.size === 0) run.tree.watch?.stop()
    if (!run.isShown) return
    if (run.isAbandoned) reopen(run.step)
    try {
      change(run.step)
    } finally {
      run.step.end()
    }
  }

  /**
   * Ends a run that failed, once nothing is open in it, as frameworks do not always tell of its end. It may end after all.
   * Returns false while something is open, and for a run that is not known.
   */
  settle(id: string, error: unknown): boolean {
    const run = this.#runs.get(id)
    if (run === undefined) return false
    if (run.isAbandoned) return true
    const { open, watch } = run.tree
    const running = [...open].filter((one) => one !== run && !one.isAbandoned)
    if (running.some((one) => isInside(one, run))) return false
    if (running.length === 0) watch?.stop()
    run.step.error ??= error
    run.step.end()
    this.#remember(run)
    return true
  }

  #remember(run: Run): void {
    run.isAbandoned = true
    this.#abandoned.push(run)
    for (const oldest of this.#abandoned.splice(0, this.#abandoned.length - MAX_ABANDONED))
      this.#runs.delete(oldest.id)
  }

  #add(run: Run): void {
    this.#runs.set(run.id, run)
    run.tree.open.add(run)
    run.tree.watch?.touch()
  }

  #treeOf(parent: Run | undefined): Tree {
    if (parent !== undefined) return parent.tree
    const tree: Tree = { open: new Set(), watch: undefined }
    tree.watch = this.#host.watch((lastMoment) => this.#giveUp(tree, lastMoment))
    return tree
  }

  #giveUp(tree: Tree, lastMoment: number): void {
    for (const run of [...tree.open].reverse())
      if (!run.isAbandoned) this.#abandon(run, lastMoment, 'abandoned')
  }

  /** Ends a call whose answer was left, unless the framework does. The runs around it may go on. */
  #leave(run: Run): void {
    const { tree } = run
    const isOpen = () => tree.open.has(run) && !run.isAbandoned
    if (!isOpen()) return
    this.#host.watchLeft((lastMoment) => {
      if (isOpen()) this.#abandon(run, lastMoment, 'cancelled')
      if ([...tree.open].every(({ isAbandoned }) => isAbandoned)) tree.watch?.stop()
    })
  }

  #abandon(run: Run, lastMoment: number, ended: 'abandoned' | 'cancelled'): void {
    this.#remember(run)
    const { step } = run
    if (!run.isShown) return
    step.metadata = { ...step.metadata, ended }
    step.stop(lastMoment)
    const { soFar, writeCall } = step.recording
    // The values of the request itself come first.
    writeCall?.()
    if (step.output === undefined && soFar !== undefined) step.output = soFar()
    step.end()
  }
}

const isInside = ({ parent }: Run, run: Run): boolean => {
  for (let around = parent; around !== undefined; around = around.parent)
    if (around === run) return true
  return false
}

/** Undoes the end of a step that was given up. */
const reopen = (step: Step): void => {
  step.endTime = undefined
  step.metadata = { ...step.metadata, ended: undefined }
  if (step.error === undefined) return
  step.error = undefined
  step.recording.clearsError = true
}
