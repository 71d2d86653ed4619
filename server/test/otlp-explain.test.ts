import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SHORT_LIVED } from '../../test/support/short-lived.js'
import { explain } from '../src/otlp/explaining/explain.js'
import { readRecorded } from '../src/otlp/explaining/recorded.js'
import { asJson, asProtobuf, type Given, jsonAttributes } from './support/otlp.js'
import { toProtobuf } from './support/otlp-message.js'

const bin = join(import.meta.dirname, '../../bin/stepwell.js')
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-explain-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const ids = { traceId: 'a'.repeat(32), spanId: '1'.repeat(16) }
const given: Given = {
  resource: { 'service.name': 'shop', 'deployment.environment.name': 'staging' },
  scope: 'mine',
  spans: [
    {
      ...ids,
      name: 'chat',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.response.model': 'gpt-4o-2024',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
        'gen_ai.usage.cache_read.input_tokens': 3,
        'session.id': 'talk',
        'my.attribute': 1,
      },
      events: [
        {
          name: 'gen_ai.evaluation.result',
          attributes: { 'gen_ai.evaluation.name': 'tone', 'gen_ai.evaluation.score.value': 1 },
        },
      ],
    },
    { traceId: 'x', spanId: '2'.repeat(16) },
  ],
}
const EXPECTED = [
  '2 spans, 0 log records',
  `span ${ids.traceId}-${ids.spanId} "chat" becomes a step of type llm`,
  'gen_ai.response.model -> generation.model; also in metadata',
  'gen_ai.input.messages -> generation.messages, in whole',
  'gen_ai.usage.cache_read.input_tokens -> generation.usage; also in metadata',
  'session.id -> thread; also in metadata',
  'event gen_ai.evaluation.result -> scores; also in metadata, otel.events',
  'resource -> metadata, otel.resource, environment',
  'in metadata, as the fields say the same without them: gen_ai.request.model',
  'in metadata, as no field is read from them: my.attribute',
  'is rejected: traceId: expected 32 hexadecimal digits',
]

test.each([
  ['JSON', () => Buffer.from(asJson(given))],
  ['protobuf', () => asProtobuf(given)],
  ['protobuf with gzip', () => gzipSync(asProtobuf(given))],
  ['JSON with deflate', () => deflateSync(asJson(given))],
])('explains what becomes of recorded spans: %s', async (_, bytes) => {
  const text = explain(await readRecorded(bytes())).join('\n')
  for (const line of EXPECTED) expect(text).toContain(line)
})

test.each([
  ['JSON', (request: object) => Buffer.from(JSON.stringify(request))],
  ['protobuf', toProtobuf],
] as const)('explains recorded log records: %s', async (_, encode) => {
  const records = [
    { ...ids, eventName: 'gen_ai.user.message', body: { stringValue: 'Hi' } },
    { eventName: 'gen_ai.user.message', attributes: jsonAttributes({ content: 'of nobody' }) },
    { ...ids, body: { stringValue: 'a line' } },
  ]
  const request = { resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] }
  const text = explain(await readRecorded(encode(request as never))).join('\n')
  expect(text).toContain('0 spans, 3 log records')
  expect(text).toContain(
    `1 log record (gen_ai.user.message) -> step ${ids.traceId}-${ids.spanId}: metadata, otel.logs, generation.type, generation.messages`,
  )
  expect(text).toContain('log record "" is rejected: eventName: expected an event of generative AI')
  expect(text).toContain('is rejected: traceId, spanId: expected those of a span')
})

test('stepwell otel explain prints it, and says in one line that a file is no request', async () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [...SHORT_LIVED, bin, 'otel', 'explain', ...args], {
      encoding: 'utf8',
      timeout: 60_000,
    })
  const file = join(folder, 'request.json')
  await writeFile(file, asJson(given))
  const { status, stdout } = run(file)
  expect(status).toBe(0)
  for (const line of EXPECTED) expect(stdout).toContain(line)
  await writeFile(file, '{"hello":"world"}')
  const wrong = run(file)
  expect(wrong.status).toBe(2)
  expect(wrong.stderr).toMatch(/^stepwell: resourceSpans: expected a list.*\n$/)
  expect(run(join(folder, 'none')).stderr).toContain('ENOENT')
})
