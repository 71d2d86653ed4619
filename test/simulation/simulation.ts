import type { ThreadRecord } from '../../src/outbox/records.js'
import type { Thread } from '../../src/tracing/thread.js'
import { numberOf, tagOf } from './answers.js'
import { settled } from './clock.js'
import {
  CALL_TIMEOUT_MS,
  EXIT_TIMEOUT_MS,
  ProcessEnded,
  REQUEST_TIMEOUT_MS,
  SimulatedProcess,
  UPLOAD_TIMEOUT_MS,
} from './process.js'
import type { Action, Schedule, ThreadFields, Upload } from './schedule.js'
import { applyChange, type Objection, type StoredThread } from './service.js'
import { World } from './world.js'

/** A pending promise of the client, and when it has to settle. */
interface Awaited {
  what: string
  process: SimulatedProcess
  begin: number
  deadline: number
  /** Total time that another process had blocked before. */
  blockedMs: number
  /** Returns true when all records that it waits for were answered. */
  isAnswered: () => boolean
  /** When that was noticed. */
  answeredAt: number | undefined
}

interface RecordedStep {
  id: string
  /** Its start time. */
  at: number
  process: SimulatedProcess
  isOpen: boolean
  threadId: string | undefined
}

/** An attachment whose upload succeeded. */
interface Attached {
  id: string
  stepId: string
  process: SimulatedProcess
  size: number
}

interface RecordedThread {
  process: SimulatedProcess
  change: { id: string } & ThreadFields
}

/** A broken invariant. */
export class Violation extends Error {}

/** The time-out of `flush` and `close` without one. */
const DEFAULT_MS = 30_000
const DRAIN_MS = 20
const FINAL_MS = 400_000
/** Time after the recovery within which nothing waits if the service accepts everything. */
const CALM_MS = 15_000
/** Time after the recovery within which nothing waits but records that the service refuses. */
const BYSTANDERS_MS = 90_000
const MAX_EVENTS = 100_000

/** Runs a schedule, and throws a Violation when an invariant breaks. */
export class Simulation {
  readonly #schedule: Schedule
  readonly #world: World
  readonly #steps: RecordedStep[] = []
  readonly #changes: RecordedThread[] = []
  readonly #attached: Attached[] = []
  readonly #awaited = new Set<Awaited>()
  #events = 0
  #actedAt = 0
  #violation: Violation | undefined
  /** The process of each slot, and its thread objects. */
  readonly #slots: (SimulatedProcess | undefined)[] = []
  readonly #objects = new Map<string, { thread: Thread; recorded: string }>()
  readonly #closings = new Map<SimulatedProcess, { from: number; to: number }>()

  constructor(schedule: Schedule) {
    this.#schedule = schedule
    this.#world = new World(schedule.seed)
    const { disk, service } = this.#world
    disk.watcher = {
      removed: (path, written) => this.#checkRemoved(path, written),
      renamed: (from, to, by) => this.#checkRenamed(from, to, by),
    }
    service.ended = (sessionId) => this.#checkEnded(sessionId)
    if (schedule.maxSteps !== undefined) this.#world.service.maxSteps = schedule.maxSteps
  }

  async run(): Promise<void> {
    const { clock } = this.#world
    for (const action of this.#schedule.actions) {
      await this.#advance(action.at)
      this.#checkCalm(action.at)
      this.#actedAt = action.at
      clock.time = Math.max(clock.time, action.at)
      this.#act(action)
      await settled()
      this.#check()
    }
    await this.#heal()
    this.#checkEnd()
  }

