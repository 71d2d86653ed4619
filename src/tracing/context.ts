import type { AsyncLocalStorage } from 'node:async_hooks'
import { builtin } from '../builtin.js'
import type { Environment } from '../settings.js'
import type { Trace } from './sampling/trace.js'

/** Added to the steps that are made inside a `decorate`. */
export interface Decoration {
  /** Added to the metadata of each step; the step's own keys win. */
  metadata?: Record<string, unknown> | undefined
  /** Added before the tags of each step. */
  tags?: readonly string[] | undefined
  /** The environment of the steps that name none. */
  environment?: Environment | undefined
  /** The id of the first step that is made. */
  stepId?: string | undefined
  /** @internal The same, shared by all contexts inside, so that only one step gets it. */
  firstId?: { value: string | undefined } | undefined
}

/**
 * @internal The context of the running code, for one client. Contexts are immutable; entering a step or thread creates
 * one.
 */
export interface Context {
  /** Used only by its owner: two clients in one process see nothing of each other. */
  readonly owner: object
  /** The context around it, for other clients with a context there. */
  readonly outer: Context | undefined
  readonly thread: Identified | undefined
  readonly step: ContextStep | undefined
  readonly rootRun: Identified | undefined
  /** Absent when everything is kept. */
  readonly trace: Trace | undefined
  readonly setting: Setting
}

/** @internal */
interface Identified {
  readonly id: string
}

/** @internal The part of a step that contexts use. */
interface ContextStep extends Identified {
  readonly threadId: string | undefined
  /** The context in which it was created. */
  readonly context: Context | undefined
}

/** @internal The part of a context that changes less often than the step. */
export interface Setting {
  /** A trace that began in another service, from the headers it sent. */
  readonly remote?: Remote | undefined
  readonly experimentItemRunId?: string | undefined
  readonly environment?: Environment | undefined
  readonly decoration?: Decoration | undefined
}

/** @internal A caller in another service, according to its headers. */
export interface Remote {
  traceId: string
  sampled: boolean
  stepId: string | undefined
  rootRunId: string | undefined
  threadId: string | undefined
  baggage: ReadonlyMap<string, string>
}

/** @internal */
interface Storage {
  getStore(): Context | undefined
  run<Result, Input>(
    context: Context | undefined,
    work: (input: Input) => Result,
    input: Input,
  ): Result
  /** Absent where the platform has none. */
  enterWith?(context: Context | undefined): void
}

/** @internal Without AsyncLocalStorage, as in browsers, context holds while a function runs, up to its first await. */
class SynchronousStorage implements Storage {
  #current: Context | undefined

  getStore(): Context | undefined {
    return this.#current
  }

  run<Result, Input>(
    context: Context | undefined,
    work: (input: Input) => Result,
    input: Input,
  ): Result {
    const before = this.#current
    this.#current = context
    try {
      return work(input)
    } finally {
      this.#current = before
    }
  }
}

/** @internal */
const createStorage = (): Storage => {
  const Storage: typeof AsyncLocalStorage | undefined =
    builtin('node:async_hooks')?.AsyncLocalStorage ??
    (globalThis as { AsyncLocalStorage?: typeof AsyncLocalStorage }).AsyncLocalStorage
  return Storage === undefined
    ? new SynchronousStorage()
    : (new Storage<Context | undefined>() as Storage)
}

// One for all clients: each adds a cost to every promise.
/** @internal */
const storage = createStorage()

/**
 * @internal True if context ends at the first await although it need not: in Cloudflare Workers, where a flag enables
 * it.
 */
export const LOSES_CONTEXT =
  storage instanceof SynchronousStorage && globalThis.navigator?.userAgent === 'Cloudflare-Workers'

/** @internal Returns an owner's context of the running code; undefined outside of all. */
export const currentContext = (owner: object): Context | undefined => {
  let context = storage.getStore()
  while (context !== undefined && context.owner !== owner) context = context.outer
  return context
}

/** @internal Returns the context of the running code, of any owner. */
export const anyContext = (): Context | undefined => storage.getStore()

/**
 * @internal Runs a function inside a context. Work that it starts stays inside too, across awaits, timers and
 * callbacks.
 */
export const withContext = <Result, Input = undefined>(
  context: Context | undefined,
  work: (input: Input) => Result,
  input?: Input,
): Result => storage.run(context, work, input as Input)

/**
 * @internal Enters a context for the rest of the running asynchronous function, of which there must be one: for callbacks
 * that cannot wrap the work that they announce. Has no effect where the platform lacks it.
 */
export const enterContext = (context: Context): void => {
  if (storage instanceof SynchronousStorage) return
  try {
    storage.enterWith?.(context)
  } catch {
    // Cloudflare Workers have the function, and throw.
  }
}
