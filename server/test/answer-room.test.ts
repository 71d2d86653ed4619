// The memory for rows of the database that requests answer with: who waits, who never does, and when it is free again.
import { connect } from 'node:net'
import { createService, listen } from '@stepwell/server'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { eventually } from '../../test/support/eventually.js'
import { openDatabase } from '../src/database/database.js'
import { type AnswerMemory, onBehalfOf } from '../src/database/task.js'
import { type AnswerHold, AnswerRoom } from '../src/http/admission/answer-room.js'
import { newDatabase } from './support/new-database.js'

const roomOf = (bytesInFlight: number, waitMs = 60_000) =>
  new AnswerRoom({ bytesInFlight, answerBytes: bytesInFlight, waitMs })

test('while a key holds more than is left free, its other requests wait for its oldest one, and no other key does', async () => {
  const room = roomOf(1000)
  const [oldest, next, other] = [room.open('a'), room.open('a'), room.open('b')]
  oldest.take(600)
  expect(oldest.ready()).toBeUndefined()
  const waiting = next.ready()
  expect(waiting).toBeInstanceOf(Promise)
  other.take(300)
  expect(other.ready()).toBeUndefined()
  expect(room.open('b').ready()).toBeInstanceOf(Promise)
  expect(room.open('c').ready()).toBeUndefined()
  oldest.finish()
  await waiting
  expect(room.state.bytes).toBe(900)
  oldest.close()
  expect(room.state.bytes).toBe(300)
})

test('a request that waits too long is told why, and that it may ask again', async () => {
  const room = roomOf(100, 1)
  room.open('a').take(80)
  await expect(room.open('a').ready()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('other requests of this key hold too many rows'),
  })
  expect(room.state).toMatchObject({ waiting: 0, rejected: 1 })
})

const action = fc.record({
  does: fc.constantFrom('open' as const, 'read' as const, 'finish' as const, 'close' as const),
  key: fc.constantFrom('a', 'b', 'c'),
  at: fc.nat(9),
  bytes: fc.nat(300),
})

test('whatever requests do in whatever order, the oldest of each key goes on, all of them come to their end, and nothing stays taken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const room = roomOf(1000)
      const open = new Map<string, { hold: AnswerHold; isWorking: boolean }[]>()
      const waits: Promise<void>[] = []
      const taken = new Map<AnswerHold, number>()
      const isExceeded = new Set<AnswerHold>()
      for (const { does, key, at, bytes } of actions) {
        const holds = open.get(key) ?? []
        open.set(key, holds)
        const one = holds[at % Math.max(holds.length, 1)]
        if (does === 'open') holds.push({ hold: room.open(key), isWorking: true })
        else if (one === undefined) continue
        else if (does === 'read') {
          const { hold } = one
          const oldest = holds.find(({ isWorking }) => isWorking)
          if (isExceeded.has(hold)) {
            expect(() => hold.ready()).toThrow('take more than')
            continue
          }
          const wait = one.isWorking ? hold.ready() : undefined
          if (one === oldest) expect(wait).toBeUndefined()
          if (wait !== undefined) waits.push(wait)
          else if ((taken.get(hold) ?? 0) + bytes <= 2000) {
            hold.take(bytes)
            taken.set(hold, (taken.get(hold) ?? 0) + bytes)
          } else {
            expect(() => hold.take(bytes)).toThrow('take more than')
            isExceeded.add(hold)
          }
        } else if (does === 'finish') {
          one.hold.finish()
          one.isWorking = false
        } else {
          one.hold.close()
          taken.delete(one.hold)
          holds.splice(holds.indexOf(one), 1)
        }
        expect(room.state.bytes).toBe([...taken.values()].reduce((sum, more) => sum + more, 0))
      }
      for (const { hold } of [...open.values()].flat()) hold.close()
      await Promise.all(waits)
      expect(room.state).toEqual({ bytes: 0, waiting: 0, rejected: 0 })
    }),
  )
})

