import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TarWriter } from '../src/kernel/tar/writer.js'
import { restoreCommand } from '../src/operator/moving/restore.js'

let folder: string
let backup: Buffer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-cut-'))
  const file = join(folder, 'whole.backup.tar.gz')
  const zipped = createGzip()
  const written = pipeline(zipped, createWriteStream(file))
  const tar = new TarWriter(zipped)
  await tar.folder('database/')
  await tar.file('database/PG_VERSION', Buffer.from('17\n'))
  await tar.file('database/rows', randomBytes(300_000))
  await tar.end()
  await written
  backup = await readFile(file)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each([0.1, 0.5, 0.9, 0.9999])(
  'a backup of which a share of %d is there is named, and leaves no folder',
  async (share) => {
    const file = join(folder, 'cut.backup.tar.gz')
    await writeFile(file, backup.subarray(0, Math.floor(share * backup.length)))
    let said = ''
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += text
      return true
    })
    try {
      expect(await restoreCommand([file, '--data', join(folder, 'restored')])).toBe(1)
    } finally {
      stderr.mockRestore()
    }
    expect(said).toBe(`stepwell: ${file} is no whole backup: unexpected end of file\n`)
    expect((await readdir(folder)).filter((name) => name.startsWith('restored'))).toEqual([])
  },
)
