import type { LookupAddress } from 'node:dns'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.js'
import { publicLookup } from '../src/domain/models/public-lookup.js'
import { NameServer } from './support/name-server.js'

let server: NameServer
beforeAll(async () => {
  server = await NameServer.open({
    'hooks.example.org': { 4: [[8, 8, 8, 8]], 6: [[0x26, 6, 0x47, 0, ...Array(11).fill(0), 1]] },
    'both.example.org': {
      4: [
        [10, 0, 0, 1],
        [8, 8, 4, 4],
      ],
    },
    'inside.example.org': { 4: [[10, 0, 0, 1]], 6: [[...Array(15).fill(0), 1]] },
    'silent.example.org': 'silent',
  })
})
afterAll(() => server.close())

const lookUp = (name: string, options: object = { all: true }) =>
  new Promise<string | LookupAddress[]>((resolve, reject) => {
    publicLookup(() => new Error('private'), [server.place])(name, options, (error, found) =>
      error === null ? resolve(found) : reject(error),
    )
  })

test('a name leads to its public addresses, and to none that is private', async () => {
  expect(await lookUp('hooks.example.org')).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ])
  expect(await lookUp('both.example.org')).toEqual([{ address: '8.8.4.4', family: 4 }])
  expect(await lookUp('both.example.org', {})).toBe('8.8.4.4')
  expect(await lookUp('hooks.example.org', { family: 6 })).toBe('2606:4700::1')
  await expect(lookUp('inside.example.org')).rejects.toThrow('private')
  await expect(lookUp('none.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('a name whose servers keep silent holds no thread that others wait for', async () => {
  lookUp('silent.example.org').catch(() => undefined)
  expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap')
  expect(await lookUp('hooks.example.org', {})).toBe('8.8.8.8')
  await eventually(() => expect(server.asked).toContain('silent.example.org'))
})
