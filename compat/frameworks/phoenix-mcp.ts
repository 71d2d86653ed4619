// The thirty seeded faults of bench/agents.ts, asked of Phoenix over MCP: is the faulty step's id in the first 8,000 tokens?
//
//   node scripts/run.js compat/frameworks/phoenix-mcp.ts FILE PHOENIX_URL COMMAND [ARGUMENT...]
//
// FILE has runs of tau-bench, as for examples/tau-bench.ts. PHOENIX_URL is a Phoenix without authentication; COMMAND starts
// @arizeai/phoenix-mcp on standard input and output. Each thread becomes a project with one session and a trace for each of its
// 30 runs, with the attributes that Phoenix reads and no others. Tokens are those of o200k_base. No answer of Phoenix has a budget,
// so it counts as found when the id stands before the place where 8,000 tokens end.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createService } from '@stepwell/server'
import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base'
import { type FaultyThread, faultyThreads } from '../../bench/seeded-faults.js'
import { outline } from '../../src/agents/index.js'
import { type StepInput, StepwellClient } from '../../src/index.js'
import { writeRequest, writeSpan } from '../../src/otlp/stored/protobuf.js'
import { attributesOf } from '../../src/otlp/values.js'
import { digitsOf } from '../../src/tracing/trace-ids.js'

const BUDGET = 8000
const SPANS_IN_A_REQUEST = 200
const KINDS: Record<string, string> = { run: 'AGENT', llm: 'LLM', tool: 'TOOL' }

const [file, url, command, ...args] = process.argv.slice(2)
if (file === undefined || url === undefined || command === undefined) {
  console.error(
    'usage: node scripts/run.js compat/frameworks/phoenix-mcp.ts FILE PHOENIX_URL COMMAND [ARGUMENT...]',
  )
  process.exit(2)
}
/** Projects of this run alone. */
const mark = Date.now().toString(36)

const spanIdOf = (stepId: string): string => digitsOf(`${mark} ${stepId}`, 16)
const traceIdOf = (step: StepInput): string => digitsOf(`${mark} ${step.parentId ?? step.id}`, 32)
const textOf = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
const nanoseconds = (moment: unknown): string => `${Date.parse(String(moment))}000000`

const spanOf = (step: StepInput): Buffer => {
  const { tokenCount, model } = { tokenCount: undefined, model: undefined, ...step.generation }
  return writeSpan({
    traceId: traceIdOf(step),
    spanId: spanIdOf(step.id),
    ...(typeof step.parentId === 'string' ? { parentSpanId: spanIdOf(step.parentId) } : {}),
    name: String(step.name),
    kind: 1,
    startTimeUnixNano: nanoseconds(step.startTime),
    endTimeUnixNano: nanoseconds(step.endTime),
    attributes: attributesOf({
      'openinference.span.kind': KINDS[String(step.type)],
      'session.id': step.threadId && `${mark} ${step.threadId}`,
      'input.value': textOf(step.input),
      'output.value': textOf(step.output),
      'llm.model_name': model,
      'llm.token_count.prompt': tokenCount,
    }),
    events: [],
    status: typeof step.error === 'string' ? { code: 2, message: step.error } : {},
  })
}

interface Loaded extends FaultyThread {
  project: string
  /** The trace that has the faulty step. */
  traceId: string
  /** The kind of its span. */
  spanKind: string
  faultySpan: string
}

/** Sends a thread, and waits until Phoenix has all of it: it acknowledges spans before it stores them. */
const load = async (thread: FaultyThread): Promise<Loaded> => {
  const { steps, threadId, faulty } = thread
  const project = `${mark} ${threadId}`
  const resource = attributesOf({ 'openinference.project.name': project })
  for (let from = 0; from < steps.length; from += SPANS_IN_A_REQUEST) {
    const spans = steps.slice(from, from + SPANS_IN_A_REQUEST).map(spanOf)
    const { ok, status } = await fetch(new URL('/v1/traces', url), {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      body: new Uint8Array(writeRequest([{ resource, spans }], { name: 'bench', version: '1' })),
    })
    if (!ok) throw new Error(`Phoenix answers spans with status ${status}`)
  }
  while ((await storedIn(project)) < steps.length) await sleep(200)
  const step = steps.find(({ id }) => id === faulty) as StepInput
  const spanKind = KINDS[String(step.type)] as string
  return { ...thread, project, traceId: traceIdOf(step), spanKind, faultySpan: spanIdOf(faulty) }
}

