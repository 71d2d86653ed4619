import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import {
  argumentsOf,
  CASES,
  keep,
  type Made,
  WEBHOOK_HOST,
} from '../../../test/support/operations.js'
import { type Database, openDatabase } from '../../src/database/database.js'
import { distribute } from '../../src/database/distribution/distribute.js'
import { DISTRIBUTED, LOCAL, REFERENCE } from '../../src/database/distribution/tables.js'
import { Projects } from '../../src/domain/projects.js'
import { deletePortion } from '../../src/domain/retention/delete-portion.js'
import type { Portion } from '../../src/domain/retention/walk.js'
import { measureRolled } from '../../src/domain/rollups/measure.js'
import { Rollups } from '../../src/domain/rollups/rollups.js'
import { UserSums } from '../../src/domain/user-sums.js'
import { createService, type Service } from '../../src/index.js'
import { createClock, parseInstant } from '../../src/kernel/instant.js'
import { Pages } from '../../src/lists/page.js'
import type { Range } from '../../src/storage/metrics.js'
import { hasKept } from '../../src/storage/rollups/kept.js'
import { compareRollups } from '../support/compare-rollups.js'
import { indexed, newIndexer } from '../support/contents.js'
import { faultsOf, faultsOfTransaction } from '../support/distributed-rule.js'
import { filtersOf, LISTS, ordersOf } from '../support/lists.js'
import { signInPeople } from '../support/sign-in-people.js'

/** Every statement that the program sent, by its text. */
const statements = new Set<string>()
/** The statements of every transaction of the program. */
const transactions: string[][] = []
const HOUR_MS = 3_600_000

