import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../src/cli/main.js'
import { StepwellClient } from '../src/index.js'

// `stepwell list` against the real service: the language of filters, on the command line.
let service: Service
let listening: Listening
beforeAll(async () => {
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  const { apiKey } = await service.createProject('lists')
  vi.stubEnv('STEPWELL_API_URL', listening.url)
  vi.stubEnv('STEPWELL_API_KEY', apiKey)
  const stepwell = new StepwellClient({ apiUrl: listening.url, apiKey })
  await stepwell.api.sendSteps([
    { id: 's1', threadId: 'failed', type: 'tool', name: 'book', error: 'no\nseats' },
    { id: 's2', threadId: 'fine', type: 'tool', name: '\u001b[31mbook' },
    {
      id: 's3',
      threadId: 'fine',
      type: 'run',
      error: 'late',
      scores: [{ name: 'q', type: 'AI', value: 0.25 }],
    },
  ])
  await stepwell.api.upsertThread({ threadId: 'failed', name: 'A flight', participantId: 'ada' })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await listening?.stop()
  await service?.close()
})

const stepwellList = async (...args: string[]) => {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text)
      return true
    })
  const status = await run(['list', ...args])
  vi.restoreAllMocks()
  return { status, ...said }
}

test('lists what passes, in columns', async () => {
  const { status, stdout } = await stepwellList('threads', 'any(type=tool error:any)')
  expect(status).toBe(0)
  const [head, ...rows] = stdout.trimEnd().split('\n')
  expect(head).toMatch(/^id +created +name +user +seconds +tokens$/)
  expect(rows).toEqual([expect.stringMatching(/^failed +\S+ +A flight +ada +– +\S+$/)])
})

test('shows recorded texts in a line, without codes of the terminal', async () => {
  const { stdout } = await stepwellList('steps', 'type=tool')
  expect(stdout).toContain('no seats')
  expect(stdout).not.toContain('\u001b')
  expect(stdout.trimEnd().split('\n')).toHaveLength(3)
})

test('writes a line of JSON for each item, and no more than asked for', async () => {
  const { stdout } = await stepwellList('steps', '--json', '--first', '2')
  const items = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(items.map(({ id }) => id)).toEqual(['s3', 's2'])
})

test.each([
  ['scores', 'name=q value<0.5', /0\.25/],
  ['users', 'user~AD', /ada/],
])('lists %s', async (noun, query, text) => {
  expect((await stepwellList(noun, query)).stdout).toMatch(text)
})

test('says that nothing passes on stderr', async () => {
  expect(await stepwellList('generations', 'model=none-such')).toEqual({
    status: 0,
    stdout: '',
    stderr: 'stepwell: nothing passes the query\n',
  })
})

test('lists what a saved view shows, in its order, and a query must hold too', async () => {
  const { api } = new StepwellClient()
  await api.createView({
    subject: 'STEPS',
    name: 'Tools',
    query: 'type=tool OR name=none',
    range: '1d',
    orderColumn: 'createdAt',
    orderDirection: 'ASC',
  })
  const { status, stdout } = await stepwellList('steps', '--view', 'Tools', '--json')
  expect(status).toBe(0)
  const idsOf = (text: string) => [...text.matchAll(/"id":"(s\d)"/g)].map(([, id]) => id)
  expect(idsOf(stdout)).toEqual(['s1', 's2'])
  const narrowed = await stepwellList('steps', 'error:any', '--view', 'Tools', '--json')
  expect(idsOf(narrowed.stdout)).toEqual(['s1'])
  await api.updateView((await api.getViews())[0]?.id ?? '', {
    range: '2020-01-01T00:00:00Z..2020-02-01T00:00:00Z',
  })
  expect((await stepwellList('steps', '--view', 'Tools')).stdout).toBe('')
  expect(await stepwellList('threads', '--view', 'Tools')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--view: expected none, as the list has no views, got "Tools"'),
  })
  expect((await stepwellList('steps', '--view', 'tools')).stderr).toContain(
    '--view: expected one of "Tools", got "tools"',
  )
})

test('names the place of a mistake', async () => {
  const { status, stderr } = await stepwellList('threads', 'name=a OR')
  expect(status).toBe(2)
  expect(stderr).toContain('query: at character 8: expected a condition after OR')
})
