// Instrumentations of others, unmodified, watch an application whose steps have to have all that it did: a table of
// what is understood of each, with the misses by name. `STEPWELL_WRITE=1` writes it into the docs.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { type Relay, relayTo } from './instrumentations/lab/exported.js'
import { type Model, playModel } from './instrumentations/lab/model.js'
import { endPrograms } from './instrumentations/lab/programs.js'
import { SUBJECTS } from './instrumentations/lab/subjects.js'
import { type Cell, cellsOf, shareOf, tablesOf } from './instrumentations/lab/table.js'
import { watch } from './instrumentations/lab/watch.js'

const apiKey = 'otel'
let service: Service
let listening: Listening
let model: Model
let relay: Relay
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey })
  listening = await listen(service, '127.0.0.1', 0)
  api = new StepwellClient({ apiKey, apiUrl: listening.url }).api
  model = await playModel()
  relay = await relayTo(listening.url)
})
afterAll(async () => {
  await endPrograms()
  relay?.close()
  model?.close()
  await listening?.stop()
  await service?.close()
})

const cells: Cell[] = []

test.each(SUBJECTS.map((subject) => [subject.name, subject] as const))(
  'an application watched by %s plays every scenario, and nearly all that it exports is understood',
  async (_, subject) => {
    const own = cellsOf(await watch(subject, { api, apiKey, model, relay }))
    cells.push(...own)
    // Nothing is understood of one that is not set up.
    expect(own.find(({ aspect }) => aspect === 'type')?.isExported).toBe(true)
    const missed = own.filter((cell) => cell.missed.length > 0)
    const named = missed.map(({ scenario, aspect, missed: facts }) => [scenario, aspect, ...facts])
    expect(shareOf(own), JSON.stringify(named)).toBeGreaterThan(0.9)
  },
  180_000,
)

test('of all cells that are exported, 99 of 100 are understood', () => {
  expect(new Set(cells.map(({ subject }) => subject)).size).toBe(SUBJECTS.length)
  expect(shareOf(cells)).toBeGreaterThanOrEqual(0.99)
})

test('the tables in the docs say what is understood, and name what is not', async () => {
  const page = join(import.meta.dirname, '../docs/integrations/opentelemetry.md')
  const text = await readFile(page, 'utf8')
  const [begin, end] = ['<!-- instrumentations -->\n', '<!-- end -->']
  const [before = '', rest = ''] = text.split(begin)
  const written = `${before}${begin}${tablesOf(cells)}${end}${rest.split(end)[1] ?? ''}`
  if (process.env.STEPWELL_WRITE) await writeFile(page, written)
  expect(written).toBe(await readFile(page, 'utf8'))
})