const perform = async (service: Service) => {
  const { projectId, apiKey } = await service.createProject('all')
  const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
  const made: Made = { none: 'nothing' }
  for (const one of CASES) {
    const method = Reflect.get(api, one.name) as (...args: unknown[]) => Promise<unknown>
    // Some are refused, as they should be.
    const result = await method.apply(api, argumentsOf(one, made, false)).catch(() => undefined)
    if (one.keeps !== undefined) keep(one, made, result)
  }
  // Covers what operations of the SDK do not reach, or not in every way.
  const ask = (query: string, variables = {}) =>
    service.fetch('http://x/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ query, variables }),
    })
  const step = { id: 's', threadId: 't', sessionId: 'a', sequence: 1, tags: ['x'] }
  const ingest = (steps: unknown[], session: unknown = null) =>
    ask(
      'mutation($steps: [StepInput!]!, $session: SessionInput) { ingestSteps(steps: $steps, session: $session) { ok } }',
      { steps, session },
    )
  const score = { name: 'q', type: 'AI', value: 1 }
  await ingest(
    [{ ...step, scores: [score], attachments: [{ id: 'f', name: 'f', objectKey: 'k' }] }],
    {
      id: 'a',
      startedAt: '2026-01-01T00:00:00Z',
      recorded: 3,
      losses: [{ from: 2, to: 2, reason: 'REFUSED', threadId: 't' }],
    },
  )
  await ingest([{ ...step, sequence: 3, threadId: null, name: 'b' }])
  await ingest([{ ...step, sequence: 2, scores: [score] }])
  const spans = (attributes: unknown[], spanId: string) => [
    { traceId: 'a'.repeat(32), spanId: spanId.repeat(16), name: 'n', attributes },
  ]
  const call = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
    { key: 'gen_ai.usage.input_tokens', value: { intValue: '1' } },
  ]
  for (const some of [
    spans([], '1'),
    spans([{ key: 'session.id', value: { stringValue: 'c' } }], '2'),
    spans(call, '4'),
    spans(call, '5').map((span) => ({ ...span, parentSpanId: '4'.repeat(16) })),
  ])
    await service.fetch('http://x/v1/traces', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: some }] }] }),
    })
  const logRecords = [
    { traceId: 'a'.repeat(32), spanId: '1'.repeat(16), eventName: 'gen_ai.choice', body: {} },
  ]
  for (let time = 0; time < 2; time++)
    await service.fetch('http://x/v1/logs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }),
    })
  const named = { 'gen_ai.prompt.name': 'p', 'gen_ai.prompt.version': 1 }
  const attributes = Object.entries(named).map(([key, value]) => ({
    key,
    value: { stringValue: String(value) },
  }))
  await service.fetch('http://x/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spans(attributes, '3') }] }] }),
  })
  await ask(
    '{ threads { edges { node { sessions { id losses { from } } tokenCount duration } } } }',
  )
  await ask(
    '{ session(id: "a") { id missingRanges { from } } participants { edges { node { threadCount } } } }',
  )
  await ask('{ threads(orderBy: { column: tokenCount, direction: ASC }) { totalCount } }')
  await ask(
    `{ threads { edges { node { stepCount firstMessage scores { id } } } }
      steps { edges { node { inputPreview outputBytes } } } outline(threadId: "t") { revision skeleton matches(text: "x") }
      datasets { edges { node { itemCount experimentCount } } }
      datasetExperiments { edges { node { itemCount scores { name } dataset { id } } } }
      promptLineages { edges { node { versions { use { generationCount scores { name } } } } } }
      project { isEmpty storage { databaseBytes } } }`,
  )
  const range = 'from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z"'
  // Scores of experiments are left out by the ids of their steps and threads.
  await ingest([{ id: 'tried', threadId: 'trial', type: 'run', environment: 'experiment' }])
  for (const [subject, ...splits] of [
    ['threads', 'environment', 'release'],
    ['runs', 'environment', 'release', 'name'],
    ['steps', 'environment', 'release', 'name', 'type'],
    ['generations', 'environment', 'release', 'model', 'promptVersion'],
    ['scores', 'environment', 'release', 'model', 'promptVersion', 'name'],
  ])
    for (const by of [undefined, ...splits])
      for (const condition of ['environment: "prod"', 'excludeExperiments: true'])
        await ask(
          `{ metrics(subject: ${subject}, ${range}, ${condition} ${by === undefined ? '' : `, by: ${by}`}) { series { key } } }`,
        )
  for (const field of ['name', 'model', 'provider', 'tags', 'user', 'score'])
    await ask(`{ facets(field: ${field}, prefix: "a") { value } }`)
  // A deletion includes the files.
  await ingest([{ id: 'u', threadId: 'v', attachments: [{ id: 'g', name: 'g', objectKey: 'l' }] }])
  await ingest([{ id: 'w', attachments: [{ id: 'h', name: 'h', objectKey: 'm' }] }])
  await ask('mutation { deleteThread(id: "v") { id } deleteStep(id: "w") { id } }')
  await ask(
    'mutation { createView(subject: STEPS, name: "a", query: "error:any", isDefault: true) { id } }',
  )
  const answer = await ask(
    'mutation { createView(subject: STEPS, name: "b", query: "", isDefault: true) { id } }',
  )
  const { createView } = (await answer.json()).data
  await ask(`mutation { updateView(id: "${createView.id}", name: "c") { id } }`)
  await ask(`mutation { deleteView(id: "${createView.id}") { id } }`)
  await judge(api)
  await erase(api)
  await service.collectFiles(new Date(Date.now() + 25 * HOUR_MS))
  await service.operate({
    noun: 'key',
    verb: 'list',
    subject: undefined,
    options: { project: projectId },
  } as never)
  const token = new URL(service.signInLink('http://x', projectId)).searchParams.get('token')
  await service.fetch('http://x/api/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'http://x' },
    body: JSON.stringify({ token }),
  })
  await service.operate({
    noun: 'project',
    verb: 'delete',
    subject: projectId,
    options: {},
  } as never)
}

/** Judges a step, and leaves another one out. */
const judge = async (api: StepwellClient['api']) => {
  const filters = [{ field: 'name', operator: 'eq', value: 'judged' }] as const
  const rules = { name: 'j', version: '2', subject: 'STEPS', sample: 1, quietSeconds: 0 } as const
  const worker = { judge: { ...rules, filters }, holder: 'h', first: 9, seconds: 60 }
  await api.leaseJudgements(worker)
  await api.sendSteps(
    ['judged', 'other'].map((name) => ({ id: name, name, endTime: '2026-01-01T00:00:00Z' })),
  )
  const { judgeId } = await api.leaseJudgements(worker)
  const scores = [{ name: 'q', type: 'AI', value: 1 }] as const
  await api.createJudgements({ judgeId, holder: 'h', judgements: [{ id: 'judged', scores }] })
}

