import { reasonOf } from '../../values/capture.js'
import type { DropReason } from '../account.js'
import { type Batch, type Item, newBatch, type Session, type ThreadItem } from '../batch.js'
import type { Host } from '../host.js'
import { withChange } from '../thread-changes.js'
import type { Disk } from './disk.js'
import { type SessionFile, settledLines, settledThreadLine } from './format.js'
import { type LeftBehind, type LeftStep, readLeftBehind } from './left-behind.js'
import { Notes } from './notes.js'
import type { Owner } from './owner.js'

/** A folder that is younger than this may still be in the making. */
const NEW_MS = 60_000
const BATCH_STEPS = 500
const BATCH_BYTES = 2_000_000

/** A session of an earlier process, and what of it is not settled. */
interface Adopted {
  folder: string
  settled: Notes | undefined
  steps: Set<number>
  /** Marks of changes that are not settled. */
  threads: Set<number>
  isEndTold: boolean
}

/** What processes that are gone have left in a spool's folder, and what of it this process has taken over. */
export class Leftovers {
  readonly #disk: Disk
  readonly #owner: string
  readonly #fingerprint: string
  readonly #folder: string
  readonly #host: Host
  readonly #report: (message: string) => void
  /** Sessions taken over, until all of them is settled. */
  readonly #adopted = new Map<string, Adopted>()
  /** Folders whose fault was reported. */
  readonly #reported = new Set<string>()
  #isReleased = false

  constructor(
    disk: Disk,
    owner: string,
    fingerprint: string,
    options: { folder: string; host: Host; report: (message: string) => void },
  ) {
    this.#disk = disk
    this.#owner = owner
    this.#fingerprint = fingerprint
    this.#folder = options.folder
    this.#host = options.host
    this.#report = options.report
  }

  get folders(): string[] {
    return [...this.#adopted.values()].map(({ folder }) => folder)
  }

  /** Takes over what processes that are gone have left, and hands it on as batches, session by session. Never rejects. */
  async adopt(take: (batches: readonly Batch[]) => void): Promise<void> {
    let foreign = 0
    const left: { name: string; session: Session }[] = []
    for (const name of this.#names())
      await this.#trying(name, () => {
        const [id = '', owner = ''] = name.split('~')
        if (owner === this.#owner || this.#adopted.has(id) || this.#isOwned(name, owner)) return
        const told = this.#told(name)
        if (told === undefined) this.#setAside(name)
        else if (told.fingerprint !== this.#fingerprint) foreign++
        else left.push({ name, session: told.session })
      })
    // The oldest first: what a later one says of the same thread holds.
    left.sort((one, other) => (one.session.startedAt < other.session.startedAt ? -1 : 1))
    for (const { name, session } of left) {
      await this.#trying(name, () => this.#takeOver(name, session, take))
      if (this.#isReleased) return
    }
    if (foreign > 0)
      this.#say(
        '',
        `the spool ${this.#folder} also holds ${foreign} sessions that were recorded with another API key; \`stepwell spool send\` with that key delivers them`,
      )
  }

  settle(sessionId: string, sequences: readonly number[], how: 'delivered' | DropReason): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted === undefined) return
    for (const sequence of sequences) adopted.steps.delete(sequence)
    this.#note(adopted, settledLines(sequences, how))
    this.#removeIfDone(sessionId, adopted)
  }

