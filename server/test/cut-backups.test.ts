import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TarWriter } from '../src/kernel/tar/writer.js'
import { writeWhole } from '../src/operator/moving/output.js'
import { restoreCommand } from '../src/operator/moving/restore.js'
import { unwritten } from '../src/operator/moving/unwritten.js'

const canMount = process.platform === 'linux' && process.getuid?.() === 0

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

const silently = async (work: () => Promise<number>): Promise<[code: number, said: string]> => {
  let said = ''
  const keep = (text: unknown) => {
    said += String(text)
    return true
  }
  const spies = [process.stderr, process.stdout].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(keep),
  )
  try {
    return [await work(), said]
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test('a backup fills an empty folder that stays where it is, as that of a mounted disk has to', async () => {
  const file = join(folder, 'whole.backup.tar.gz')
  const disk = join(folder, 'volume')
  await mkdir(disk)
  // A new disk has the one, a restore that was killed leaves the other.
  await mkdir(join(disk, 'lost+found'))
  await mkdir(join(disk, '.restoring'))
  const { ino } = await stat(disk)
  const [restored] = await silently(() => restoreCommand([file, '--data', disk]))
  expect(restored).toBe(0)
  expect((await stat(disk)).ino).toBe(ino)
  expect((await readdir(disk)).sort()).toEqual(['database', 'lost+found', 'unnoted.jsonl'])
  expect((await readFile(join(disk, 'database/PG_VERSION'))).toString()).toBe('17\n')
  const [code, said] = await silently(() => restoreCommand([file, '--data', disk]))
  expect(code).toBe(1)
  expect(said).toContain(`there is something in ${disk}`)
})

test.skipIf(!canMount)('a disk without room is named, and is left as it was', async (context) => {
  const file = join(folder, 'whole.backup.tar.gz')
  const disk = join(folder, 'small')
  await mkdir(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100k', 'tmpfs', disk])
  if (mounted.status !== 0) return context.skip()
  try {
    const [code, said] = await silently(() => restoreCommand([file, '--data', disk]))
    expect(code).toBe(1)
    expect(said).toContain(`${disk} can't be written: its disk is full`)
    const out = join(disk, 'archive.tar')
    await expect(
      writeWhole(out, (stream) => pipeline(Readable.from([randomBytes(300_000)]), stream)),
    ).rejects.toThrow(`${out} can't be written: its disk is full`)
    expect(await readdir(disk)).toEqual([])
  } finally {
    spawnSync('umount', ['-l', disk])
  }
})

test('a backup that may not be read is named, and not the folder that it was for', async () => {
  const file = join(folder, 'unreadable.backup.tar.gz')
  const error = Object.assign(new Error(`EACCES: permission denied, open '${file}'`), {
    code: 'EACCES',
    path: file,
  })
  const place = join(folder, 'never')
  expect(unwritten(place, `${place}.restoring`, error)).toBe(error)
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  })
  expect(unwritten(place, `${place}.restoring`, full)).toMatchObject({
    message: `${place} can't be written: its disk is full; name another place (${full.message})`,
  })
})
