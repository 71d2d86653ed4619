import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { maxTokens } from '../src/agents/index.js'
import { run } from '../src/cli/main.js'
import { sendThread, type Told } from './support/send-thread.js'
import { useService } from './support/service.js'

// A program that follows the skill step by step, as a coding agent would, and that knows nothing but the answers.
const fixture = useService('socket')
const skill = readFileSync(join(import.meta.dirname, '../skills/stepwell/SKILL.md'), 'utf8')

const stepwell = async (...args: string[]): Promise<string> => {
  let text = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => {
    text += String(part)
    return true
  })
  try {
    expect(await run(args), args.join(' ')).toBe(0)
    return text
  } finally {
    vi.restoreAllMocks()
  }
}

const conversation = (change: (index: number) => Told | undefined): Told[] =>
  Array.from({ length: 40 }, (_, index) => ({
    name: index % 2 === 0 ? 'search_flights' : 'get_user',
    input: { index },
    output: { found: index },
    ...change(index),
  }))

test('an agent that follows the skill finds the step whose argument was wrong', async () => {
  const { apiKey } = await fixture.service.createProject('skill')
  const client = await fixture.newClient({ apiKey })
  vi.stubEnv('STEPWELL_API_URL', client.apiUrl)
  vi.stubEnv('STEPWELL_API_KEY', apiKey)
  const good = await sendThread(
    client,
    conversation(() => undefined),
  )
  const bad = await sendThread(
    client,
    conversation((index) =>
      index === 18
        ? { input: { index, date: '1970-01-01' }, output: [] }
        : index === 30
          ? { name: 'book_flight', error: 'no flight to book' }
          : undefined,
    ),
  )
  const counted = await stepwell(
    'query',
    'steps',
    'error:any',
    '--from',
    '2026-10-31',
    '--by',
    'name',
  )
  expect(counted).toContain('name "book_flight" · 1 rows')
  const [, failed = ''] =
    /^thread (\S+)/m.exec(await stepwell('find', 'threads', 'any(name=book_flight error:any)')) ??
    []
  expect(failed).toBe(bad.threadId)
  const outline = await stepwell('outline', failed)
  const [, error = ''] = /failed with "[^"]*"\n {2}tool "book_flight" (\S+)/.exec(outline) ?? []
  expect(await stepwell('read', error)).toContain('no flight to book')
  const [, other = ''] =
    /^thread (\S+)/m.exec(await stepwell('find', 'threads', 'error:none')) ?? []
  expect(other).toBe(good.threadId)
  const differences = await stepwell('diff', other, failed)
  const [, first = ''] =
    /^- tool "[^"]*" \S+ \/ (\S+): /m.exec(
      differences.slice(differences.indexOf('Differences in order')),
    ) ?? []
  expect(first).toBe(bad.ids[18])
  expect(await stepwell('read', first)).toContain('1970-01-01')
  vi.unstubAllEnvs()
})

test('the skill is short, and names every verb', () => {
  expect(maxTokens(skill)).toBeLessThan(1200)
  expect(skill).toMatch(/^---\nname: stepwell\ndescription: .{50,500}\n---\n/)
  for (const verb of ['find', 'outline', 'read', 'diff', 'query', 'score', 'export'])
    expect(skill).toContain(`\`${verb}`)
})
