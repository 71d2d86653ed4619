import { join, resolve, sep } from 'node:path'
import { type Database, migrated, openEngine } from '../../database/database.js'
import { withoutTimeLimit } from '../../database/task.js'
import type { MoveEnd } from '../../domain/moving/begin-move.js'
import { Move } from '../../domain/moving/move.js'
import { abandonMove } from '../../domain/moving/unmoved.js'
import type { BucketLocation } from '../../files/bucket-location.js'
import { readBucketLocation } from '../../files/bucket-location.js'
import type { FileStore } from '../../files/store.js'
import { shownDatabase } from '../../kernel/database-url.js'
import { conflict, DomainError, invalid } from '../../kernel/errors.js'
import { findFirstProject } from '../../storage/projects.js'
import { type DataLocation, type OpenedData, openData } from './open-data.js'
import { storeOf } from './options.js'

/** Where a move leads to, as the operator writes it. */
export interface MoveRequest {
  /** The place that the operator believes to move from; undefined for wherever the service has its data. */
  from?: string | undefined
  toDatabase?: string | undefined
  toData?: string | undefined
  toFiles?: string | undefined
}

/** The place of a database, without secrets. */
export const placeOf = ({ databaseUrl, dataFolder }: Omit<DataLocation, 'bucket'>): string => {
  if (databaseUrl === undefined) return resolve(dataFolder)
  const { host, name } = shownDatabase(databaseUrl)
  return `${host}/${name}`
}

const IDLE_MS = 60_000
/** Time after which a command that sent no further turn has ended. */
const ENDED_MS = 10_000

/** The process that serves the data. */
interface Process {
  /** Uses another location from now on. */
  serve: (to: DataLocation) => Promise<void>
  /** Works while requests wait that may write. */
  hold: <Result>(work: () => Promise<Result>) => Promise<Result>
}

interface Opened {
  name: string
  place: string
  target: OpenedData
  /** Undefined when the move was complete, but for its last note. */
  move: Move | undefined
}

/** Moves the data of one database, in turns: the command that sends a turn may end at any time. */
export class Mover {
  readonly #source: MoveEnd
  readonly #from: DataLocation
  readonly #process: Process
  #turn: Promise<unknown> = Promise.resolve()
  #opened: Opened | undefined
  #idle: NodeJS.Timeout | undefined
  /** The end of the last turn. */
  #turnedAt = 0

  constructor(db: Database, store: FileStore, from: DataLocation, process: Process) {
    this.#source = { db, store, place: placeOf(from) }
    this.#from = from
    this.#process = process
  }

  /** Works for some time, and switches when all is ready. Returns what to tell the operator. */
  continue(request: MoveRequest, budgetMs: number): Promise<Record<string, string>> {
    return this.#inTurn(() => this.#continue(request, budgetMs))
  }

