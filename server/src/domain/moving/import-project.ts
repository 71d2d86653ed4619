import { createHash } from 'node:crypto'
import type { AuditAction } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { inSequence } from '../../database/distribution/cluster.js'
import { refreshStatistics } from '../../database/statistics.js'
import { decodeText } from '../../database/text.js'
import { alone } from '../../database/transactions/locks.js'
import { invalid, show } from '../../kernel/errors.js'
import { type PlacedEntry, TarFile } from '../../kernel/tar/file-reader.js'
import { noteChanges } from '../../storage/contents/changes.js'
import { MOVED, type MovedTable } from '../../storage/moving/plan.js'
import { completeImport, findImport, insertImport, moveImport } from '../../storage/moving/state.js'
import { insertLines } from '../../storage/moving/write.js'
import { findProject, forgetDeletion } from '../../storage/projects.js'
import { note, OPERATOR } from '../audit/entry.js'
import { NAMES_OF_PROJECTS } from '../projects.js'
import { contentsIn, entryAt, openHeader, readPart } from './archive.js'
import { checked } from './contents.js'
import { type Header, MANIFEST } from './format.js'
import type { MovedStore } from './moved-files.js'

/** An import, the same each time it goes on. */
export interface ImportRequest {
  file: string
  /** The hash of the archive, from verifying it. */
  hash: string
  /** The name of the project there. Default: its name in the archive. */
  name?: string | undefined
  /** True for a copy under a new id. */
  isCopy: boolean
}

export interface ImportProgress {
  projectId: string
  name: string
  /** The place up to which the archive is stored, and its size. */
  bytes: number
  of: number
  isComplete: boolean
  /** True when an earlier import had stored all of it. */
  isRepeated: boolean
}

