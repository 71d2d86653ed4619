import {
  anyContext,
  type Context,
  currentContext,
  type Remote,
  type Setting,
  withContext,
} from '../context.js'
import type { Trace } from '../sampling/trace.js'
import type { Step } from '../step.js'
import type { Thread } from '../thread.js'

/** A context of one client, with the thread and the steps that the application holds. */
export interface OwnContext extends Context {
  readonly thread: Thread | undefined
  readonly step: Step | undefined
  readonly rootRun: Step | undefined
}

/** Creates and finds the contexts of one client. */
export class Contexts {
  readonly #empty: OwnContext = {
    owner: this,
    outer: undefined,
    thread: undefined,
    step: undefined,
    rootRun: undefined,
    trace: undefined,
    setting: {},
  }

  readonly #finders: (() => OwnContext | undefined)[] = []

  /** Returns the context of the running code. */
  current(): OwnContext | undefined {
    let context = currentContext(this) as OwnContext | undefined
    for (const find of this.#finders) context = innerOf(context, find())
    return context
  }

  /** Adds a function that finds the context of the running code in a context that a framework keeps. */
  addFinder(find: () => OwnContext | undefined): void {
    this.#finders.push(find)
  }

  /** Returns the context of the running code, or an empty one. */
  around(): OwnContext {
    return this.current() ?? this.#empty
  }

  /** Returns the context in which a step was created, or an empty one. */
  of(step: Step): OwnContext {
    return (step.context as OwnContext | undefined) ?? this.#empty
  }

  /** Returns the context inside a step. */
  inside(step: Step, trace: Trace | undefined): OwnContext {
    const { thread, rootRun, setting } = this.of(step)
    return {
      owner: this,
      outer: this.#outer(),
      thread,
      step,
      rootRun: rootRun ?? (step.type === 'run' ? step : undefined),
      trace,
      setting,
    }
  }

  /** Runs a function in the current context, with changes. */
  enter<Result>({ thread, ...setting }: Setting & { thread?: Thread }, work: () => Result): Result {
    const context = this.around()
    return withContext(
      {
        ...context,
        outer: this.#outer(),
        thread: thread ?? context.thread,
        setting: { ...context.setting, ...setting },
      },
      work,
    )
  }

  /** Runs a function in a trace of another service, outside of the caller's context. */
  enterRemote<Result>(remote: Remote, work: () => Result): Result {
    const { setting } = this.around()
    return withContext(
      { ...this.#empty, outer: this.#outer(), setting: { ...setting, remote } },
      work,
    )
  }

  /** Returns the other clients' context of the running code. */
  #outer(): Context | undefined {
    const context = anyContext()
    return context?.owner === this ? context.outer : context
  }
}

/** Returns the inner one of two contexts; the second one where neither is inside the other. */
export const innerOf = (
  context: OwnContext | undefined,
  other: OwnContext | undefined,
): OwnContext | undefined => {
  if (other?.step === undefined || other.step.recording.isRecorded) return context
  for (let step: { context: Context | undefined } | undefined = context?.step; step !== undefined; )
    if (step === other.step) return context
    else step = step.context?.step
  return other
}