  settleThread(sessionId: string, id: string, mark: number): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted === undefined) return
    adopted.threads.delete(mark)
    this.#note(adopted, settledThreadLine(id, mark))
    this.#removeIfDone(sessionId, adopted)
  }

  settleEnd(sessionId: string): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted === undefined) return
    adopted.isEndTold = true
    this.#removeIfDone(sessionId, adopted)
  }

  keepEnd(sessionId: string): void {
    const adopted = this.#adopted.get(sessionId)
    if (adopted !== undefined) adopted.isEndTold = false
  }

  /** Takes over nothing any more. Returns the folders that are left to the next process. */
  release(): string[] {
    this.#isReleased = true
    for (const { settled } of this.#adopted.values()) settled?.close()
    return this.folders
  }

  /** Does something with a folder, which another process may take or remove at any time. */
  async #trying(name: string, work: () => Promise<void> | void): Promise<void> {
    try {
      await work()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      this.#say(name, `the spool's folder ${name} can't be read: ${reasonOf(error)}`)
    }
  }

  #say(about: string, message: string): void {
    if (this.#reported.has(about)) return
    this.#reported.add(about)
    this.#report(message)
  }

  #names(): string[] {
    try {
      const { fs } = this.#disk
      return fs
        .readdirSync(this.#folder)
        .filter((name) => /^[^~]+~[^~]+$/.test(name))
        .sort()
    } catch {
      return []
    }
  }

  #isOwned(name: string, owner: string): boolean {
    const { fs, isAlive } = this.#disk
    const folder = `${this.#folder}/${name}`
    let file: string
    try {
      file = fs.readFileSync(`${folder}/${owner}.owner`, 'utf8')
    } catch {
      return false
    }
    const touchedAt = Math.max(
      ...fs.readdirSync(folder).map((entry) => fs.statSync(`${folder}/${entry}`).mtimeMs),
    )
    try {
      return isAlive(JSON.parse(file) as Owner, touchedAt)
    } catch {
      return false
    }
  }

  /** What a session says of itself; undefined when that can't be read. */
  #told(name: string): SessionFile | undefined {
    const { fs } = this.#disk
    const folder = `${this.#folder}/${name}`
    if (!fs.readdirSync(folder).includes('session.json')) return undefined
    const text = fs.readFileSync(`${folder}/session.json`, 'utf8')
    try {
      const told = JSON.parse(text) as Partial<SessionFile> | null
      const isWhole = typeof told?.session?.id === 'string' && typeof told.fingerprint === 'string'
      return isWhole ? (told as SessionFile) : undefined
    } catch {
      return undefined
    }
  }

  /** A folder that does not say whose it is can't be delivered. One without steps is removed, another renamed. */
  #setAside(name: string): void {
    const { fs } = this.#disk
    const folder = `${this.#folder}/${name}`
    const isNew = this.#host.now() - fs.statSync(folder).mtimeMs < NEW_MS
    const hasSteps = fs.readdirSync(folder).some((entry) => entry.endsWith('.steps'))
    // Its process may be about to say so.
    if (isNew) return
    if (!hasSteps) {
      fs.rmSync(folder, { recursive: true, force: true })
      return
    }
    const aside = `${name.replace('~', '-')}.broken`
    fs.renameSync(folder, `${this.#folder}/${aside}`)
    this.#say(
      name,
      `the spool's folder ${name} does not say whose steps it holds; it was renamed to ${aside} and is not delivered`,
    )
  }

  async #takeOver(
    name: string,
    session: Session,
    take: (batches: readonly Batch[]) => void,
  ): Promise<void> {
    const { fs, ownOwner } = this.#disk
    const id = name.slice(0, name.indexOf('~'))
    const folder = `${this.#folder}/${id}~${this.#owner}`
    fs.writeFileSync(`${this.#folder}/${name}/${this.#owner}.owner`, JSON.stringify(ownOwner()), {
      mode: 0o600,
    })
    fs.renameSync(`${this.#folder}/${name}`, folder)
    const adopted: Adopted = {
      folder,
      settled: undefined,
      steps: new Set(),
      threads: new Set(),
      isEndTold: false,
    }
    this.#adopted.set(id, adopted)
    const pause = () => new Promise<void>((resolve) => this.#host.nextTurn(resolve))
    const left = await readLeftBehind(fs, folder, session, pause)
    if (this.#isReleased) return
    for (const { sequence } of left.steps) adopted.steps.add(sequence)
    for (const { mark } of left.threads) adopted.threads.add(mark)
    take(batchesOf(left))
  }

  #note(adopted: Adopted, lines: string): void {
    try {
      adopted.settled ??= new Notes(this.#disk.fs, `${adopted.folder}/settled.log`)
      adopted.settled.add(lines)
    } catch {
      // They are sent again at worst.
    }
  }

  #removeIfDone(sessionId: string, { folder, settled, steps, threads, isEndTold }: Adopted): void {
    if (steps.size + threads.size > 0 || !isEndTold) return
    this.#adopted.delete(sessionId)
    try {
      settled?.close()
      this.#disk.fs.rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      this.#say(folder, `the spool's folder ${folder} can't be removed: ${reasonOf(error)}`)
    }
  }
}

/** Batches to send, the last one of a session without steps. */
const batchesOf = ({ session, steps, threads, lost }: LeftBehind): Batch[] => {
  const batches: Batch[] = []
  let batch: Batch | undefined
  let bytes = 0
  for (const step of steps) {
    if (
      batch === undefined ||
      batch.items.length >= BATCH_STEPS ||
      bytes + step.size > BATCH_BYTES
    ) {
      batch = newBatch(session)
      batches.push(batch)
      bytes = 0
    }
    bytes += step.size
    batch.items.push(adoptedItem(session, step))
  }
  const changed = new Map<string, ThreadItem[]>()
  for (const { record, mark } of threads)
    changed.set(
      record.id,
      withChange(changed.get(record.id) ?? [], { record, mark, order: 0, size: 0 }),
    )
  // Two items of one thread go one after the other, in batches of their own.
  const rounds: ThreadItem[][] = []
  for (const items of changed.values())
    for (const [round, item] of items.entries())
      if (rounds[round] === undefined) rounds.push([item])
      else rounds[round].push(item)
  const losses = lost.map((loss) => ({ ...loss, reason: loss.reason as DropReason }))
  const last = rounds.pop() ?? []
  for (const items of rounds) batches.push(newBatch(session, { threads: items }))
  batches.push(newBatch(session, { threads: last, losses, isEnd: true }))
  return batches
}

const adoptedItem = (session: Session, { sequence, id, threadId, size, read }: LeftStep): Item => ({
  session,
  sequence,
  order: 0,
  id,
  threadId,
  size,
  held: 0,
  record: undefined,
  text: undefined,
  line: { read },
  isShrunk: false,
})