  /** Looks at both ends, and changes nothing. */
  look(request: MoveRequest): Promise<Record<string, string>> {
    return this.#inTurn(async () => {
      const to = this.#locate(request)
      await demandUsable(to)
      return {
        phase: 'looked',
        from: this.#source.place,
        to: placeOf(to),
        files: this.#keepsFiles(to) ? 'stay' : 'are copied',
      }
    })
  }

  /** Forgets a move that was begun. */
  abandon(): Promise<Record<string, string>> {
    return this.#inTurn(async () => {
      await this.#leave()
      return { phase: (await abandonMove(this.#source.db)) ? 'abandoned' : 'none' }
    })
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#leave())
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(() => withoutTimeLimit(work))
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #continue(request: MoveRequest, budgetMs: number): Promise<Record<string, string>> {
    const to = this.#locate(request)
    const name = nameOf(to)
    // The two would begin anew at each other's turns, and never end.
    const isRecent = performance.now() - this.#turnedAt < ENDED_MS
    if (this.#opened !== undefined && this.#opened.name !== name && isRecent)
      throw conflict(
        `a move to ${this.#opened.place} is under way; wait for its end, or run stepwell move --abandon before this one`,
      )
    try {
      const { move, target } = await this.#open(to, name)
      if (move === undefined) {
        await this.#leave()
        await this.#process.serve(to)
        return { phase: 'moved', to: placeOf(to), rows: '', hash: '', switchMs: '' }
      }
      await target.upkeep?.work()
      const progress = await move.work(budgetMs)
      if (progress.phase === 'ready') {
        const moved = await this.#process.hold(() =>
          move.switch(async () => {
            await this.#leave()
            await this.#process.serve(to)
          }),
        )
        if (moved !== undefined)
          return {
            phase: 'moved',
            to: placeOf(to),
            rows: String(moved.rows),
            hash: moved.hash,
            switchMs: String(Math.round(moved.switchMs)),
          }
      }
      this.#idle?.refresh()
      this.#turnedAt = performance.now()
      return {
        phase: progress.phase,
        rows: String(progress.rows),
        waiting: String(progress.waiting),
      }
    } catch (error) {
      // The next turn opens both ends again, and goes on from what they have noted.
      await this.#leave()
      throw between(this.#source.place, placeOf(to), error)
    }
  }

  async #open(to: DataLocation, name: string): Promise<Opened> {
    if (this.#opened?.name === name) return this.#opened
    await this.#leave()
    const store = this.#keepsFiles(to) ? this.#source.store : storeOf(to.bucket, to.dataFolder)
    const target = await readable(openData(to))
    try {
      const move = await Move.open(this.#source, { db: target.db, store, place: placeOf(to) })
      this.#opened = { name, place: placeOf(to), target, move }
    } catch (error) {
      await target.close()
      throw error
    }
    this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref()
    return this.#opened
  }

  async #leave(): Promise<void> {
    clearTimeout(this.#idle)
    const opened = this.#opened
    this.#opened = undefined
    await opened?.target.close()
  }

  #locate({ from, toDatabase, toData, toFiles }: MoveRequest): DataLocation {
    if (from !== undefined && from !== this.#source.place)
      throw invalid(
        `--database: the running service has its data in ${this.#source.place}, not in ${from}; leave the option out, or stop the service`,
      )
    if (toDatabase === undefined && toData === undefined)
      throw invalid('move: expected --to-database or --to-data, got neither')
    const to = {
      databaseUrl: toDatabase,
      dataFolder: toData === undefined ? this.#from.dataFolder : resolve(toData),
      bucket: toFiles === undefined ? this.#from.bucket : bucketOf(toFiles),
    }
    if (placeOf(to) === this.#source.place)
      throw invalid(`move: expected another database than that of the service, got the same`)
    if (isWithin(to.dataFolder, this.#from.dataFolder))
      throw invalid(
        `--to-data: expected a folder outside of ${resolve(this.#from.dataFolder)}, which is deleted after a move, got ${to.dataFolder}`,
      )
    return to
  }

  #keepsFiles({ bucket, dataFolder }: DataLocation): boolean {
    const { bucket: own, dataFolder: folder } = this.#from
    return bucket === undefined || own === undefined
      ? bucket === own && resolve(folder) === resolve(dataFolder)
      : bucket.baseUrl === own.baseUrl &&
          bucket.bucket === own.bucket &&
          bucket.prefix === own.prefix
  }
}

const isWithin = (folder: string, outer: string): boolean =>
  folder.startsWith(join(resolve(outer), sep))

const nameOf = (to: DataLocation): string =>
  JSON.stringify([placeOf(to), to.dataFolder, to.bucket?.bucket])

const bucketOf = (text: string): BucketLocation => {
  try {
    return readBucketLocation(text, process.env)
  } catch (error) {
    throw invalid(`--to-files: ${(error as Error).message}`)
  }
}

/** Names both databases of a move that found one of them full, or away: the words of the error know of one only. */
const between = (from: string, to: string, error: unknown): unknown =>
  error instanceof DomainError && error.code === 'UNAVAILABLE'
    ? new DomainError(error.code, `the move from ${from} to ${to} stopped: ${error.message}`, error)
    : error

/** Tells the operator why what is moved to can't be opened: nothing is in it yet that an error could have. */
const readable = <Opened>(opening: Promise<Opened>): Promise<Opened> =>
  opening.catch((error) => {
    throw conflict(`move: ${(error as Error).message}`, error)
  })

/** Rejects a server's database that is away, or has projects. A folder is looked at when it is opened. */
const demandUsable = async (to: DataLocation): Promise<void> => {
  if (to.databaseUrl === undefined) return
  const engine = await readable(openEngine({ url: to.databaseUrl, startingMs: 0 }))
  const db = engine.connect(IDLE_MS)
  try {
    if ((await migrated(db)).length > 0 && (await findFirstProject(db)) !== undefined)
      throw invalid(
        `move: expected a database without data, and ${placeOf(to)} has projects; name a new one`,
      )
  } finally {
    await db.destroy()
    await engine.close()
  }
}
