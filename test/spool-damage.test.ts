import fs from 'node:fs'
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Session } from '../src/outbox/batch.js'
import { machineDisk } from '../src/outbox/spool/disk.js'
import { FilesAhead } from '../src/outbox/spool/files-ahead.js'
import { SessionFolders } from '../src/outbox/spool/folders.js'
import { readLeftBehind } from '../src/outbox/spool/left-behind.js'
import { linePortions } from '../src/outbox/spool/read.js'
import { useSink } from './support/sink.js'
import { useSpool } from './support/spool.js'

const sink = useSink()
const spool = useSpool(sink)
const { filesOf, abandoned, adopted } = spool

const HOUR_MS = 3_600_000

/** Dates a folder back, as its process may be about to write a young one. */
const age = async (path: string) => {
  const past = new Date(Date.now() - HOUR_MS)
  await utimes(path, past, past)
}

test.each([
  ['an id that is not that of its folder', { id: 'another' }],
  ['a start that is no moment', { startedAt: 'yesterday' }],
  ['a start that is a number', { startedAt: 5 }],
  ['a release that is an object', { release: { name: 'r' } }],
])('a session.json with %s costs no step: its folder is set aside', async (_, damage) => {
  await abandoned(3)
  const [path = ''] = await filesOf('session.json')
  const told = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...told, session: { ...told.session, ...damage } }))
  await age(dirname(path))
  // The service rejects such a session, and so every step that comes with it.
  sink.answer = ({ session }) =>
    Object.entries(damage).some(([name, value]) => session[name] === value)
      ? { status: 400, body: { errors: [{ message: 'no', extensions: { code: 'BAD_REQUEST' } }] } }
      : undefined
  const { tracer, reports } = await adopted()
  expect(tracer.stats()).toMatchObject({ adopted: 0, dropped: 0 })
  expect(reports).toEqual([expect.stringContaining('has no readable owner')])
  const [steps = ''] = await filesOf('.steps')
  expect(dirname(steps)).toMatch(/\.broken$/)
  expect((await readFile(steps, 'utf8')).match(/^S \d+ /gm)).toHaveLength(3)
  await tracer.close()
})

test('a session.json with members of nobody is read without them', async () => {
  const { sessionId } = await abandoned(3)
  const [path = ''] = await filesOf('session.json')
  const told = JSON.parse(await readFile(path, 'utf8'))
  const session = { ...told.session, recorded: 'many', endedAt: 7, mood: 'good' }
  await writeFile(path, JSON.stringify({ ...told, session }))
  const { tracer } = await adopted()
  expect(tracer.stats()).toMatchObject({ adopted: 3, delivered: 3 })
  for (const { session: sent } of sink.requests)
    expect(sent).toEqual({
      id: sessionId,
      startedAt: told.session.startedAt,
      recorded: 3,
      endedAt: expect.any(String),
      losses: [],
    })
  await tracer.close()
})

test.each([
  'S 500 what is this',
  'S 900000 {"id":"nobody"}',
  'S 21 {"id":5}',
  'S 22 []',
  'S 0 {"id":"zero"}',
  'S 3 {"id":"another"}',
  'T 9 {"name":"of nothing"}',
  'T 10 "t"',
  'T 11',
])('a line that only looks like an entry, as %s, costs nothing but itself', async (line) => {
  await abandoned(20)
  const [file = ''] = await filesOf('.steps')
  await appendFile(file, `${line}\n`)
  const { tracer, reports } = await adopted()
  const isNext = line.startsWith('S 21 ')
  expect(tracer.stats()).toMatchObject({ delivered: 20, dropped: isNext ? 1 : 0 })
  expect(sink.taken.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, one) => `s${one}`))
  expect(sink.requests.flatMap(({ threads }) => threads)).toEqual([{ id: 't', name: 'kept' }])
  if (!line.startsWith('S 3 '))
    expect(reports).toEqual([
      expect.stringContaining(
        isNext ? '1 steps of an earlier process' : 'damaged lines, 1 in number',
      ),
    ])
  expect(await readdir(spool.folder)).toEqual([])
  await tracer.close()
})

test.each(['nothing 1-20', 'delivered 1-1e3', 'delivered 1-999999999', 'delivered 1-20-20'])(
  'the line %s settles nothing',
  async (line) => {
    await abandoned(20)
    const [file = ''] = await filesOf('settled.log')
    await appendFile(file, `${line}\n`)
    const { tracer } = await adopted()
    expect(tracer.stats()).toMatchObject({ delivered: 20, recorded: 20 })
    expect(sink.requests.flatMap(({ threads }) => threads)).toHaveLength(1)
    expect(sink.requests.flatMap(({ session }) => session.losses)).toEqual([])
    await tracer.close()
  },
)