/** Deletes people whose data is everywhere, and other things that name them. */
const erase = async (api: StepwellClient['api']) => {
  const dataset = await api.createDataset({ name: 'copies' })
  const experiment = await api.createExperiment({ name: 'e', datasetId: dataset.id })
  for (const person of ['ann', 'ben', 'cai']) {
    const threadId = `of ${person}`
    await api.upsertThread({ threadId, participantId: person })
    await api.sendSteps([
      { id: `1 ${person}`, threadId },
      { id: `2 ${person}`, threadId, parentId: `1 ${person}` },
    ])
    const item = await api.addStepToDataset(dataset.id, `1 ${person}`)
    await api.createExperimentItem({
      datasetExperimentId: experiment.id,
      datasetItemId: item.id,
      experimentRunId: `run ${person}`,
    })
    await api.sendSteps([
      { id: `run ${person}` },
      { id: `3 ${person}`, rootRunId: `run ${person}` },
    ])
    await api.upsertThread({ threadId: `left by ${person}`, participantId: person })
    await api.updateThread({
      id: `left by ${person}`,
      participantId: person === 'ben' ? null : 'dan',
    })
    await api.createScore({ stepId: 's', name: 'q', type: 'HUMAN', value: 1, scorer: person })
  }
  await api.deleteThread('of ann')
  await api.deleteUserData('ann', { dryRun: true })
  await api.deleteUserData('ann')
  await api.deleteUserData('ben', { copies: false })
  await api.deleteExperiment(experiment.id)
  await api.deleteDataset(dataset.id)
  await api.deleteUserData('cai')
}

const readLists = async (db: Database) => {
  const limits = { searchRows: 100, searchMs: 60_000 }
  const pages = new Pages(db, limits, {
    firstWindow: 1,
    largestWindow: 1,
    probeAfterRows: 1,
    maxCandidates: 5,
    sorted: 50,
  })
  // The direction changes no table of a statement: each condition has one, in turns.
  for (const listing of Object.values(LISTS).map((of) => of('p')))
    for (const [index, filter] of filtersOf(listing).entries())
      for (const orderBy of ordersOf(listing).filter((_, at) => (at + index) % 2 === 0)) {
        const page = await pages.read('p', listing, { first: 2, filters: [filter], orderBy })
        await page.count()
      }
}

/** Measures ahead, with a part of the rows from before there were marks, and reads that. Keeps the sums of a user. */
const measureAhead = async (db: Database) => {
  await db.executeQuery(
    CompiledQuery.raw(
      `INSERT INTO rollup_fills (project_id, source) VALUES ('p', 'steps'), ('p', 'threads')`,
    ),
  )
  const rollups = new Rollups(db, {
    fewestRows: 1,
    quietSeconds: { 60: 0, 600: 0, 3600: 0, 21600: 0, 86400: 0 },
    restFactor: 0,
    mergedRows: 1,
  })
  while (await rollups.work());
  await db.executeQuery(
    CompiledQuery.raw(
      `INSERT INTO participants (project_id, id, identifier, metadata, created_at) VALUES ('p', 'ann', 'ann', '{}', now())`,
    ),
  )
  await db.executeQuery(
    CompiledQuery.raw(
      `UPDATE threads SET participant_id = 'ann' WHERE project_id = 'p' AND id = '2'`,
    ),
  )
  while (await new UserSums(db, { quietSeconds: 0 }).work());
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const whole = { fromMs: now - HOUR_MS, toMs: now + HOUR_MS, environment: null }
  for (const subject of ['steps', 'runs', 'generations', 'threads'] as const)
    for (const by of [undefined, 'release'])
      for (const buckets of [1, 120]) {
        const asked = { ...whole, subject, by, buckets, excludeExperiments: true }
        expect(await compareRollups(db, 'p', asked)).toBe(true)
      }
}

/** Deletes threads and steps in portions, keeps their figures, and reads these. */
const keepFigures = async (db: Database) => {
  await db.executeQuery(
    CompiledQuery.raw(
      `UPDATE steps SET thread_id = '1' WHERE project_id = 'p' AND id IN ('1', '2', '3')`,
    ),
  )
  const tomorrow = new Date(Date.now() + 24 * HOUR_MS).toISOString()
  const due = { moments: { prod: tomorrow }, keep: [], keepMetrics: true, most: 1 }
  const remove = (portion: Portion) =>
    db.transaction().execute((transaction) => deletePortion(transaction, 'p', portion, due))
  const thread: Portion = { kind: 'threads', ids: ['1'], steps: 3 }
  while ((await remove(thread)).isMore);
  expect(await remove({ kind: 'steps', ids: ['4'] })).toMatchObject({ steps: 1 })
  // Figures are kept by the hour: that of the rows may have begun an hour before the one that is running.
  const from = parseInstant('from', new Date(Date.now() - 2 * HOUR_MS).toISOString())
  const range: Range = {
    from,
    to: parseInstant('to', tomorrow),
    bucketSeconds: 27 * 3600,
    environment: null,
    participantId: null,
    excludeExperiments: false,
  }
  const asked = { projectId: 'p', range, mostRows: 100, mostSeries: 2 }
  const rows = await measureRolled(db, { ...asked, subject: 'steps', by: 'name' })
  expect(rows).toContainEqual(expect.objectContaining({ bucket: null, count: 4 }))
  const only = { dimension: 'name', value: 'n' }
  await measureRolled(db, { ...asked, subject: 'steps', by: undefined, only })
  expect(await hasKept(db, 'p', 'threads', range)).toBe(true)
}