const storedIn = async (project: string): Promise<number> => {
  const path = `/v1/projects/${encodeURIComponent(project)}/spans?limit=1000`
  const response = await fetch(new URL(path, url))
  return response.ok ? ((await response.json()) as { data: unknown[] }).data.length : 0
}

type Ask = (thread: Loaded) => Promise<string>

const connect = async (transport: StdioClientTransport | StreamableHTTPClientTransport) => {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport as Parameters<Client['connect']>[0])
  const call = async (name: string, given: Record<string, unknown>): Promise<string> => {
    const { content, isError } = await client.callTool({ name, arguments: given })
    const text = (content as { text?: string }[]).map((part) => part.text ?? '').join('\n')
    if (isError === true) throw new Error(`${name}: ${text.slice(0, 1000)}`)
    return text
  }
  return { client, call }
}

const packaged = await connect(
  new StdioClientTransport({ command, args: [...args, '--baseUrl', url] }),
)
const builtIn = await connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
const spans =
  (given: (thread: Loaded) => Record<string, unknown>): Ask =>
  (thread) =>
    packaged.call('get-spans', {
      project_identifier: thread.project,
      limit: 1000,
      ...given(thread),
    })
/** Answers with the values alone, a line a row: the least that a program in its sandbox can return. */
const sql = async (thread: Loaded, statement: string): Promise<string> => {
  const given = {
    sql: statement.replaceAll('PROJECT', `'${thread.project}'`).replaceAll(/\s+/g, ' ').trim(),
    row_limit: 1000,
  }
  const code = `answer = await call_tool("executeSql", ${JSON.stringify(given)})
return "\\n".join([" ".join([str(value) for value in row]) for row in answer["rows"]])`
  return builtIn.call('execute', { code })
}

const FROM = `FROM spans s JOIN traces t ON t.id = s.trace_rowid JOIN projects p ON p.id = t.project_rowid
  WHERE p.name = PROJECT`
const INPUT = `(s.attributes ->> '$.input.value')`
const OUTPUT = `(s.attributes ->> '$.output.value')`

/** Statements that each find one kind of fault, by one who knows the kind. */
const STATEMENTS: Record<string, string> = {
  'wrong argument': `WITH calls AS (SELECT s.span_id, s.name,
      (SELECT group_concat(j.key) FROM json_each(${INPUT}) j) AS keys ${FROM} AND s.span_kind = 'TOOL')
    SELECT c.span_id, c.name, c.keys FROM calls c JOIN (SELECT name, keys, count(*) AS n FROM calls GROUP BY name, keys) g
    ON g.name = c.name AND g.keys = c.keys WHERE g.n < 3`,
  loop: `SELECT min(s.span_id) AS span_id, group_concat(s.span_id) AS span_ids, s.name, count(*) AS n ${FROM} AND s.span_kind = 'TOOL'
    GROUP BY s.trace_rowid, s.name, ${INPUT} HAVING count(*) > 3`,
  'swallowed error': `SELECT s.span_id, s.name ${FROM} AND s.status_code <> 'ERROR' AND s.span_kind = 'TOOL'
    AND (${OUTPUT} LIKE '%traceback%' OR ${OUTPUT} LIKE '%timed out%' OR ${OUTPUT} LIKE '%"status":5%')`,
  'truncated context': `WITH calls AS (SELECT s.span_id, s.llm_token_count_prompt AS tokens, lag(s.llm_token_count_prompt)
      OVER (PARTITION BY s.trace_rowid ORDER BY s.start_time) AS before ${FROM} AND s.span_kind = 'LLM')
    SELECT span_id, tokens, before FROM calls WHERE tokens * 2 < before`,
  'wrong tool': `SELECT min(s.span_id) AS span_id, s.name ${FROM} AND s.span_kind = 'TOOL' GROUP BY s.name HAVING count(*) = 1`,
  'stale retrieval': `WITH calls AS (SELECT s.span_id, s.name, ${INPUT} AS input, ${OUTPUT} AS output ${FROM} AND s.span_kind = 'TOOL')
    SELECT c.span_id, c.name FROM calls c JOIN (SELECT name, output FROM calls GROUP BY name, output
      HAVING count(DISTINCT input) > 1) g ON g.name = c.name AND g.output = c.output`,
}