/** Derives the id of a copy from what is copied and its name, so that a repeated import is the same. */
const idOfCopy = (hash: string, name: string): string => {
  const hex = createHash('sha256')
    .update(JSON.stringify(['copy', hash, name]))
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/**
 * Stores an archive as a project, for some time. Each part is a transaction that also moves the place in the archive, so
 * that the next call goes on behind it, whatever ended this one.
 *
 * @throws DomainError `INVALID_ARGUMENT` when another project has the id or the name, and for a name of spaces only.
 */
export const continueImport = async (
  db: Database,
  store: MovedStore,
  { file, hash, name: wanted, isCopy }: ImportRequest,
  budgetMs: number,
): Promise<ImportProgress> => {
  const deadline = performance.now() + budgetMs
  const tar = await TarFile.open(file)
  try {
    const { header, nextAt } = await openHeader(tar)
    const name = wanted?.trim() ?? header.project.name
    if (wanted !== undefined && name === '')
      throw invalid('--project: expected a name, got only spaces')
    const id = isCopy ? idOfCopy(hash, name) : header.project.id
    const state = await findImport(db, id)
    if (state !== undefined && state.importedArchive !== hash) throw taken(id, state.name)
    const progress = {
      projectId: id,
      name: state?.name ?? name,
      bytes: state?.importedBytes ?? 0,
      of: tar.sizeBytes,
      isComplete: state?.isImportComplete ?? false,
      isRepeated: state?.isImportComplete ?? false,
    }
    if (progress.isComplete) return progress
    const work = new ImportWork(db, store, tar, { header, id, hash, name: progress.name })
    if (state === undefined) progress.bytes = await work.begin(nextAt)
    while (!progress.isComplete) {
      const next = await work.next(progress.bytes)
      progress.bytes = next.place
      progress.isComplete = next.isLast
      if (performance.now() > deadline) break
    }
    if (progress.isComplete) await refreshStatistics(db)
    return progress
  } finally {
    await tar.close()
  }
}

const taken = (id: string, name: string) =>
  invalid(
    `FILE: there is a project with the id ${show(id)} already, called ${show(name)}, and an import writes into no other project; --copy imports it beside, under a new id and a name of --project`,
  )

class ImportWork {
  readonly #db: Database
  readonly #store: MovedStore
  readonly #tar: TarFile
  readonly #header: Header
  readonly #id: string
  readonly #hash: string
  readonly #name: string

  constructor(
    db: Database,
    store: MovedStore,
    tar: TarFile,
    { header, id, hash, name }: { header: Header; id: string; hash: string; name: string },
  ) {
    this.#db = db
    this.#store = store
    this.#tar = tar
    this.#header = header
    this.#id = id
    this.#hash = hash
    this.#name = name
  }

  /** Creates the project. Returns the place of the next part. */
  async begin(place: number): Promise<number> {
    const name = this.#name
    const entry = await entryAt(this.#tar, place)
    const { lines } = await readPart(this.#tar, entry)
    await alone(this.#db, NAMES_OF_PROJECTS, async (transaction) => {
      // Late data of a deletion would stand in the way, and the import would be taken for such.
      const late = await forgetDeletion(transaction, this.#id)
      for (const { objectKey } of late) await this.#store.remove(this.#id, objectKey)
      const [other] = await findProject(transaction, name)
      if (other !== undefined)
        throw invalid(
          `FILE: a project is called ${show(name)} already; --project gives the imported one another name`,
        )
      const project = { id: this.#id, name, archive: this.#hash, bytes: entry.nextAt }
      await insertImport(transaction, project, lines[0] ?? '{}')
      await this.#note(transaction, 'IMPORT_PROJECT')
    })
    return entry.nextAt
  }

  /** Stores the part at a place. Returns the next place, and if nothing is left there. */
  async next(place: number): Promise<{ place: number; isLast: boolean }> {
    const entry = await entryAt(this.#tar, place)
    if (entry.name === MANIFEST) {
      await this.#commit(place, entry.nextAt, async (transaction) => {
        await completeImport(transaction, this.#id)
        await this.#note(transaction, 'COMPLETE_IMPORT')
      })
      return { place: entry.nextAt, isLast: true }
    }
    const { table: name, lines } = await readPart(this.#tar, entry)
    const table = MOVED.find((one) => one.name === name) as MovedTable
    const to = name === 'files' ? await this.#storeContents(entry, lines) : entry.nextAt
    const given = new Set(this.#header.tables[name])
    await this.#commit(place, to, async (transaction) => {
      await insertLines(transaction, this.#id, table, given, lines)
      if (name === 'steps') await noteChanges(transaction, this.#stepsIn(lines))
    })
    return { place: to, isLast: false }
  }

  /** Stores the contents behind a part before the lines that name them. Returns the place behind them. */
  async #storeContents(part: PlacedEntry, lines: readonly string[]): Promise<number> {
    let place = part.nextAt
    for (const { object_key, content } of contentsIn(lines)) {
      const entry = await entryAt(this.#tar, place)
      const check = checked(content.sha256)
      const source = this.#tar.stream(entry)
      source.on('error', (error) => check.destroy(error))
      await this.#store.put(this.#id, decodeText(object_key), source.pipe(check), entry.sizeBytes)
      place = entry.nextAt
    }
    return place
  }

  async #commit(
    from: number,
    to: number,
    work: (transaction: Database) => Promise<void>,
  ): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      await inSequence(transaction)
      const isMine = await moveImport(transaction, this.#id, { archive: this.#hash, from, to })
      if (!isMine)
        throw invalid('FILE: another process imports it, or the project was deleted meanwhile')
      await work(transaction)
    })
  }

  #note(transaction: Database, action: AuditAction): Promise<void> {
    return note(transaction, this.#id, OPERATOR, {
      action,
      on: 'PROJECT',
      id: this.#id,
      name: this.#name,
      details: { archive: this.#hash },
    })
  }

  #stepsIn(lines: readonly string[]) {
    return lines.map((line) => {
      const { id } = JSON.parse(line) as { id: string }
      return { projectId: this.#id, id: decodeText(id) }
    })
  }
}