/** Indexes enough small steps for slabs to be joined. */
const indexContents = async (db: Database) => {
  const projectId = 'contents'
  await db.executeQuery(
    CompiledQuery.raw(`INSERT INTO projects (id, name, created_at) VALUES ($1, $1, now())`, [
      projectId,
    ]),
  )
  await db.executeQuery(
    CompiledQuery.raw(
      `INSERT INTO steps (project_id, id, type, name, created_at, ingested, has_generation)
       SELECT $1, n::text, 'run', 'a', now(), true, false FROM generate_series(1, 10000) n`,
      [projectId],
    ),
  )
  const indexer = newIndexer(db)
  const inBlocks = async () => (await indexed(db, projectId)).inBlocks
  // The first rounds wait for transactions that may not have noted their changes.
  for (let round = 0; round < 100 && (await inBlocks()) < 8192; round++) await indexer.work()
  expect(await inBlocks()).toBeGreaterThanOrEqual(8192)
}

/** Deletes what a deleted project has, as a service does every half minute. */
const removeLate = async (db: Database) => {
  const projects = new Projects(db, createClock())
  const { projectId } = await projects.create('gone')
  await projects.delete(projectId)
  await projects.removeLate()
}

beforeAll(async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const service = await createService({ webhookHosts: [WEBHOOK_HOST] })
  const db = await openDatabase({ folder: undefined })
  try {
    await perform(service)
    await db.executeQuery(
      // Enough rows for searches to go beyond their first portion.
      CompiledQuery.raw(
        `INSERT INTO steps (project_id, id, type, created_at, ingested, has_generation)
         SELECT 'p', n::text, 'run', now(), true, true FROM generate_series(1, 4) n`,
      ),
    )
    await db.executeQuery(
      CompiledQuery.raw(
        `INSERT INTO threads (project_id, id, created_at) SELECT 'p', n::text, now() FROM generate_series(1, 4) n`,
      ),
    )
    await readLists(db)
    await measureAhead(db)
    await keepFigures(db)
    await indexContents(db)
    await signInPeople(db, 'contents')
    await removeLate(db)
  } finally {
    const { calls, contexts } = query.mock
    // Each connection has its own: two databases are open, and both work behind what is asked of them.
    const underWay = new Map<unknown, string[]>()
    for (const [at, [{ text: statement }]] of (
      calls as unknown as [{ text: string }][]
    ).entries()) {
      const connection = contexts[at]
      statements.add(statement)
      if (/^(begin|start transaction)/i.test(statement)) {
        const transaction: string[] = []
        underWay.set(connection, transaction)
        transactions.push(transaction)
      } else if (/^(commit|rollback)/i.test(statement)) underWay.delete(connection)
      else underWay.get(connection)?.push(statement)
    }
    query.mockRestore()
    await service.close()
    await db.destroy()
  }
})
afterAll(() => vi.restoreAllMocks())

/** Statements of requests; those of migrations run on the coordinator. */
const ofRequests = () =>
  [...statements].filter((text) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text))

test('the program sends statements to check', () => {
  expect(ofRequests().length).toBeGreaterThan(300)
})

test('no statement of the program joins large tables or queries one for each row of another', async () => {
  const faults: string[] = []
  for (const statement of ofRequests())
    for (const fault of await faultsOf(statement)) faults.push(`${fault}: ${statement}`)
  expect(faults).toEqual([])
})

