import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import Mustache from 'mustache'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { openEngine } from '../src/database/database.js'
import { templateProblem } from '../src/domain/prompts/template-problem.js'
import { refuseBroken } from '../src/domain/prompts/templates.js'
import { createService, type Service } from '../src/index.js'

const LIST =
  'Hello, this is a {{test_var}} and this\n\n{{#items}}\n* {{.}}\n{{/items}}\n\nis a templated list.'

test.each([
  ['{{#open}} and never closed', 'line 1, column 1: the section {{#open}} is never closed'],
  ['Hi\n\n  {{name', 'line 3, column 3: the tag {{name is never closed; expected }} after it'],
  ['a\r\nb {{', 'line 2, column 3: the tag {{ is never closed'],
  ['{{{raw}} end', 'line 1, column 1: the tag {{{raw}} end is never closed; expected }}} after it'],
  ['x{{/items}}', 'line 1, column 2: {{/items}} closes a section that is not open'],
  [
    '{{#a}}\n{{/b}}',
    'line 2, column 1: expected {{/a}}, which closes {{#a}} of line 1, column 1, got {{/b}}',
  ],
  ['{{#a}}{{^b}}{{/a}}', 'line 1, column 13: expected {{/b}}'],
  ['{{=<%=}}', 'line 1, column 1: expected two delimiters, as in {{=<% %>=}}, got {{=<%=}}'],
  ['{{#a}}'.repeat(101) + '{{/a}}'.repeat(101), 'line 1, column 601: sections nest deeper'],
  ['{{=<% %>=}} <%name', 'line 1, column 13: the tag <%name is never closed; expected %>'],
])('the fault of %j is found at its place', (text, expected) => {
  expect(templateProblem(text)).toContain(expected)
})

test.each([
  ['in a tag', `{{a${' '.repeat(100_000)}b}}`, 'expected fewer blanks'],
  ['in one that is never closed', `{{a${'\n'.repeat(100_000)}`, 'is never closed'],
  ['in shorter runs', `{{a${`${' '.repeat(1000)}b`.repeat(50)}}}`, 'expected fewer blanks'],
  ['in several tags', `{{{a${' '.repeat(1000)}b}}}`.repeat(50), 'expected fewer blanks'],
  ['between other delimiters', `{{=| |=}}|a${' '.repeat(100_000)}b|`, 'expected fewer blanks'],
])(
  'very many blanks %s are a fault, as Mustache would look at them for seconds',
  (_, text, expected) => {
    expect(templateProblem(text)).toContain(expected)
    expect(() => refuseBroken('messages', [{ role: 'user', content: text }])).toThrow(
      /^messages\[0\]\.content: line 1, column \d+: /,
    )
  },
)

test('very many blanks beside a tag, and as many as people write in one, are none', () => {
  const text = `${' '.repeat(100_000)}{{ a${' '.repeat(1000)}b ${' '.repeat(2000)}}} {{! ${' '.repeat(1000)} }}`
  expect(templateProblem(text)).toBeNull()
  expect(() => refuseBroken('messages', [{ role: 'user', content: text }])).not.toThrow()
})

test('a template has a fault exactly if Mustache refuses it', () => {
  const pieces = fc.constantFrom(
    ...['{{', '}}', '{{{', '}}}', '{', '}', '#', '/', '^', '!', '>', '&', '=', '<%', '%>', ' '],
    ...['\n', '\r\n', 'a', 'b', '{{#a}}', '{{/a}}', '{{=<% %>=}}', '<%={{ }}=%>', '{{a}}', '🙂'],
  )
  let refused = 0
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (list) => {
      const text = list.join('')
      let isRefused = false
      try {
        new Mustache.Writer().parse(text)
      } catch {
        isRefused = true
        refused++
      }
      expect(templateProblem(text) !== null).toBe(isRefused)
    }),
    { numRuns: 5000 },
  )
  expect(refused).toBeGreaterThan(500)
})

describe('a service', () => {
  let service: Service
  let client: StepwellClient
  beforeAll(async () => {
    service = await createService({ apiKey: 'k' })
    client = new StepwellClient({ apiKey: 'k', fetch: service.fetch })
  })
  afterAll(() => service?.close())

  test('refuses a version with a broken template by its message, line and column', async () => {
    const messages = [
      { role: 'system', content: LIST },
      { role: 'user', content: 'Dear customer,\n{{#name}}' },
    ]
    await expect(client.api.getOrCreatePrompt('broken', messages)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message:
        'templateMessages[1].content: line 2, column 1: the section {{#name}} is never closed; expected {{/name}} after it',
    })
    expect(await client.api.getPrompt('broken')).toBeNull()
  })

  test('names the part of a message that has several', async () => {
    const content = [
      { type: 'image_url', image_url: { url: '{{' } },
      { type: 'text', text: 'Hi {{name' },
    ]
    await expect(
      client.api.getOrCreatePrompt('parts', [{ role: 'user', content }] as never),
    ).rejects.toThrow('templateMessages[0].content[1].text: line 1, column 4: the tag {{name')
  })

  test('refuses a variant with a broken template', async () => {
    await expect(
      client.api.createPromptVariant('variant', [{ role: 'user', content: '{{name' }]),
    ).rejects.toThrow('templateMessages[0].content: line 1, column 1: the tag {{name')
  })

  test('takes sections, however deep, and braces that open nothing', async () => {
    for (const content of [
      LIST,
      'function () { return { a: 1 } } }}',
      '{{=<% %>=}}{"a": {{<%name%>}}',
      '{{#a}}'.repeat(20_000) + '{{/a}}'.repeat(20_000),
    ]) {
      const prompt = await client.api.getOrCreatePrompt('fine', [{ role: 'user', content }])
      expect(prompt.templateMessages[0]?.content).toBe(content)
    }
  })
})

test('a version that was stored before broken templates were refused is returned as it is', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'stepwell-broken-'))
  const open = async () => {
    const service = await createService({ dataFolder, apiKey: 'k' })
    return { service, api: new StepwellClient({ apiKey: 'k', fetch: service.fetch }).api }
  }
  try {
    const before = await open()
    const [message] = [{ role: 'user', content: 'later broken' }]
    const { id } = await before.api.getOrCreatePrompt('old', [message as never])
    await before.service.close()
    const engine = await openEngine({ folder: join(dataFolder, 'database') })
    const db = engine.connect(0)
    await sql`UPDATE prompt_versions SET template_messages = ${JSON.stringify([{ role: 'user', content: '{{#open}} for ever' }])}`.execute(
      db,
    )
    await db.destroy()
    await engine.close()
    const { service, api } = await open()
    const again = await api.getOrCreatePrompt('old', [
      { role: 'user', content: '{{#open}} for ever' },
    ])
    expect(again.id).toBe(id)
    expect((await api.getPrompt('old'))?.format()[0]?.content).toBe('{{#open}} for ever')
    expect(() => again.format({}, { strict: true })).toThrow('is no template')
    await service.close()
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
})
