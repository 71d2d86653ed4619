import { AsyncLocalStorage } from 'node:async_hooks'
import { tooSlow } from './failures.js'

/** The memory for answers of the database, of one request. */
export interface AnswerMemory {
  /** Resolves when the next statement may begin; undefined if it may at once. Throws if the request may have no more. */
  ready(): Promise<void> | undefined
  /** Takes memory for a part of an answer. Throws if the request may have no more. */
  take(bytes: number): void
  /** Lets others have their turn between parts of an answer; undefined if the next one may come at once. */
  turn(): Promise<void> | undefined
}

interface TaskOptions {
  key?: string | undefined
  answers?: AnswerMemory | undefined
  totalMs?: number
  statementMs?: number
  isAwaited?: (() => boolean) | undefined
}

/** Work that uses the database by several statements, some of them at once. */
export class Task {
  /** The key for which the database is used; undefined for the service's own work. */
  readonly key: string | undefined
  /** Absent if what is read is not kept. */
  readonly answers: AnswerMemory | undefined
  /** Time that a statement may take. */
  readonly statementMs: number
  /** Characters of texts and payloads that were read so far. */
  characters = 0
  readonly #outer: Task | undefined
  readonly #totalMs: number
  readonly #isAwaited: (() => boolean) | undefined
  #usedMs = 0
  #running = 0
  #since = 0

  constructor(
    outer: Task | undefined,
    {
      totalMs = Number.POSITIVE_INFINITY,
      statementMs = Number.POSITIVE_INFINITY,
      ...own
    }: TaskOptions,
  ) {
    this.statementMs = Math.min(statementMs, outer?.statementMs ?? Number.POSITIVE_INFINITY)
    this.key = own.key ?? outer?.key
    this.answers = 'answers' in own ? own.answers : outer?.answers
    this.#totalMs = totalMs
    this.#isAwaited = own.isAwaited ?? (outer === undefined ? undefined : outer.#isAwaited)
    this.#outer = outer
  }

  /** False once nobody waits for the result any more. */
  get isAwaited(): boolean {
    return this.#isAwaited?.() !== false
  }

  get leftMs(): number {
    const usedMs = this.#usedMs + (this.#running > 0 ? performance.now() - this.#since : 0)
    return Math.min(this.#totalMs - usedMs, this.#outer?.leftMs ?? Number.POSITIVE_INFINITY)
  }

  /** Counts time until the returned function is called. */
  begin(): () => void {
    if (this.#running++ === 0) this.#since = performance.now()
    const end = this.#outer?.begin()
    return () => {
      if (--this.#running === 0) this.#usedMs += performance.now() - this.#since
      end?.()
    }
  }
}

const current = new AsyncLocalStorage<Task | undefined>()

/** Returns the task that runs here, if any. */
export const currentTask = (): Task | undefined => current.getStore()

const run = <Result>(options: TaskOptions, work: () => Result): Result =>
  current.run(new Task(currentTask(), options), work)

/**
 * Runs a function that may use the database for so long in total, waiting for it included, and within an outer limit if
 * there is one. Beyond that it fails as `UNAVAILABLE`. Time spent on anything else does not count: an upload may take
 * an hour.
 */
export const withTimeLimit = <Result>(totalMs: number, work: () => Result): Result =>
  run({ totalMs }, work)

/**
 * Runs a function whose statements may take so long each, beyond which they fail as above. Waiting for a connection does not
 * count: it says nothing of what a statement costs.
 */
export const withStatementLimit = <Result>(statementMs: number, work: () => Result): Result =>
  run({ statementMs }, work)

/** Runs a function for a key, which shares the connections to the database with the others, and the memory for answers. */
export const onBehalfOf = <Result>(
  key: string,
  work: () => Result,
  answers?: AnswerMemory,
): Result => run(answers === undefined ? { key } : { key, answers }, work)

/**
 * Runs a function that only reads, and whose statements are not begun once nobody waits for its result: one that clients ask
 * for and leave, again and again, would keep their other requests waiting.
 */
export const whileAwaited = <Result>(
  isAwaited: (() => boolean) | undefined,
  work: () => Result,
): Result => run({ isAwaited }, work)

/** Runs a function whose result others may wait for too: it goes on when the client leaves whose request began it. */
export const evenIfLeft = <Result>(work: () => Result): Result => whileAwaited(() => true, work)

/** Runs a function, and returns its result with the characters of the texts and payloads that its statements read. */
export const weighed = async <Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; characters: number }> => {
  const task = new Task(currentTask(), {})
  const result = await current.run(task, work)
  return { result, characters: task.characters }
}

/** Runs a function whose answers are dropped or counted elsewhere, so that they take no memory of the request. */
export const inPassing = <Result>(work: () => Result): Result => run({ answers: undefined }, work)

/** Runs a function without the limits of the request that happened to start it. */
export const withoutTimeLimit = <Result>(work: () => Result): Result => current.run(undefined, work)

/**
 * Waits for work that others wait for too, and which goes on without this task: for as long as its own time lasts. The
 * work has to run without the limits of the request that happened to start it.
 */
export const forAsLong = async <Result>(shared: Promise<Result>): Promise<Result> => {
  const task = currentTask()
  const leftMs = task?.leftMs ?? Number.POSITIVE_INFINITY
  if (task === undefined || leftMs === Number.POSITIVE_INFINITY) return shared
  const end = task.begin()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), leftMs)
  })
  try {
    return await Promise.race([shared, over])
  } finally {
    clearTimeout(timer)
    end()
  }
}
