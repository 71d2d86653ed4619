import { decodeText } from '../../database/text.js'
import { conflict, show } from '../../kernel/errors.js'
import type { Key, WholeRow } from '../../storage/moving/rows.js'
import { type ContentStore, checked, measure } from './contents.js'

/** The contents of files, on one side of a move. */
export interface MovedStore extends ContentStore {
  /** Removes a file; succeeds when there is none. */
  remove(projectId: string, objectKey: string): Promise<void>
}

/** Copies the contents of files to where a move leads, by their rows. */
export class MovedFiles {
  readonly #from: MovedStore
  readonly #to: MovedStore
  /** Rows whose contents are nowhere: uploads that never came, or come later. */
  #missing: WholeRow[] = []

  constructor(from: MovedStore, to: MovedStore) {
    this.#from = from
    this.#to = to
  }

  /** Copies contents. Returns the rows of those that are nowhere. */
  async copy(rows: readonly WholeRow[]): Promise<WholeRow[]> {
    const missing: WholeRow[] = []
    for (const row of rows) {
      const [projectId, objectKey] = fileOf(row)
      const content = await this.#from.open(projectId, objectKey)
      if (content === undefined) {
        missing.push(row)
        continue
      }
      const { hash, bytes } = await measure(content)
      const again = await this.#from.open(projectId, objectKey)
      if (again === undefined) continue
      const check = checked(hash)
      again.on('error', (error) => check.destroy(error))
      await this.#to.put(projectId, objectKey, again.pipe(check), bytes)
      await this.#demand(projectId, objectKey, hash)
    }
    return missing
  }

  /** Removes the contents of files whose rows are gone: nothing would lead to a copy that was made before. */
  async remove(keys: Iterable<Key>): Promise<void> {
    for (const key of keys) {
      const [projectId = '', objectKey = ''] = (JSON.parse(key) as string[]).map(decodeText)
      await this.#to.remove(projectId, objectKey)
    }
  }

  /** Copies contents that are not there yet, and remembers those that are nowhere. */
  async copyAbsent(rows: readonly WholeRow[]): Promise<void> {
    for (const row of rows) {
      const stored = await this.#to.open(...fileOf(row))
      stored?.destroy()
      if (stored === undefined) this.#missing.push(...(await this.copy([row])))
    }
  }

  /** Copies contents that have come since they were nowhere. */
  async copyLate(): Promise<void> {
    this.#missing = await this.copy(this.#missing)
  }

  async #demand(projectId: string, objectKey: string, hash: string): Promise<void> {
    const stored = await this.#to.open(projectId, objectKey)
    if (stored === undefined || (await measure(stored)).hash !== hash)
      throw conflict(`the file ${show(objectKey)} has another content after it was copied`)
  }
}

const fileOf = ({ row }: WholeRow): [projectId: string, objectKey: string] => [
  decodeText(row.project_id ?? ''),
  decodeText(row.object_key ?? ''),
]
