import { runtime } from '../host.js'

/** A client's part in the end of the process. Functions only, as another copy of the SDK may call them. */
interface Ending {
  /** Time for which the end may be delayed. */
  deadlineMs: number
  /** Returns true when the service has everything, including the end of the session, or delivery was given up. */
  isFinished: () => boolean
  /** Records the steps that have not ended. */
  recordOpen: (reason: string) => void
  /** Delivers, and reports the end of the session. */
  finish: (timeoutMs: number) => Promise<void>
  /** Delivers while nothing else runs any more. */
  deliverNow: (timeoutMs: number) => void
  flush: (timeoutMs: number) => Promise<void>
  /** Gives up undelivered steps, or leaves them to the spool. */
  end: () => void
  /** Does what else is to be done before a signal ends the process. */
  beforeKill?: () => Promise<void>
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** Returns the time that one may take of what is left: half of it while others wait, as its service may never answer. */
export const shareOf = (leftMs: number, doOthersWait: boolean): number =>
  doOthersWait ? leftMs / 2 : leftMs

/** The part of `process` that is used at its end. */
export type EndingProcess = Pick<
  NodeJS.Process,
  'pid' | 'on' | 'off' | 'prependListener' | 'listeners' | 'listenerCount' | 'kill'
>

/** The clients of a process. */
export interface Registry {
  endings: Set<Ending>
  /** Stops listening; undefined when nothing listens. */
  stop: (() => void) | undefined
  /** The first time that the process had nothing left to do, by `elapsed`. */
  ranOutAt: number | undefined
  /** Tests that tell listeners of libraries which end the process only where nobody else listens. */
  watchers?: Set<IsWatcher>
}

/** Tells the listener of a library that leaves the end of the process to others, as this one does. */
type IsWatcher = (listener: unknown) => boolean

/** Delivers a client's records when the process ends, however that happens. Returns a function that cancels this. */
export type AtProcessEnd = (ending: Ending) => () => void

export const createProcessEnd = (
  process: EndingProcess | undefined,
  registry: Registry,
  elapsed: () => number,
): AtProcessEnd => {
  /** A client that fails does not keep others from delivering. */
  const eachEnding = (work: (ending: Ending) => void): void => {
    for (const ending of [...registry.endings])
      try {
        work(ending)
      } catch (error) {
        console.warn(`stepwell: a client could not end as it should: ${String(error)}`)
      }
  }

  /** Only delivery is left to do. It continues until the deadline, however often the event is emitted. */
  const onBeforeExit = (): void => {
    registry.ranOutAt ??= elapsed()
    const spentMs = elapsed() - registry.ranOutAt
    eachEnding((ending) => {
      ending.recordOpen('unfinished: the process had nothing left to do')
      if (ending.isFinished()) return
      if (spentMs < ending.deadlineMs) void ending.finish(ending.deadlineMs - spentMs)
      else ending.end()
    })
  }

  const onExit = (code: number): void => {
    const begin = elapsed()
    eachEnding((ending) => ending.recordOpen(`unfinished: the process exited with code ${code}`))
    const waiting = new Set(registry.endings)
    eachEnding((ending) => {
      waiting.delete(ending)
      const leftMs = ending.deadlineMs - (elapsed() - begin)
      const doOthersWait = [...waiting].some((other) => !other.isFinished())
      if (leftMs > 0) ending.deliverNow(shareOf(leftMs, doOthersWait))
      ending.end()
    })
  }

  /** Delivers until nothing is left, as steps may still be recorded, or until the deadline. */
  const finish = async (ending: Ending, signal: NodeJS.Signals): Promise<void> => {
    const deadline = elapsed() + ending.deadlineMs
    for (;;) {
      ending.recordOpen(`unfinished: the process was ended by ${signal}`)
      const leftMs = deadline - elapsed()
      if (ending.isFinished() || leftMs <= 0) return
      await ending.finish(leftMs)
    }
  }

  const listen = (runningProcess: EndingProcess): void => {
    /**
     * Other listeners decide when the process ends; without any, it ends by the signal, as it would without this one.
     */
    const onSignal = (signal: NodeJS.Signals): void => {
      const tests = [...(registry.watchers ?? [])]
      const watchers = runningProcess
        .listeners(signal)
        .filter((listener) => tests.some((isWatcher) => isWatcher(listener)))
      const isOurs =
        runningProcess.listenerCount(signal) - 1 <= listenersThatOnlyWatch() + watchers.length
      const delivered: Promise<void>[] = []
      eachEnding((ending) => {
        delivered.push(isOurs ? finish(ending, signal) : ending.flush(ending.deadlineMs))
        if (isOurs && ending.beforeKill !== undefined) delivered.push(ending.beforeKill())
      })
      if (!isOurs) return
      void Promise.allSettled(delivered).then(() => {
        eachEnding((ending) => ending.end())
        registry.stop?.()
        runningProcess.kill(runningProcess.pid, signal)
      })
    }
    runningProcess.on('beforeExit', onBeforeExit)
    runningProcess.on('exit', onExit)
    // First, as listeners with `once` are gone by the time that later ones count.
    for (const signal of SIGNALS) runningProcess.prependListener(signal, onSignal)
    registry.stop = () => {
      registry.stop = undefined
      runningProcess.off('beforeExit', onBeforeExit)
      runningProcess.off('exit', onExit)
      for (const signal of SIGNALS) runningProcess.off(signal, onSignal)
    }
  }

  return (ending) => {
    registry.endings.add(ending)
    if (registry.stop === undefined && process !== undefined) listen(process)
    return () => {
      registry.endings.delete(ending)
      if (registry.endings.size === 0) registry.stop?.()
    }
  }
}

/**
 * One for the process: otherwise two copies of the SDK would each mistake the other's listener for the application's.
 */
const sharedRegistry = (): Registry => {
  const key = Symbol.for('stepwell.endings.1')
  const shared = globalThis as { [key: symbol]: unknown }
  const made: Registry = { endings: new Set(), stop: undefined, ranOutAt: undefined }
  shared[key] ??= made
  return shared[key] as Registry
}

// Elsewhere there is none, or one whose functions throw or do nothing, as in the edge runtime of Next.js.
const ownProcess = globalThis.process?.pid ? process : undefined

export const atProcessEnd = createProcessEnd(ownProcess, sharedRegistry(), runtime.elapsed)

/**
 * Notes that a library's listeners, told by a test, end the process only where nobody else listens: two of that kind would
 * each wait for the other.
 */
export const ignoreListeners = (isWatcher: IsWatcher): void => {
  const registry = sharedRegistry()
  registry.watchers ??= new Set()
  registry.watchers.add(isWatcher)
}

/** The signal-exit package listens too, and ends the process when it believes that nobody else listens. */
const listenersThatOnlyWatch = (): number => {
  const known = globalThis as { [key: symbol]: unknown }
  const emitter = known[Symbol.for('signal-exit emitter')] as { count?: number } | undefined
  const older = (globalThis.process as { __signal_exit_emitter__?: { count?: number } })
    ?.__signal_exit_emitter__
  return (emitter?.count ?? 0) + (older?.count ?? 0)
}
