// A project of any size: real conversations through the service, then copies of their rows by SQL.
import { sql } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../../server/dist/src/database/database.js'
import { refreshStatistics } from '../../server/dist/src/database/statistics.js'
import { conversations } from './shapes.js'

/** Steps that come through the service. All others are copies of them. */
const BASE = 100_000
const BATCH = 1000
const PORTION = 25_000
/** Copies that share their users. */
const COPIES_OF_USERS = 10
const TABLES = ['participants', 'threads', 'steps', 'scores']
const ITEMS = 100

/** Text of one step alone, whatever the size. */
export const RARE = 'quagmire-7731'

/** Records conversations, and what people make of them: a dataset, experiments, a prompt. Takes a running service. */
export const record = async ({ post }, size) => {
  const ask = async (query, variables) =>
    (await post('/api/graphql', JSON.stringify({ query, variables }))).data
  const participants = new Map()
  const idOf = async (user) => {
    if (!participants.has(user)) {
      const { createParticipant } = await ask(
        'mutation ($identifier: String!) { createParticipant(identifier: $identifier) { id } }',
        { identifier: `user-${user}@example.org` },
      )
      participants.set(user, createParticipant.id)
    }
    return participants.get(user)
  }
  let waiting = []
  const send = async () => {
    if (waiting.length === 0) return
    await ask('mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: waiting,
    })
    waiting = []
  }
  for (const { threadId, user, name, steps } of conversations(
    Math.min(size, BASE),
    Date.now() - 3_600_000,
  )) {
    await ask(
      'mutation ($id: String!, $name: String, $participantId: String) { upsertThread(id: $id, name: $name, participantId: $participantId) { id } }',
      { id: threadId, name, participantId: await idOf(user) },
    )
    waiting.push(...steps)
    if (waiting.length >= BATCH) await send()
  }
  await send()
  await evaluate(ask)
}

const evaluate = async (ask) => {
  const { createDataset } = await ask(
    'mutation { createDataset(name: "questions", type: key_value) { id } }',
  )
  const datasetId = createDataset.id
  const items = []
  for (let item = 0; item < ITEMS; item++) {
    const made = await ask(
      'mutation ($datasetId: String!, $input: Json!) { createDatasetItem(datasetId: $datasetId, input: $input) { id } }',
      { datasetId, input: { question: `Question ${item}` } },
    )
    items.push(made.createDatasetItem.id)
  }
  for (const experiment of [1, 2]) {
    const made = await ask(
      'mutation ($datasetId: String!, $name: String!) { createDatasetExperiment(datasetId: $datasetId, name: $name, params: {}) { id } }',
      { datasetId, name: `release ${experiment}` },
    )
    for (const [index, datasetItemId] of items.entries()) {
      const result = await ask(
        'mutation ($datasetExperimentId: String!, $datasetItemId: String!, $input: Json, $output: Json) { createDatasetExperimentItem(datasetExperimentId: $datasetExperimentId, datasetItemId: $datasetItemId, input: $input, output: $output) { id } }',
        {
          datasetExperimentId: made.createDatasetExperiment.id,
          datasetItemId,
          input: { question: `Question ${index}` },
          output: { answer: `Answer ${index * experiment}` },
        },
      )
      await ask(
        'mutation ($id: String!, $value: Float!) { createScore(datasetExperimentItemId: $id, name: "quality", type: CODE, value: $value) { id } }',
        { id: result.createDatasetExperimentItem.id, value: ((index * 7 + experiment) % 10) / 10 },
      )
    }
  }
}

const columnsOf = async (db, table) => {
  const { rows } = await sql`
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_name = ${table} AND table_schema = current_schema() AND is_generated = 'NEVER'
    ORDER BY ordinal_position`.execute(db)
  return rows.map(({ name }) => name)
}