const service = await createService()
const stepwell = new StepwellClient({
  apiKey: service.apiKey as string,
  fetch: service.fetch,
  timeoutMs: 600_000,
})

const ASKED: Record<string, Ask> = {
  'stepwell: outline of the thread': async ({ threadId }) =>
    (await outline(stepwell, { threadId, budget: BUDGET }))?.text ?? '',
  'phoenix-mcp: list-traces, all 30': (thread) =>
    packaged.call('list-traces', { project_identifier: thread.project, limit: 100 }),
  'phoenix-mcp: get-spans, all': spans(() => ({})),
  'phoenix-mcp: get-spans, of the kind of the faulty one': spans(({ spanKind }) => ({
    span_kinds: [spanKind],
  })),
  'phoenix-mcp: get-spans, with errors': spans(() => ({ status_codes: ['ERROR'] })),
  'phoenix-mcp: get-session': (thread) =>
    packaged.call('get-session', {
      project_identifier: thread.project,
      session_identifier: thread.project,
    }),
  'phoenix-mcp: get-trace, of the faulty run': ({ project, traceId }) =>
    packaged.call('get-trace', { project_identifier: project, trace_id: traceId }),
  'built in: SQL, a line a span': (thread) =>
    sql(
      thread,
      `SELECT s.span_id, s.name, substr(${INPUT}, 1, 40) AS input, substr(${OUTPUT}, 1, 40) AS output ${FROM} ORDER BY s.start_time`,
    ),
  'built in: SQL, ids and names': (thread) =>
    sql(thread, `SELECT s.span_id, s.name ${FROM} ORDER BY s.start_time`),
  'built in: SQL, for this kind of fault': (thread) => sql(thread, STATEMENTS[thread.kind] ?? ''),
  'built in: SQL, for all six kinds': async (thread) =>
    (await Promise.all(Object.values(STATEMENTS).map((statement) => sql(thread, statement)))).join(
      '\n',
    ),
}

interface Asked {
  tokens: number[]
  fit: number
  found: number
  inTheWhole: number
  kinds: Map<string, number>
}
const asked = new Map<string, Asked>()
for await (const thread of faultyThreads(file, 1)) {
  for (let from = 0; from < thread.steps.length; from += 500)
    await stepwell.api.sendSteps(thread.steps.slice(from, from + 500))
  const loaded = await load(thread)
  for (const [name, ask] of Object.entries(ASKED)) {
    const id = name.startsWith('stepwell') ? loaded.faulty : loaded.faultySpan
    const text = await ask(loaded)
    const tokens = encode(text, { disallowedSpecial: new Set<string>() })
    const isNamed = (part: string): boolean => new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(part)
    const of: Asked = asked.get(name) ?? {
      tokens: [],
      fit: 0,
      found: 0,
      inTheWhole: 0,
      kinds: new Map(),
    }
    asked.set(name, of)
    of.tokens.push(tokens.length)
    if (tokens.length <= BUDGET) of.fit++
    if (isNamed(text)) of.inTheWhole++
    if (isNamed(decode(tokens.slice(0, BUDGET)))) {
      of.found++
      of.kinds.set(loaded.kind, (of.kinds.get(loaded.kind) ?? 0) + 1)
    }
  }
  console.error(`${loaded.threadId}: ${loaded.steps.length} steps`)
}

const version = (client: Client): string => client.getServerVersion()?.version ?? '?'
console.log(`phoenix-mcp ${version(packaged.client)}, Phoenix's own ${version(builtIn.client)}`)
for (const [name, { tokens, fit, found, inTheWhole, kinds }] of asked) {
  const sorted = tokens.toSorted((one, other) => one - other)
  console.log(
    `${name}: id within ${BUDGET} tokens in ${found} of ${tokens.length}, in the whole answer in ${inTheWhole}; ${fit} fit; ` +
      `${sorted[0]} to ${sorted.at(-1)} tokens, median ${sorted[sorted.length >> 1]}`,
  )
  console.log(`  ${[...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ')}`)
}
await packaged.client.close()
await builtIn.client.close()
await service.close()
