import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LocalStore } from '../src/files/local-store.js'
import { Signatures } from '../src/files/signatures.js'
import { move } from '../src/index.js'
import { openAdminEndpoint } from '../src/operator/admin-endpoint.js'
import { Mover } from '../src/operator/moving/mover.js'
import { openNew } from './support/moving.js'

// The places that a move may lead to, and who reads their names: the command, or the service that it asks.
let folder: string
let service: Server
const asked: unknown[] = []
const closes: (() => Promise<void>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-places-'))
  service = createServer(async (request, response) => {
    if (request.method === 'POST') asked.push(await json(request))
    response.end(JSON.stringify({ rows: [{ phase: 'looked' }] }))
  })
  await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening))
  const { port } = service.address() as AddressInfo
  await openAdminEndpoint(folder, { url: `http://127.0.0.1:${port}`, token: 't' })
})
afterAll(async () => {
  service.close()
  for (const close of closes) await close()
  await rm(folder, { recursive: true, force: true })
})

const told = async (...args: string[]): Promise<[code: number, said: string]> => {
  let said = ''
  const spies = [process.stderr, process.stdout].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text: unknown) => {
      said += String(text)
      return true
    }),
  )
  try {
    return [await move(['--data', folder, '--dry-run', ...args]), said]
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test('a folder to move to is one of the command, wherever the running service works', async () => {
  expect((await told('--to-data', 'new/data'))[0]).toBe(0)
  expect(asked).toEqual([{ noun: 'move', verb: 'look', options: { toData: resolve('new/data') } }])
})

test('a place without a name is rejected by its option, and no service is asked', async () => {
  asked.length = 0
  const [code, said] = await told('--to-database', '')
  expect([code, said]).toEqual([2, expect.stringContaining('--to-database: expected a URL')])
  expect((await told('--to-data', ''))[1]).toContain('--to-data: expected a folder')
  expect(asked).toEqual([])
})

test('a move leads out of the folder that is deleted after it', async () => {
  const from = { dataFolder: folder, databaseUrl: undefined, bucket: undefined }
  const mover = new Mover(
    await openNew(closes, true),
    new LocalStore(join(folder, 'files'), new Signatures('')),
    from,
    {
      serve: async () => undefined,
      hold: (work) => work(),
    },
  )
  closes.push(() => mover.close())
  for (const name of ['new', 'files/new'])
    await expect(mover.look({ toData: join(folder, name) })).rejects.toThrow(
      `--to-data: expected a folder outside of ${folder}`,
    )
  expect(await mover.look({ toData: `${folder}-new` })).toMatchObject({ phase: 'looked' })
})