  /** Runs all events that are due up to a time. */
  async #advance(until: number): Promise<void> {
    const { clock } = this.#world
    for (;;) {
      this.#endIdle()
      if (this.#world.hasTurnToEnd) await this.#world.endTurn()
      if (clock.nextAt > until) return
      if (++this.#events > MAX_EVENTS) throw new Violation('something is tried again without end')
      await this.#world.step()
      this.#check()
    }
  }

  #endIdle(): void {
    for (const process of this.#world.processes) if (process.isIdle) process.endIfIdle()
  }

  #act(action: Action): void {
    const { service, disk, clock, weathers } = this.#world
    switch (action.kind) {
      case 'weather':
        weathers.push({ from: clock.time, weather: action.weather })
        return
      case 'objection':
        service.objections.set(action.about, { ...action.objection })
        return
      case 'disk':
        disk.mode = action.mode
        disk.keepsTails = action.keepsTails
        return
      case 'restart':
        this.#world.restart(action.downMs)
        return
      case 'start':
        if (this.#slots[action.slot]?.isAlive !== true) {
          const process = this.#start(action.slot)
          if (action.listensMs !== undefined) process.listen(action.listensMs)
          if (action.flushMs !== undefined) this.#flush(process, action.flushMs)
        }
        return
      default:
    }
    const process = this.#slots[action.slot]
    // An application without pending work does nothing more.
    if (process?.isAlive !== true || process.work <= 0) return
    process.run(() => this.#actIn(process, action))
  }

  #start(slot: number): SimulatedProcess {
    const { processes } = this.#world
    const { limits, hasSpool } = this.#schedule
    const process = new SimulatedProcess(this.#world, processes.length, limits, hasSpool)
    process.work = 1
    processes.push(process)
    this.#slots[slot] = process
    for (const key of [...this.#objects.keys()])
      if (key.startsWith(`${slot} `)) this.#objects.delete(key)
    return process
  }

  #actIn(
    process: SimulatedProcess,
    action: Exclude<Action, { kind: 'weather' | 'objection' | 'disk' | 'restart' | 'start' }>,
  ): void {
    const { tracer } = process
    switch (action.kind) {
      case 'record':
        for (const id of action.ids) {
          this.#note(process, id)
          tracer.trace({ id, input: { text: 'x'.repeat(action.size) } }, () => 1)
        }
        return
      case 'open': {
        const step = this.#note(process, action.id)
        step.isOpen = true
        void tracer.trace({ id: action.id }, async () => {
          for (const id of action.inner) {
            this.#note(process, id)
            tracer.trace({ id }, () => 1)
          }
          await this.#work(process, action.forMs)
          step.isOpen = false
        })
        return
      }
      case 'stream':
        this.#stream(process, action.ids, action.everyMs)
        return
      case 'attach':
        this.#attach(process, action)
        return
      case 'thread':
        this.#change(process, action)
        return
      case 'send': {
        this.#note(process, action.id)
        const sent = tracer.step({ id: action.id }).send()
        const { recorded, adopted } = tracer.stats()
        const sequence = recorded - adopted
        const isAnswered = () => process.answers.hasStep(sequence)
        this.#await(process, `send of ${action.id}`, sent, REQUEST_TIMEOUT_MS, isAnswered)
        return
      }
      case 'flush':
        if (action.isBlocking) this.#deliverNow(process, action)
        else this.#flush(process, action.timeoutMs)
        return
      case 'close': {
        const { timeoutMs = DEFAULT_MS } = action
        const { time } = this.#world.clock
        const { from, to } = this.#closings.get(process) ?? { from: time, to: time + timeoutMs }
        this.#closings.set(process, { from, to: Math.min(to, time + timeoutMs) })
        if (action.isBlocking) this.#deliverNow(process, action)
        else this.#await(process, `close(${timeoutMs})`, tracer.close(action), timeoutMs)
        return
      }
      case 'end':
        this.#end(process, action)
    }
  }

  #end(process: SimulatedProcess, { way, inside }: Action & { kind: 'end' }): void {
    const end = () => {
      if (way === 'exit') process.exit(3)
      else if (way === 'error') process.exit(1)
      else if (way === 'kill') process.kill()
      else if (way === 'idle') process.work--
      else {
        process.signal(way)
      }
    }
    if (inside === undefined) {
      end()
      return
    }
    // A kill while a step runs leaves nothing of it, and nothing is expected.
    if (way !== 'kill') this.#note(process, inside).isOpen = true
    // Signals arrive in between: the step is still open then.
    if (way === 'SIGTERM' || way === 'SIGINT') {
      void process.tracer.trace({ id: inside }, () => new Promise(() => {}))
      end()
      return
    }
    process.tracer.trace({ id: inside }, end)
    if (!process.isAlive) throw new ProcessEnded()
  }

  /** Lets time pass while a process works; code of a process ends with it. */
  async #work(process: SimulatedProcess, forMs: number): Promise<void> {
    process.work++
    await new Promise<void>((resolve) =>
      this.#world.clock.schedule(forMs, () => {
        if (process.isAlive) resolve()
      }),
    )
    if (process.work > 0) process.work--
  }

  #stream(process: SimulatedProcess, [id, ...ids]: string[], everyMs: number): void {
    if (id === undefined) return
    this.#note(process, id)
    process.tracer.trace({ id }, () => 1)
    this.#world.clock.schedule(everyMs, () => {
      if (process.isAlive && process.work > 0) this.#stream(process, ids, everyMs)
    })
  }

  #attach(process: SimulatedProcess, action: Action & { kind: 'attach' }): void {
    const { id, slot, thread, uploads, forMs, isAwaited } = action
    const threadId = thread === undefined ? undefined : `t${slot}-${thread}`
    const step = this.#note(process, id)
    step.threadId = threadId
    step.isOpen = forMs !== undefined
    const begin = () => Promise.all(uploads.map((upload) => this.#upload(process, id, upload)))
    if (forMs === undefined) {
      process.tracer.trace({ id, threadId }, () => {
        void begin()
      })
      return
    }
    void process.tracer.trace({ id, threadId }, async () => {
      const uploaded = begin()
      if (isAwaited) await uploaded
      await this.#work(process, forMs)
      step.isOpen = false
    })
  }

  /** Uploads an attachment to the step around the call, and records it when that succeeds. */
  async #upload(process: SimulatedProcess, stepId: string, upload: Upload): Promise<void> {
    const { network, uploads } = this.#world
    const { id, size } = upload
    network.plan(upload)
    const uploaded = process.attachments.createAttachment({ id, content: 'x'.repeat(size) }).then(
      ({ objectKey }) => {
        const told = uploads.get(id)
        if ((objectKey !== null) !== (told === 'stored'))
          this.#violation ??= new Violation(`the upload of ${id} is ${told}, and gave ${objectKey}`)
        if (objectKey !== null) this.#attached.push({ id, stepId, process, size })
      },
      (error) => {
        if (uploads.has(id))
          this.#violation ??= new Violation(`the upload of ${id} rejected: ${String(error)}`)
      },
    )
    const isAnswered = () => uploads.get(id) === 'stored'
    const mostMs = CALL_TIMEOUT_MS + UPLOAD_TIMEOUT_MS
    this.#await(process, `the upload of ${id}`, uploaded, mostMs, isAnswered)
    await uploaded
  }

  #change(process: SimulatedProcess, action: Action & { kind: 'thread' }): void {
    const id = `t${action.slot}-${action.thread}`
    const key = `${action.slot} ${action.thread} ${action.object}`
    const known = this.#objects.get(key) ?? {
      thread: process.tracer.thread({ id }),
      recorded: '{}',
    }
    this.#objects.set(key, known)
    const { thread } = known
    Object.assign(thread, action.fields)
    const number = this.#changes.length + 1
    if (thread.tags !== undefined) thread.tags = [tagOf(number)]
    const note = (always: boolean) => {
      const { name, participantId, tags, metadata } = thread
      const change = { name, participantId, tags, metadata } as ThreadFields
      const text = JSON.stringify(change)
      if (!always && text === known.recorded) return
      known.recorded = text
      this.#changes.push({ process, change: { id, ...change } })
    }
    if (action.how === 'wrap') {
      note(false)
      void thread.wrap(() => {})
      return
    }
    note(true)
    const isAnswered = () => thread.tags !== undefined && process.answers.hasChange(id, number)
    this.#await(process, `upsert of ${id}`, thread.upsert(), REQUEST_TIMEOUT_MS, isAnswered)
  }

  /** Delivers while nothing else runs, and checks the time limit. */
  #deliverNow(
    process: SimulatedProcess,
    { kind, timeoutMs = DEFAULT_MS }: Action & { kind: 'flush' | 'close' },
  ): void {
    const { clock } = this.#world
    const begin = clock.time
    // Requests under way are sent again, and their first answers are ignored.
    for (const awaited of this.#awaited)
      if (awaited.process === process) awaited.isAnswered = () => false
    process.tracer.deliverNow(kind === 'close', { timeoutMs })
    if (clock.time > begin + timeoutMs + DRAIN_MS)
      throw new Violation(`a blocking ${kind}(${timeoutMs}) took ${clock.time - begin} ms`)
  }

  #flush(process: SimulatedProcess, timeoutMs: number | undefined): void {
    const isAnswered = this.#pendingOf(process)
    const flushed = this.#flushed(process, timeoutMs, this.#leftBehind(), this.#world.clock.time)
    this.#await(process, `flush(${timeoutMs})`, flushed, timeoutMs ?? DEFAULT_MS, isAnswered)
  }

  /** Returns the spool's folders whose process has ended. */
  #leftBehind(): string[] {
    const { disk, processes } = this.#world
    return (
      disk
        .texts('.owner')
        // A folder that was taken over still has the file of its first owner.
        .filter(({ path }) => /~([^/]+)\/\1\.owner$/.test(path))
        .filter(({ text }) => processes[JSON.parse(text)?.pid]?.isAlive !== true)
        .map(({ path }) => path.slice(0, path.lastIndexOf('/')))
    )
  }

  /** A flush that ends before its time-out leaves nothing behind of what an earlier process had left. */
  async #flushed(
    process: SimulatedProcess,
    timeoutMs: number | undefined,
    left: readonly string[],
    begin: number,
  ): Promise<void> {
    await process.tracer.flush({ timeoutMs })
    const { clock, disk } = this.#world
    const isOver = clock.time >= begin + (timeoutMs ?? DEFAULT_MS) || this.#closings.has(process)
    // A process that ended after the first look is found by a later one.
    if (isOver || disk.hasFailed || !process.isAlive || this.#schedule.isShared) return
    const still = left.filter((folder) => disk.folders.includes(folder))
    if (still.length > 0) this.#violation ??= new Violation(`flush did not look at ${still.join()}`)
  }

  #note(process: SimulatedProcess, id: string): RecordedStep {
    const step: RecordedStep = {
      id,
      process,
      isOpen: false,
      threadId: undefined,
      at: this.#world.clock.time,
    }
    this.#steps.push(step)
    return step
  }

  /** Returns a function that tells if all records of a process so far are answered; undefined if that is unknowable. */
  #pendingOf(process: SimulatedProcess): (() => boolean) | undefined {
    // It also waits for records that earlier processes have left.
    if (this.#schedule.hasSpool) return undefined
    const { answers } = process
    const { recorded } = process.stats
    const last = new Map<string, { number: number; isNumbered: boolean }>()
    for (const [index, { process: by, change }] of this.#changes.entries())
      if (by === process)
        last.set(change.id, { number: index + 1, isNumbered: change.tags !== undefined })
    const changes = [...last]
    if (changes.some(([, { isNumbered }]) => !isNumbered)) return undefined
    return () =>
      answers.hasStepsUpTo(recorded) &&
      changes.every(([id, { number }]) => answers.hasChange(id, number))
  }

  #await(
    process: SimulatedProcess,
    what: string,
    promise: Promise<unknown>,
    timeoutMs: number,
    isAnswered: () => boolean = () => false,
  ): void {
    const begin = this.#world.clock.time
    const awaited: Awaited = {
      what,
      process,
      begin,
      deadline: begin + timeoutMs,
      blockedMs: this.#world.blockedMs,
      isAnswered,
      answeredAt: undefined,
    }
    this.#awaited.add(awaited)
    promise.then(
      () => this.#awaited.delete(awaited),
      (error) => {
        this.#violation ??= new Violation(`${what} rejected: ${String(error)}`)
      },
    )
  }

  /** Checks the invariants of every moment. */
  #check(): void {
    if (this.#violation !== undefined) throw this.#violation
    const { clock, service, processes } = this.#world
    for (const process of processes) {
      const { recorded, delivered, pending, dropped, droppedByReason, setAside } = process.stats
      process.noteDropped(dropped, setAside)
      let sum = 0
      for (const count of Object.values(droppedByReason)) sum += count
      if (delivered + pending + dropped !== recorded || sum !== dropped || pending < 0)
        throw new Violation(
          `the account of ${process.number} does not balance: ${JSON.stringify(process.stats)}`,
        )
    }
    for (const awaited of this.#awaited) {
      const { process, what, begin, deadline, blockedMs } = awaited
      if (!process.isAlive) this.#awaited.delete(awaited)
      else if (clock.time > deadline + DRAIN_MS + this.#world.blockedMs - blockedMs)
        throw new Violation(`${what}, asked at ${begin}, is not settled at ${clock.time}`)
      else if (awaited.isAnswered()) {
        awaited.answeredAt ??= clock.time
        if (clock.time > awaited.answeredAt)
          throw new Violation(
            `${what}, asked at ${begin}, was answered by ${awaited.answeredAt}, and is not settled`,
          )
      }
    }
    if (service.faults.length > 0) throw new Violation(service.faults.join('; '))
    for (const process of processes)
      if (
        process.isAlive &&
        process.endingSince !== undefined &&
        ![...this.#awaited].some((awaited) => awaited.process === process) &&
        clock.time - (this.#world.blockedMs - process.blockedBefore) >
          process.endingSince + 2 * EXIT_TIMEOUT_MS + DRAIN_MS
      )
        throw new Violation(
          `the end of ${process.number} took ${clock.time - process.endingSince} ms`,
        )
  }

  /** Makes everything recover, ends every process normally, and delivers the rest by another one. */
  async #heal(): Promise<void> {
    const { clock, disk, weathers, processes } = this.#world
    disk.mode = 'well'
    disk.keepsTails = false
    weathers.push({ from: clock.time, weather: 'well' })
    await this.#advance(clock.time + BYSTANDERS_MS)
    this.#checkBystanders(clock.time)
    for (const process of processes) process.work = 0
    await this.#advance(clock.time + FINAL_MS)
    const alive = processes.filter((process) => process.isAlive)
    if (alive.length > 0) throw new Violation(`the process ${alive[0]?.number} does not end`)
    for (let round = 0; this.#schedule.hasSpool && round < 2; round++) {
      const last = this.#start(0)
      last.run(
        () =>
          void last.tracer.flush({ timeoutMs: 200_000 }).then(() => {
            last.work--
          }),
      )
      await this.#advance(clock.time + FINAL_MS)
      if (last.isAlive) throw new Violation('the last process does not end')
    }
  }

  /** Checks that nothing waits while all is well. */
  #checkCalm(now: number): void {
    const { service } = this.#world
    if (now < this.#actedAt + CALM_MS || service.objections.size > 0) return
    if (this.#world.wasWell(this.#actedAt, now)) this.#checkBystanders(this.#actedAt)
  }

  /** Checks that a step or thread that the service refuses holds up no other, of those recorded up to a time. */
  #checkBystanders(upTo: number): void {
    const { service } = this.#world
    for (const { id, process, isOpen, at } of this.#steps) {
      const { isAlive, dropped } = process
      if (at > upTo) continue
      if (isOpen || !isAlive || this.#closings.has(process) || service.objections.has(id)) continue
      if (service.steps.has(id) || dropped.some((one) => one.id === id)) continue
      throw new Violation(`${id} of ${process.number} waits, though nothing is against it`)
    }
  }

  /** Checks that everything removed from the spool was delivered or accounted for. */
  #checkRemoved(path: string, written: readonly string[]): void {
    const { service } = this.#world
    for (const { sequence, id } of linesOf(written, 'S'))
      if (!this.#isAccountedFor(sessionOf(path), sequence, id))
        this.#violation ??= new Violation(`${id} left the spool undelivered`)
    for (const { id, text } of linesOf(written, 'T')) {
      const { name, tags } = JSON.parse(text) as ThreadRecord
      if (name !== 'refused' && numberOf(tags) > (service.changes.get(id) ?? 0))
        this.#violation ??= new Violation(`a change of ${id} left the spool undelivered`)
    }
  }

  /** Checks that nobody takes the folder of a running process. */
  #checkRenamed(from: string, to: string, by: number): void {
    const owner = this.#world.processes[Number(/~id-(\d+)-/.exec(from)?.[1])]
    // A closed client leaves it to others, as does one whose time to end is over.
    if (!to.includes('~') || !owner?.isAlive || this.#closings.has(owner)) return
    const endingMs = this.#world.clock.time - (owner.endingSince ?? Number.POSITIVE_INFINITY)
    if (owner.number !== by && endingMs < EXIT_TIMEOUT_MS)
      this.#violation ??= new Violation(`${by} took a folder of ${owner.number}, which lives`)
  }

  /** Checks that only the client itself ends its session while its process runs. */
  #checkEnded(sessionId: string): void {
    const process = this.#world.processes.find(({ stats }) => stats.sessionId === sessionId)
    if (process === undefined || !process.isAlive || this.#closings.has(process)) return
    if (process.endingSince === undefined && !process.isListening)
      this.#violation ??= new Violation(`the session of ${process.number} goes on, and is ended`)
  }

  #isAccountedFor(sessionId: string, sequence: number, id: string): boolean {
    const { service, processes } = this.#world
    const session = service.sessions.get(sessionId)
    if (session?.numbers.has(sequence)) return true
    const reason = session?.lost.get(sequence)
    if (reason !== undefined && reason !== 'spool') return true
    return processes.some(({ dropped }) =>
      dropped.some((one) => one.id === id && one.reason !== 'spool'),
    )
  }

  /** Checks that everything written to the spool is delivered or accounted for, whatever happened to its process. */
  #checkSpool(): void {
    for (const { path, text } of this.#world.disk.writtenSteps)
      for (const { sequence, id } of linesOf([text], 'S'))
        if (!this.#isAccountedFor(sessionOf(path), sequence, id)) {
          const objection = this.#world.service.objections.get(id)
          // It is still in there.
          if (objection !== undefined && !isRefusal(objection)) continue
          throw new Violation(`${id} was in the spool, and is not stored`)
        }
  }

  /** Checks the invariants of the end. */
  #checkEnd(): void {
    for (const step of this.#steps) this.#checkStep(step)
    for (const attached of this.#attached) this.#checkAttached(attached)
    this.#checkFiles()
    this.#checkSpool()
    for (const { number, stats, isKilled } of this.#world.processes)
      if (stats.pending > 0 && !isKilled && !this.#schedule.hasSpool)
        throw new Violation(`${number} ended with steps that it still means to deliver`)
    this.#checkThreads()
    this.#checkSessions()
  }

  #checkStep({ id, process, isOpen, threadId }: RecordedStep): void {
    const stored = this.#world.service.steps.get(id)
    if (stored?.isWhole !== true) this.#checkMissing(id, id, process, isOpen)
    else if (threadId !== undefined && stored.threadId !== threadId)
      throw new Violation(`${id} is in the thread ${stored.threadId}, expected ${threadId}`)
  }

  /** Checks that an attachment is at its step, with its content, or was lost with it. */
  #checkAttached({ id, stepId, process, size }: Attached): void {
    const { service } = this.#world
    const key = service.steps.get(stepId)?.attachments.get(id)
    if (key === undefined) {
      const isOpen = this.#steps.some((step) => step.id === stepId && step.isOpen)
      this.#checkMissing(`the attachment ${id}`, stepId, process, isOpen)
    } else if (service.files.get(key) !== size)
      throw new Violation(`the attachment ${id} has ${service.files.get(key)} bytes of ${size}`)
  }

  /** Checks that no attachment is without content. */
  #checkFiles(): void {
    const { service } = this.#world
    for (const [stepId, { attachments }] of service.steps)
      for (const [id, key] of attachments)
        if (!service.files.has(key))
          throw new Violation(`the attachment ${id} of ${stepId} has no content`)
  }

  /** Checks that everything missing from the service is accounted for. */
  #checkMissing(what: string, id: string, process: SimulatedProcess, isOpen: boolean): void {
    const { service, disk } = this.#world
    const objection = service.objections.get(id)
    const { hasSpool, limits } = this.#schedule
    const dropped = process.dropped.find((one) => one.id === id)
    if (objection !== undefined && isRefusal(objection)) return
    if (objection !== undefined && dropped === undefined) return
    // The last of many failures may have been of another kind.
    if (objection !== undefined && this.#world.weathers.length > 1) return
    const excuse = (reason: string | undefined) => {
      switch (reason) {
        case 'closed':
          return this.#closings.has(process) || this.#hadTroubleAtEnd(process)
        case 'memory':
          return limits.maxBufferBytes !== undefined && !hasSpool
        case 'deadline':
          return (!hasSpool || disk.hasFailed) && this.#hadTroubleAtEnd(process)
        case 'spool':
          return disk.hasFailed
        case undefined:
          // A closed client does nothing at the end of its process.
          if (isOpen && this.#closings.has(process)) return true
          // The process could not account for it, or record it, any more.
          return process.isKilled && (!hasSpool || isOpen || disk.hasFailed)
        default:
          return false
      }
    }
    // Steps that were only in memory, as the disk was full, were lost with their process.
    if (hasSpool && disk.hasFailed && dropped === undefined && process.isKilled) return
    const reasons = dropped === undefined ? process.reasonsOfUnnamed(id) : []
    if (![dropped?.reason, ...reasons].some(excuse))
      throw new Violation(
        `${what} of ${process.number} is not stored: ${JSON.stringify(dropped ?? 'without a reason')}`,
      )
  }

  /** Returns true when the service could not take everything in the time that a process had for its end. */
  #hadTroubleAtEnd(process: SimulatedProcess, withObjections = true): boolean {
    const { service } = this.#world
    const closing = this.#closings.get(process)
    if (closing !== undefined)
      return (
        closing.to - closing.from < EXIT_TIMEOUT_MS ||
        !this.#world.wasWell(closing.from - 6000, closing.to) ||
        (withObjections && service.objections.size > 0)
      )
    const { endingSince = 0 } = process
    if (!this.#world.wasWell(endingSince - 6000, endingSince + EXIT_TIMEOUT_MS)) return true
    return withObjections && service.objections.size > 0
  }

  /** Checks that every thread is as if its changes had come one after the other. */
  #checkThreads(): void {
    const { service, disk } = this.#world
    if (disk.hasFailed) return
    const expected = new Map<string, StoredThread>()
    const unsure = new Set<string>()
    /** A later change may make a refused one acceptable if the two were merged: both results are valid. */
    const refusedFields = new Map<string, ThreadFields[]>()
    for (const { process, change } of this.#changes) {
      const refused = change.name === 'refused'
      if (refused) refusedFields.set(change.id, [...(refusedFields.get(change.id) ?? []), change])
      const isLossy =
        !this.#schedule.hasSpool && (process.isKilled || process.stats.droppedThreadChanges > 0)
      if (isLossy || this.#closings.has(process)) unsure.add(change.id)
      if (!refused) expected.set(change.id, applyChange(expected.get(change.id), change as never))
    }
    for (const [id, thread] of expected) {
      if (unsure.has(id)) continue
      const stored = service.threads.get(id)
      const refused = refusedFields.get(id) ?? []
      const text = (of: StoredThread | undefined) => JSON.stringify(comparable(of, refused))
      if (text(stored) !== text(thread))
        throw new Violation(
          `the thread ${id} is ${JSON.stringify(stored)}, expected ${JSON.stringify(thread)}`,
        )
    }
  }

  /** Checks that the service knows the end of every session, and the result of every step in it. */
  #checkSessions(): void {
    const { service, processes, disk } = this.#world
    for (const process of processes) {
      const { recorded, adopted, sessionId, dropped, droppedByReason } = process.stats
      const own = recorded - adopted
      if (own === 0 || disk.hasFailed || !this.#isTold(process)) continue
      const session = service.sessions.get(sessionId)
      if (session?.endedAt === undefined) {
        if (this.#mayEndUntold(process)) continue
        throw new Violation(`the service does not know that the session of ${process.number} ended`)
      }
      const { closed = 0, deadline = 0 } = droppedByReason
      // Nothing is sent after the deadline.
      const untold = deadline > 0 ? dropped : closed
      const unknown: number[] = []
      for (let number = 1; number <= own; number++)
        if (!session.numbers.has(number) && !session.lost.has(number)) unknown.push(number)
      if (unknown.length > untold)
        throw new Violation(
          `the service knows nothing of the steps ${unknown.join()} of ${process.number}`,
        )
    }
  }

  /** Returns true when there was a process and time to report all of a session to the service. */
  #isTold(process: SimulatedProcess): boolean {
    const { service } = this.#world
    // Unanswered records stay in the spool for ever.
    if (this.#schedule.hasSpool)
      return ![...service.objections.values()].some((objection) => !isRefusal(objection))
    return !process.isKilled && !this.#hadTroubleAtEnd(process, false)
  }

  #mayEndUntold(process: SimulatedProcess): boolean {
    // Records after the end of a client are only in its account.
    if (this.#schedule.hasSpool) return process.stats.droppedByReason.closed !== undefined
    // Reporting the end alone is not worth delaying an exit that has nothing else to deliver.
    return (
      process.stats.dropped > 0 || this.#isExited(process) || this.#hadTroubleAtEnd(process, true)
    )
  }

  #isExited({ exitCode }: SimulatedProcess): boolean {
    return exitCode !== undefined && exitCode > 0
  }
}

const sessionOf = (path: string): string => /([^/~]+)~[^/]+\/[^/]+$/.exec(path)?.[1] ?? ''

/** Yields the lines of the spool that hold a step or a change of a thread. */
function* linesOf(
  written: readonly string[],
  kind: 'S' | 'T',
): Generator<{ sequence: number; id: string; text: string }> {
  for (const text of written)
    for (const line of text.split('\n'))
      if (line.startsWith(kind)) {
        const [, number = '', json = ''] = /^. (\d+) (.*)$/s.exec(line) ?? []
        const { id } = JSON.parse(json) as { id: string }
        yield { sequence: Number(number), id, text: json }
      }
}

/** Returns true when a client may give up a record because of this reaction. */
const isRefusal = (objection: Objection): boolean =>
  objection.kind === 'refused' ||
  (objection.kind === 'status' && ![408, 425, 429, 503].includes(objection.status))

/** Returns a thread without the fields that some changes name, and with its metadata sorted. */
const comparable = (thread: StoredThread | undefined, without: readonly ThreadFields[]) => {
  if (thread === undefined) return undefined
  const fields = new Set(without.flatMap((change) => Object.keys(change)))
  const keys = new Set(without.flatMap(({ metadata }) => Object.keys(metadata ?? {})))
  const isCleared = without.some(({ metadata }) => metadata === null)
  const metadata =
    thread.metadata &&
    Object.entries(thread.metadata)
      .filter(([key]) => !keys.has(key))
      .sort()
  return Object.entries({ ...thread, metadata: isCleared ? undefined : metadata }).filter(
    ([field]) => field === 'metadata' || !fields.has(field),
  )
}