test('no transaction of the program changes tables that all workers have after rows that are on many', async () => {
  const changing = transactions.filter((parts) =>
    parts.some((text) => /^\s*(INSERT|UPDATE|DELETE)\b/i.test(text)),
  )
  expect(changing.length).toBeGreaterThan(20)
  const faults = new Set<string>()
  // Migrations run before tables are distributed.
  for (const parts of changing)
    if (!parts.some((text) => /^\s*(CREATE|ALTER)\b/i.test(text)))
      for (const fault of await faultsOfTransaction(parts))
        faults.add(`${fault}: ${parts.join(' ; ')}`)
  expect([...faults]).toEqual([])
})

test('the checked statements are all that the sources have, for each table', async () => {
  const folder = join(import.meta.dirname, '../../src')
  const files = (await readdir(folder, { recursive: true })).filter((name) =>
    /^(storage\/.*|database\/[^/]*)\.ts$/.test(name),
  )
  const verbs = /(INSERT INTO|UPDATE|DELETE FROM|FROM) ([a-z_]+)\b/g
  const missing = new Set<string>()
  const seen = ofRequests()
    .join('\n')
    .replace(/["\s]+/g, ' ')
  for (const file of files) {
    if (/\/(distribution|statistics|database)\.ts$/.test(file)) continue
    // A move begins on no distributed database.
    if (/^storage\/moving\/(changes|moves)\.ts$/.test(file)) continue
    const source = await readFile(join(folder, file), 'utf8')
    // Insertions of rows name their table apart from the verb.
    const insertions = [...source.matchAll(/\binto: '([a-z_]+)/g)].map(([text, table]) => [
      text,
      'INSERT INTO',
      table,
    ])
    for (const [, verb, table] of [...source.matchAll(verbs), ...insertions]) {
      const isTable =
        table !== undefined &&
        (table in DISTRIBUTED || REFERENCE.includes(table) || LOCAL.includes(table))
      if (isTable && !seen.includes(`${verb} ${table}`)) missing.add(`${file}: ${verb} ${table}`)
    }
  }
  expect([...missing]).toEqual([])
})

test('every table is distributed, copied or of the coordinator alone, by a column of its primary key', async () => {
  const db = await openDatabase({ folder: undefined })
  const { rows } = await db.executeQuery<{ name: string; key: string[] }>(
    CompiledQuery.raw(`
      SELECT c.relname::text AS name, array_agg(a.attname::text) AS key FROM pg_class c
      JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE 'kysely%' GROUP BY 1 ORDER BY 1`),
  )
  expect(rows.map(({ name }) => name)).toEqual(
    [...Object.keys(DISTRIBUTED), ...REFERENCE, ...LOCAL].sort(),
  )
  for (const { name, key } of rows)
    if (DISTRIBUTED[name] !== undefined) expect(key).toContain(DISTRIBUTED[name])
  await expect(distribute(db)).rejects.toThrow('the database has no Citus extension')
  await db.destroy()
})

describe('the rule', () => {
  test.each([
    ['SELECT 1 FROM steps s JOIN threads t ON t.id = s.thread_id', 'joins steps and threads'],
    ['SELECT 1 FROM steps s, scores c', 'joins steps and scores'],
    [
      'SELECT 1 FROM steps s WHERE EXISTS (SELECT 1 FROM scores c WHERE c.step_id = s.id)',
      'asks scores for each row of steps',
    ],
    [
      'SELECT 1 FROM steps s WHERE s.project_id = $1 FOR UPDATE',
      'locks rows of steps on many workers',
    ],
    [
      'SELECT (SELECT count(*) FROM json_array_elements(CASE WHEN pg_column_size(s.input) < 9 THEN s.input END)) FROM steps s',
      'calls pg_column_size, which is not immutable, for a table beside steps',
    ],
    [
      'SELECT 1 FROM datasets d WHERE d.id = $1 FOR KEY SHARE',
      'locks rows of datasets, which is a lock of the whole table on each worker',
    ],
    ['UPDATE steps SET name = t.name FROM threads t', 'joins steps and threads'],
    ['UPDATE steps SET id = $1', 'changes the column that distributes steps'],
    [
      'UPDATE files SET size = 1 WHERE object_key IN (SELECT object_key FROM attachments)',
      'changes files, which all workers have, by what attachments says',
    ],
    [
      'INSERT INTO steps (project_id, id) VALUES ($1, $2) ON CONFLICT (project_id) DO NOTHING',
      'looks for conflicts of steps on many workers',
    ],
    [
      'UPDATE scores c SET value = $1 WHERE c.id = $2 RETURNING c.id, to_json(c.tags)',
      'calls to_json in what a change of scores returns',
    ],
    [
      'DELETE FROM participants WHERE id = $1 RETURNING created_at::text',
      'casts in what a change of participants returns',
    ],
    [
      'SELECT name, type, count(*) FROM steps GROUP BY GROUPING SETS ((name, type), (name))',
      'groups by several sets at once',
    ],
    ['SELECT name, count(*) FROM steps GROUP BY ROLLUP (name)', 'groups by several sets at once'],
    [
      'SELECT id FROM alerts WHERE due_at <= $1 FOR UPDATE SKIP LOCKED',
      'skips rows that others lock, of which every worker has its own',
    ],
    [
      'UPDATE content_states SET held_until = clock_timestamp() WHERE project_id = $1',
      'calls clock_timestamp, which is volatile, to change content_states',
    ],
    [
      'UPDATE steps s SET error = to_json(s.name) WHERE s.id = $1',
      'calls to_json, which is stable, with columns to change steps',
    ],
    [
      'UPDATE threads t SET tags = r.tags::text[] FROM unnest($1::text[], $2::text[]) AS r (id, tags) WHERE t.id = r.id',
      'casts a column to a list to change threads',
    ],
    [
      'INSERT INTO steps (project_id, id) VALUES ($1, $2) ON CONFLICT (project_id, id) DO UPDATE SET sequence = random()',
      'calls random, which is not immutable, where a row of steps exists',
    ],
    [
      'SELECT 1 FROM steps s CROSS JOIN LATERAL (SELECT s.name AS tool UNION ALL SELECT c FROM unnest($1::text[]) AS c) AS a',
      'reads steps with a union that has a part without a table',
    ],
    [
      'SELECT count(*) FROM (SELECT 1 FROM steps WHERE sequence = 1 UNION ALL SELECT 1 FROM steps WHERE sequence = 2) AS found',
      'reads parts of steps without id, which distributes it',
    ],
    [
      'SELECT count(*) FROM (SELECT id FROM steps WHERE sequence = 1 UNION ALL SELECT id FROM steps WHERE sequence = 2 LIMIT 9) AS found',
      'limits a union of parts of steps',
    ],
    [
      'WITH f AS (SELECT id FROM scores WHERE step_id IN (SELECT s.id FROM steps s) UNION ALL SELECT id FROM scores WHERE value = 2) SELECT id FROM f',
      'asks steps in a part of a union of scores',
    ],
  ])('finds the fault of %s', async (statement, fault) => {
    expect(await faultsOf(statement)).toEqual([fault])
  })

  test('finds a change of a table on all workers after one of a distributed table, unless they run one by one', async () => {
    const parts = [
      'DELETE FROM steps WHERE project_id = $1',
      'DELETE FROM projects WHERE id = $1',
    ] as const
    expect(await faultsOfTransaction(parts)).toEqual([
      'changes projects after steps on many workers at once',
    ])
    expect(await faultsOfTransaction([...parts].reverse())).toEqual([])
    expect(
      await faultsOfTransaction([
        "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
        ...parts,
      ]),
    ).toEqual([])
    expect(
      await faultsOfTransaction([
        'DELETE FROM threads WHERE project_id = $1 AND id = $2',
        'INSERT INTO threads (project_id, id) VALUES ($1, $2)',
        parts[1],
      ]),
    ).toEqual([])
  })

  test.each([
    'SELECT 1 FROM steps s WHERE s.id IN (SELECT c.step_id FROM scores c WHERE c.value > 1)',
    'SELECT 1 FROM steps s JOIN participants p ON p.id = s.participant_id',
    'SELECT (SELECT p.identifier FROM participants p WHERE p.id = s.participant_id) FROM steps s',
    'SELECT 1 FROM threads t WHERE t.project_id = $1 AND t.id = $2 FOR UPDATE',
    'UPDATE threads t SET stale_since = statement_timestamp() WHERE t.id = $1',
    'SELECT f.id FROM (SELECT id FROM steps WHERE sequence = 1 UNION ALL SELECT id FROM steps WHERE sequence = 2) AS f LIMIT 9',
    "SELECT start FROM rollups WHERE project_id = 'p' AND seconds = 1 UNION ALL SELECT start FROM rollups WHERE project_id = 'p'",
    'UPDATE threads t SET stale = r.s FROM unnest($1::text[], $2::bool[]) AS r (id, s) WHERE t.id = r.id',
  ])('finds none in %s', async (statement) => {
    expect(await faultsOf(statement)).toEqual([])
  })
})
