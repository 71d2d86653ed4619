import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeWhole } from '../src/operator/moving/output.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const write = (out: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    out.write(text, (error) => (error ? reject(error) : resolve()))
  })

test('a file that two write at once is that of the one that ends first, and stays as it is', async () => {
  const path = join(folder, 'archive')
  let goOn = (): void => undefined
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const later = writeWhole(path, async (out) => {
    await write(out, 'later')
    await held
    await write(out, ' and more')
  })
  await writeWhole(path, (out) => write(out, 'first'))
  expect(await readFile(path, 'utf8')).toBe('first')
  goOn()
  const reason = await later.catch((error) => error)
  expect(await readFile(path, 'utf8')).toBe('first')
  expect(String(reason)).toContain('exists already; name another file')
  expect(await readdir(folder)).toEqual(['archive'])
})
