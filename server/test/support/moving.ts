import { Readable } from 'node:stream'
import { type Database, openDatabase } from '../../src/database/database.js'
import type { MovedStore } from '../../src/domain/moving/moved-files.js'
import { newDatabase } from './new-database.js'

/** Files in memory, by the JSON of project and key. */
export class MemoryStore implements MovedStore {
  readonly files: Map<string, Buffer>

  constructor(files = new Map<string, Buffer>()) {
    this.files = files
  }

  async open(projectId: string, objectKey: string) {
    const content = this.files.get(JSON.stringify([projectId, objectKey]))
    return content && Readable.from([content])
  }

  async put(projectId: string, objectKey: string, content: Readable) {
    const parts: Buffer[] = []
    for await (const part of content) parts.push(part as Buffer)
    this.files.set(JSON.stringify([projectId, objectKey]), Buffer.concat(parts))
  }

  async remove(projectId: string, objectKey: string) {
    this.files.delete(JSON.stringify([projectId, objectKey]))
  }

  async removeAll(projectId: string, keys: readonly string[]) {
    for (const key of keys) await this.remove(projectId, key)
  }
}

/** Opens a new database of the engine of the tests, or an embedded one; `closes` gets what ends it. */
export const openNew = async (
  closes: (() => Promise<void>)[],
  isEmbedded = false,
): Promise<Database> => {
  const { location, drop } = isEmbedded
    ? { location: { folder: undefined }, drop: async () => undefined }
    : await newDatabase()
  const db = await openDatabase({ ...location, statementTimeoutMs: 0 })
  closes.push(async () => {
    await db.destroy()
    await drop()
  })
  return db
}