test('a file of steps that cannot be opened now is not taken for an empty one', async () => {
  await abandoned(3)
  const [file = ''] = await filesOf('.steps')
  const openSync = (path: fs.PathLike, ...rest: [flags: string]) => {
    if (String(path) === file)
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
    return fs.openSync(path, ...rest)
  }
  const reading = readLeftBehind(
    { ...fs, openSync } as typeof fs,
    dirname(file),
    { id: 's' } as Session,
    async () => {},
  )
  await expect(reading).rejects.toThrow('EMFILE')
})

test('lines are read as they are written, wherever the portions end', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stepwell-lines-')), 'lines')
  const written = [
    '',
    'ä',
    'x'.repeat(262_143),
    'y'.repeat(262_144),
    '',
    'z'.repeat(900_000),
    'end',
  ]
  await writeFile(path, written.join('\n'))
  const lines = [...linePortions(fs, path)].flat()
  expect(lines.map(({ text }) => text)).toEqual(written)
  const bytes = await readFile(path)
  for (const { text, at, size } of lines)
    expect(bytes.subarray(at, at + size).toString()).toBe(text)
})

test('a line is copied once, however many portions it has', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stepwell-lines-')), 'lines')
  await writeFile(path, 'x'.repeat(20_000_000))
  const { concat } = Buffer
  let copied = 0
  Buffer.concat = (parts, ...rest) => {
    const joined = concat(parts, ...rest)
    copied += joined.length
    return joined
  }
  try {
    expect([...linePortions(fs, path)].flat().map(({ size }) => size)).toEqual([20_000_000])
  } finally {
    Buffer.concat = concat
  }
  expect(copied).toBeLessThan(50_000_000)
})

test('a folder that another machine touches by a clock ahead is its own while that goes on, and no longer', async () => {
  await abandoned(1)
  const disk = machineDisk()
  if (disk === undefined) throw new Error('no disk')
  const [steps = ''] = await filesOf('.steps')
  const [owned = ''] = await filesOf('.owner')
  await writeFile(owned, JSON.stringify({ pid: 1, host: `not ${hostname()}`, started: '' }))
  let elapsed = 0
  const host = { now: () => Date.now(), elapsed: () => elapsed }
  const folders = new SessionFolders(disk, spool.folder, host)
  const [name = ''] = folders.names
  const touch = async (hours: number) => {
    for (const entry of await readdir(dirname(steps))) {
      const moment = new Date(Date.now() + hours * HOUR_MS)
      await utimes(join(dirname(steps), entry), moment, moment)
    }
  }
  await touch(5)
  expect(folders.isOwned(name)).toBe(true)
  elapsed += 59_000
  expect(folders.isOwned(name)).toBe(true)
  await touch(6)
  expect(folders.isOwned(name)).toBe(true)
  elapsed += 59_000
  expect(folders.isOwned(name)).toBe(true)
  elapsed += 2000
  expect(folders.isOwned(name)).toBe(false)
  expect((await stat(steps)).mtimeMs).toBeGreaterThan(Date.now())
})

test('files ahead of the clock are forgotten once they are gone or their moment has come, and others are not', () => {
  const there = new Set(['stays'])
  const ahead = new FilesAhead((path) => there.has(path))
  expect(ahead.silentMs('stays', 5, 1000)).toBe(0)
  let most = 0
  for (let file = 0; file < 10_000; file++) {
    there.add(`${file}`)
    expect(ahead.silentMs(`${file}`, 5, 2000)).toBe(0)
    there.delete(`${file}`)
    most = Math.max(most, ahead.size)
  }
  expect(most).toBeLessThan(200)
  expect(ahead.silentMs('stays', 5, 3000)).toBe(2000)
  const before = ahead.size
  ahead.forget('stays')
  expect(ahead.size).toBe(before - 1)
})

test('a folder of a clock ahead is remembered while its files are there, however many come and go', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-ahead-'))
  const disk = machineDisk()
  if (disk === undefined) throw new Error('no disk')
  let elapsed = 0
  const folders = new SessionFolders(disk, folder, { now: () => 0, elapsed: () => elapsed })
  const touch = async (name: string) => {
    await writeFile(join(folder, name), '')
    return join(folder, name)
  }
  const kept = await touch('kept')
  expect(folders.silentMs(kept)).toBe(0)
  for (let file = 0; file < 500; file++) {
    const path = await touch(`${file}`)
    expect(folders.silentMs(path)).toBe(0)
    await rm(path)
    elapsed++
  }
  expect(folders.silentMs(kept)).toBe(500)
})
