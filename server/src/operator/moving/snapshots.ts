import { randomUUID } from 'node:crypto'
import { copyFile, link, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Database } from '../../database/database.js'
import { copyDatabase } from '../../database/engine/snapshot.js'
import { DomainError } from '../../kernel/errors.js'
import { makeFolder } from '../../kernel/folders.js'

const FOLDER = 'snapshots'
/** A copy that nobody fetched or removed for so long belongs to a command that was killed. */
const STALE_MS = 24 * 3_600_000
/** Errors of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'])
/** Unfinished uploads. */
const INCOMING = 'incoming'

/** Makes copies of a data folder whose embedded database is running, for commands that read all of it. */
export class Snapshots {
  readonly #db: Database
  readonly #dataFolder: string
  readonly #holdCheckpoints: () => Promise<() => void>
  #turn: Promise<unknown> = Promise.resolve()

  constructor(db: Database, dataFolder: string, holdCheckpoints: () => Promise<() => void>) {
    this.#db = db
    this.#dataFolder = dataFolder
    this.#holdCheckpoints = holdCheckpoints
  }

  /**
   * Creates a copy, one at a time. Returns its folder, which the caller removes. A copy that nobody awaits any more is ended, and
   * removed here: nobody else knows of it.
   */
  create(isAwaited: () => boolean): Promise<string> {
    const made = this.#turn.then(() => this.#create(isAwaited))
    this.#turn = made.catch(() => undefined)
    return made
  }

  async #create(isAwaited: () => boolean): Promise<string> {
    const demandAwaited = () => {
      if (!isAwaited()) throw new DomainError('UNAVAILABLE', 'the command for this copy has ended')
    }
    demandAwaited()
    const folder = join(this.#dataFolder, FOLDER, randomUUID())
    await removeStale(dirname(folder))
    await makeFolder(folder)
    const release = await this.#holdCheckpoints()
    try {
      const files = join(this.#dataFolder, 'files')
      // Before the database, as files may be deleted meanwhile; and after it, as others come. A file never changes.
      await linkFolder(files, join(folder, 'files'))
      const database = join(this.#dataFolder, 'database')
      await copyDatabase(this.#db, database, join(folder, 'database'), demandAwaited)
      await linkFolder(files, join(folder, 'files'))
      const key = 'api-key'
      await copyFile(join(this.#dataFolder, key), join(folder, key)).catch(ignoreMissing)
      demandAwaited()
      return folder
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    } finally {
      release()
    }
  }
}

const removeStale = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS)
      await rm(path, { recursive: true, force: true })
  }
}

const linkFolder = async (from: string, to: string): Promise<void> => {
  await makeFolder(to)
  const entries = await readdir(from, { withFileTypes: true }).catch((error) => {
    ignoreMissing(error)
    return []
  })
  for (const entry of entries) {
    if (entry.name === INCOMING) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await linkFolder(source, target)
    else await linkFile(source, target)
  }
}

const linkFile = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (NO_LINKS.has(code)) await copyFile(from, to).catch(ignoreMissing)
    else ignoreMissing(error)
  }
}

const ignoreMissing = (error: unknown): void => {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
