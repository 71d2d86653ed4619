import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Migrator, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { migrations, openEngine } from '../../src/database/database.js'
import { createDatabase } from '../../src/database/engine/engine-thread.js'
import { createService } from '../../src/index.js'

// Every state of a database of an earlier version, with data in it, migrated by this one.
let folder: string
/** A database without a table; creating one takes seconds. */
let empty: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-migrations-'))
  empty = join(folder, 'empty')
  await createDatabase(empty, undefined)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Creates a database of an earlier version, with data of its users. */
const makeEarlier = async (path: string, last: string): Promise<void> => {
  await cp(empty, path, { recursive: true })
  const engine = await openEngine({ folder: path })
  const db = engine.connect(0)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateTo(last)
  expect(error).toBeUndefined()
  const hash = createHash('sha256').update('lsk_earlier').digest('hex')
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`INSERT INTO projects (id, name, created_at) VALUES ('p', 'default', now())`)
  const names = Object.keys(migrations)
  const hasScopes = names.indexOf(last) >= names.indexOf('0004-keys')
  await run(
    hasScopes
      ? `INSERT INTO api_keys (hash, project_id, name, created_at, id, scopes) VALUES ('${hash}', 'p', 'first', now(), 'k', '{admin}')`
      : `INSERT INTO api_keys (hash, project_id, name, created_at) VALUES ('${hash}', 'p', 'first', now())`,
  )
  await run(
    `INSERT INTO threads (project_id, id, environment, created_at, stale) VALUES ('p', 't', 'prod', now(), true)`,
  )
  await run(`INSERT INTO steps (project_id, id, thread_id, type, created_at, ingested, has_generation, output)
    VALUES ('p', 's', 't', 'run', now(), true, false, '{"content":"kept"}')`)
  await run(`INSERT INTO prompt_lineages (project_id, id, name, created_at, rollouts)
    VALUES ('p', 'l', 'support', now(), '[{"version":0,"rollout":50},{"version":1,"rollout":50}]')`)
  for (const version of [0, 1])
    await run(`INSERT INTO prompt_versions (project_id, id, lineage_id, version, template_messages, variables,
      variables_default_values, created_at) VALUES ('p', 'v${version}', 'l', ${version},
      '[{"uuid":"u","role":"user","content":"${version}"}]', '[]', '{}', now())`)
  await run(
    `INSERT INTO files (project_id, object_key, mime, created_at) VALUES ('p', 'files/old', 'text/plain', now() - interval '3 days')`,
  )
  await db.destroy()
  await engine.close()
}

test.each(Object.keys(migrations))(
  'a database of %s keeps its keys, steps, prompts and splits',
  async (last) => {
    const dataFolder = join(folder, last)
    await mkdir(dataFolder)
    await makeEarlier(join(dataFolder, 'database'), last)
    // From the first start on, all of them are one version.
    const isEnd = last === Object.keys(migrations)[0] || last === Object.keys(migrations).at(-1)
    for (const start of isEnd ? ['first', 'second'] : ['first']) {
      const service = await createService({ dataFolder })
      const { api } = new StepwellClient({ apiKey: 'lsk_earlier', fetch: service.fetch })
      expect(await api.getProjectId(), start).toBe('p')
      expect((await api.getThread('t'))?.steps[0]).toMatchObject({
        id: 's',
        output: { content: 'kept' },
      })
      const drawn = new Set<number | undefined>()
      for (let index = 0; index < 60; index++)
        drawn.add((await api.getPrompt('support', null, { key: `${index}` }))?.version)
      expect(drawn).toEqual(new Set([0, 1]))
      await api.sendSteps([{ id: `new-${start}`, threadId: 't' }])
      await service.close()
    }
  },
  180_000,
)