/** Returns the SQL of a column in a copy. */
const copied = (table, column, copy) => {
  const owner = Math.floor(copy / COPIES_OF_USERS)
  if (table === 'participants')
    switch (column) {
      case 'id':
      case 'identifier':
        return `'${owner}-' || ${column}`
      default:
        return column
    }
  switch (column) {
    case 'participant_id':
      return owner === 0 ? column : `'${owner}-' || ${column}`
    case 'id':
    case 'thread_id':
    case 'root_run_id':
    case 'parent_id':
    case 'step_id':
    case 'generation_id':
      return `'${copy}-' || ${column}`
    case 'session_id':
    case 'sequence':
      return 'NULL'
    case 'created_at':
    case 'updated_at':
    case 'start_time':
    case 'end_time':
    case 'started_at':
    case 'last_step_at':
    case 'last_activity_at':
      // Within a day, so that the rhythm of days stays.
      return `${column} - interval '${(copy * 7919) % 43_200} seconds'`
    default:
      return column
  }
}

/** Copies the rows that came through the service until there are `size` steps. Takes a database that nothing else has open. */
export const copyTo = async (location, size) => {
  const db = await openDatabase({ ...location, statementTimeoutMs: 0, report: console.error })
  const { rows: counts } = await sql`SELECT count(*)::int AS steps FROM steps`.execute(db)
  const base = counts[0].steps
  for (const table of TABLES) {
    const condition = table === 'scores' ? 'WHERE dataset_experiment_item_id IS NULL' : ''
    await sql
      .raw(
        `CREATE TABLE base_${table} AS SELECT *, row_number() OVER () AS row_number FROM ${table} ${condition}`,
      )
      .execute(db)
    await sql.raw(`CREATE INDEX ON base_${table} (row_number)`).execute(db)
  }
  const copies = Math.ceil(size / base) - 1
  for (let copy = 1; copy <= copies; copy++) {
    for (const table of TABLES) {
      if (table === 'participants' && copy % COPIES_OF_USERS !== 0) continue
      const columns = await columnsOf(db, table)
      const { rows } = await sql.raw(`SELECT count(*)::int AS count FROM base_${table}`).execute(db)
      for (let from = 0; from < rows[0].count; from += PORTION)
        await sql
          .raw(`INSERT INTO ${table} (${columns.join(', ')})
            SELECT ${columns.map((column) => copied(table, column, copy)).join(', ')} FROM base_${table}
            WHERE row_number > ${from} AND row_number <= ${from + PORTION}`)
          .execute(db)
    }
    if (copy % 10 === 0)
      console.error(`  ${((copy + 1) * base).toLocaleString('en')} of ${size.toLocaleString('en')}`)
  }
  for (const table of TABLES) await sql.raw(`DROP TABLE base_${table}`).execute(db)
  // The index of contents is made again behind the copies, as after an upgrade.
  for (const table of ['content_states', 'content_changes', 'content_slabs', 'content_blocks'])
    await sql.raw(`DELETE FROM ${table}`).execute(db)
  await refreshStatistics(db)
  await db.destroy()
}

const LOOK_MS = 3000
/**
 * Counts of what is left to do; on the embedded engine the service's own process does it, and is busy. Changed steps that
 * fill no slab are left.
 */
const LEFT = [
  'SELECT count(*) FROM rollup_fills',
  'SELECT count(*) FROM rollup_marks',
  'SELECT count(*) FROM participant_marks',
  'SELECT greatest(0, coalesce(sum(cardinality(step_ids)), 0) - 2000) FROM content_changes',
]
/** The spans under way are marked again and again. */
const FEW = 60

const countLeft = async (url) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    `SELECT ${LEFT.map((count) => `(${count})`).join(' + ')} AS count`,
  )
  await client.end()
  return Number(rows[0].count)
}

/**
 * Resolves once a service has nothing left to do behind what was written: its process has not worked for three looks in a row,
 * and the tables of work of a database on a server are empty.
 */
export const atRest = async ({ usage }, url) => {
  for (let quiet = 0, before = usage().cpu; quiet < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const { cpu } = usage()
    const isQuiet =
      cpu - before < LOOK_MS * 0.05 && (url === undefined || (await countLeft(url)) < FEW)
    quiet = isQuiet ? quiet + 1 : 0
    before = cpu
  }
}
