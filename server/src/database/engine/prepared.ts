import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { builtPath } from '../../kernel/package-folder.js'

/**
 * Returns an empty database with all tables, as an archive of PGlite's `dumpDataDir`; undefined if the package was
 * built without one. Starting as its copy takes a tenth of a second, creating one takes seconds of a processor.
 */
export const preparedDatabase = async (): Promise<ArrayBuffer | undefined> => {
  const path = builtPath('prepared', 'database.tar.br')
  if (path === undefined) return undefined
  const { buffer, byteOffset, byteLength } = await promisify(brotliDecompress)(await readFile(path))
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}
