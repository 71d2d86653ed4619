import { createHash } from 'node:crypto'
import { cpSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Migrator, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { runs } from '../../../test/support/runs.js'
import { type Database, migrations, openEngine } from '../../src/database/database.js'
import { createDatabase } from '../../src/database/engine/engine-thread.js'
import { createService } from '../../src/index.js'

// States of a database of earlier versions, with data in it, migrated by this one: the first and the newest two, and some of
// the others, new ones in every run. All migrations run in each run.
const VERSIONS = Object.keys(migrations)
const some = runs(VERSIONS.length)
const [drawn = []] = fc.sample(
  fc.shuffledSubarray(VERSIONS, { minLength: some, maxLength: some }),
  1,
)
const TRIED = VERSIONS.filter(
  (version, at) => at === 0 || at >= VERSIONS.length - 2 || drawn.includes(version),
)

let folder: string
/** A database that is migrated further and further; each state is a copy of its files. */
let engine: Awaited<ReturnType<typeof openEngine>>
let db: Database
let growing: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-migrations-'))
  growing = join(folder, 'growing')
  await createDatabase(growing, undefined)
  engine = await openEngine({ folder: growing })
  db = engine.connect(0)
})
afterAll(async () => {
  await db?.destroy()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (text: string) => sql.raw(text).execute(db)
const HASH = createHash('sha256').update('lsk_earlier').digest('hex')

/** The tables that have data, those that refer to others first. */
const FILLED = [
  ...['files', 'prompt_versions', 'prompt_lineages', 'steps', 'threads', 'api_keys', 'projects'],
]

/** Creates data of users in a database of a version. */
const fill = async (version: string): Promise<void> => {
  await run(`INSERT INTO projects (id, name, created_at) VALUES ('p', 'default', now())`)
  const hasScopes = VERSIONS.indexOf(version) >= VERSIONS.indexOf('0004-keys')
  await run(
    hasScopes
      ? `INSERT INTO api_keys (hash, project_id, name, created_at, id, scopes) VALUES ('${HASH}', 'p', 'first', now(), 'k', '{admin}')`
      : `INSERT INTO api_keys (hash, project_id, name, created_at) VALUES ('${HASH}', 'p', 'first', now())`,
  )
  await run(
    `INSERT INTO threads (project_id, id, environment, created_at, stale) VALUES ('p', 't', 'prod', now(), true)`,
  )
  await run(`INSERT INTO steps (project_id, id, thread_id, type, created_at, ingested, has_generation, output)
    VALUES ('p', 's', 't', 'run', now(), true, false, '{"content":"kept"}')`)
  await run(`INSERT INTO prompt_lineages (project_id, id, name, created_at, rollouts)
    VALUES ('p', 'l', 'support', now(), '[{"version":0,"rollout":50},{"version":1,"rollout":50}]')`)
  for (const number of [0, 1])
    await run(`INSERT INTO prompt_versions (project_id, id, lineage_id, version, template_messages, variables,
      variables_default_values, created_at) VALUES ('p', 'v${number}', 'l', ${number},
      '[{"uuid":"u","role":"user","content":"${number}"}]', '[]', '{}', now())`)
  await run(
    `INSERT INTO files (project_id, object_key, mime, created_at) VALUES ('p', 'files/old', 'text/plain', now() - interval '3 days')`,
  )
}

/** Writes a database of an earlier version into a folder, as a process that was killed leaves it. */
const makeEarlier = async (path: string, version: string): Promise<void> => {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateTo(version)
  expect(error).toBeUndefined()
  await fill(version)
  // The asynchronous one takes twice the time for as many small files.
  cpSync(growing, path, { recursive: true })
  for (const table of FILLED) await run(`DELETE FROM ${table}`)
}

test.each(TRIED)('a database of %s keeps its keys, steps, prompts and splits', async (last) => {
  const dataFolder = join(folder, last)
  await mkdir(dataFolder)
  await makeEarlier(join(dataFolder, 'database'), last)
  // From the first start on, all of them are one version.
  const isEnd = last === VERSIONS[0] || last === VERSIONS.at(-1)
  for (const start of isEnd ? ['first', 'second'] : ['first']) {
    const service = await createService({ dataFolder })
    const { api } = new StepwellClient({ apiKey: 'lsk_earlier', fetch: service.fetch })
    expect(await api.getProjectId(), start).toBe('p')
    expect((await api.getThread('t'))?.steps[0]).toMatchObject({
      id: 's',
      output: { content: 'kept' },
    })
    const versions = new Set<number | undefined>()
    for (let index = 0; index < 60; index++)
      versions.add((await api.getPrompt('support', null, { key: `${index}` }))?.version)
    expect(versions).toEqual(new Set([0, 1]))
    await api.sendSteps([{ id: `new-${start}`, threadId: 't' }])
    await service.close()
  }
})