test('rows come whole from the database, however often others have their turn between them', async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  let turns = 0
  let bytes = 0
  const answers: AnswerMemory = {
    ready: () => undefined,
    take: (more) => {
      bytes += more
    },
    turn: () => {
      turns++
      return turns % 3 === 0 ? undefined : new Promise((resolve) => setImmediate(resolve))
    },
  }
  const read = () =>
    sql`SELECT repeat(chr(96 + i), 50000) AS text FROM generate_series(1, 26) AS i`.execute(db)
  const answered = await onBehalfOf('a key', () => Promise.all([read(), read()]), answers)
  for (const { rows } of answered)
    expect(rows).toEqual(
      [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => ({ text: letter.repeat(50_000) })),
    )
  expect(bytes).toBeGreaterThan(2_000_000)
  expect(turns).toBeGreaterThan(20)
  await db.destroy()
  await drop()
})

test('a connection that waited for the turn of one key does not wait for it with the next statement', async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  let end = () => {}
  const turn = new Promise<void>((resolve) => {
    end = resolve
  })
  const answers: AnswerMemory = { ready: () => undefined, take: () => {}, turn: () => turn }
  // All of the answer is there when its reader is to wait.
  const read = () => sql`SELECT repeat('x', 65536) AS text`.execute(db)
  await onBehalfOf('one', read, answers)
  const { rows } = await onBehalfOf('another', () => sql`SELECT 1 AS one`.execute(db))
  expect(rows).toEqual([{ one: 1 }])
  end()
  await db.destroy()
  await drop()
})

test('pages that are too large together are rejected by what to ask for, and what a search only looks at does not count', async () => {
  const service = await createService({ apiKey: 'k', limits: { answerBytes: 1_000_000 } })
  const { api } = new StepwellClient({ apiKey: 'k', fetch: service.fetch })
  const content = 'x'.repeat(100_000)
  await api.sendSteps(
    Array.from({ length: 30 }, (_, index) => ({
      id: `s${index}`,
      output: { content: `${content} number-${index}.` },
    })),
  )
  const pages = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => `p${at}: steps(first: 6, skip: ${at}) { edges { node { output } } }`,
    ).join(' ')
  const ask = async (query: string) => {
    const response = await service.fetch('http://stepwell.test/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
      body: JSON.stringify({ query }),
    })
    return (await response.json()) as { errors?: { message: string }[] }
  }
  expect((await ask(`{ ${pages(2)} }`)).errors).toBeUndefined()
  const { errors = [] } = await ask(`{ ${pages(5)} }`)
  expect(errors.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('the rows that this request reads take more than 2 MB; ask for fewer'),
  )
  // All of them are read, as none is in the index of contents yet.
  const query = 'content~"number-29."'
  const found = await api.getSteps({ query })
  expect(found.data.map(({ id }) => id)).toEqual(['s29'])
  await service.close()
})

test('rows take memory until the client has read its answer, and no longer', async () => {
  const service = await createService({ apiKey: 'k' })
  const { api } = new StepwellClient({ apiKey: 'k', fetch: service.fetch })
  const output = { content: 'x'.repeat(1_000_000) }
  await api.sendSteps(Array.from({ length: 30 }, (_, index) => ({ id: `s${index}`, output })))
  const held = async () => {
    const headers = { 'x-api-key': 'k' }
    const metrics = await (await service.fetch('http://x/metrics', { headers })).text()
    return Number(/^stepwell_answer_bytes_held (\d+)$/m.exec(metrics)?.[1])
  }
  expect(await held()).toBe(0)
  const listening = await listen(service, '127.0.0.1', 0)
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  const body = JSON.stringify({ query: '{ steps(first: 30) { edges { node { output } } } }' })
  socket.write(
    `POST /api/graphql HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await eventually(() => expect(socket.bytesRead).toBeGreaterThan(0))
  socket.pause()
  expect(await held()).toBeGreaterThan(20_000_000)
  socket.destroy()
  await eventually(async () => expect(await held()).toBe(0))
  await listening.stop()
  await service.close()
})
