import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TABLES } from '../../generated/tables.js'
import type { Database } from '../../src/database/database.js'
import type { Definition } from '../../src/database/rows/columns.js'
import { verifyArchive } from '../../src/domain/moving/archive.js'
import type { ContentStore } from '../../src/domain/moving/contents.js'
import { exportProject } from '../../src/domain/moving/export-project.js'
import { continueImport, type ImportProgress } from '../../src/domain/moving/import-project.js'
import { Projects } from '../../src/domain/projects.js'
import { createClock } from '../../src/kernel/instant.js'
import { TarFile } from '../../src/kernel/tar/file-reader.js'
import { TarWriter } from '../../src/kernel/tar/writer.js'
import { MOVED, PLAN } from '../../src/storage/moving/plan.js'
import { insertHostileRows } from '../support/hostile-rows.js'
import { MemoryStore, openNew } from '../support/moving.js'

// Archives of projects: from the engine of the tests to the embedded one and back.
const PROJECT = { id: 'p', name: 'shop' }
const closes: (() => Promise<void>)[] = []
let folder: string
let source: Database
let sourceFiles: MemoryStore
let archive: string
let hash: string

const write = async (
  db: Database,
  store: ContentStore,
  file: string,
  project = PROJECT,
): Promise<string> => {
  const path = join(folder, file)
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((transaction) =>
      exportProject(transaction, store, project, new TarWriter(createWriteStream(path))),
    )
  return path
}

const verify = async (file: string) => {
  const tar = await TarFile.open(file)
  return verifyArchive(tar).finally(() => tar.close())
}

const read = async (
  db: Database,
  store: MemoryStore,
  request: { name?: string; isCopy?: boolean; file?: string; hash?: string } = {},
  budgetMs = Number.POSITIVE_INFINITY,
): Promise<ImportProgress> =>
  continueImport(db, store, { file: archive, hash, isCopy: false, ...request }, budgetMs)

const bytesOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

const insertProject = (db: Database, id: string, name: string) =>
  sql`INSERT INTO projects (id, name, created_at, conversation_end, model_endpoints)
    VALUES (${id}, ${name}, '1969-07-20T20:17:40.000001Z', '{"idleMinutes": 5}'::json, ${JSON.stringify(
      [
        {
          id: 'm',
          name: 'model',
          protocol: 'OPENAI',
          baseUrl: 'http://m',
          model: 'm',
          sealedKey: 'sealed-canary',
        },
      ],
    )}::json)`.execute(db)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-moving-'))
  source = await openNew(closes)
  sourceFiles = new MemoryStore()
  await insertProject(source, PROJECT.id, PROJECT.name)
  await insertProject(source, 'other', 'other')
  await insertHostileRows(source, PROJECT.id)
  await insertHostileRows(source, 'other', 3)
  const { rows } = await sql<{ key: string }>`
    SELECT object_key AS key FROM files WHERE project_id = ${PROJECT.id} ORDER BY object_key`.execute(
    source,
  )
  for (const [index, { key }] of rows.entries())
    if (index % 4 !== 0)
      await sourceFiles.put(PROJECT.id, key, Readable.from([Buffer.alloc(index * 10_000, index)]))
  archive = await write(source, sourceFiles, 'source.tar')
  hash = (await verify(archive)).hash
})
afterAll(async () => {
  for (const close of closes) await close()
  await rm(folder, { recursive: true, force: true })
})

test('what an export writes is the same again after an import into another engine', async () => {
  const target = await openNew(closes, true)
  const files = new MemoryStore()
  const done = await read(target, files)
  expect(done).toMatchObject({ projectId: 'p', name: 'shop', isComplete: true, isRepeated: false })
  expect(await bytesOf(await write(target, files, 'again.tar'))).toBe(await bytesOf(archive))
  // A third engine, from the second one's archive.
  const third = await openNew(closes)
  await read(third, files)
  expect(await bytesOf(await write(third, files, 'third.tar'))).toBe(await bytesOf(archive))
  const repeated = await read(target, files)
  expect(repeated).toMatchObject({ isComplete: true, isRepeated: true })
  expect(await bytesOf(await write(target, files, 'repeated.tar'))).toBe(await bytesOf(archive))
})

test('an import that is ended after each part goes on to the same project', async () => {
  const target = await openNew(closes, true)
  const files = new MemoryStore()
  let progress = await read(target, files, {}, 0)
  let calls = 1
  for (; !progress.isComplete; calls++) progress = await read(target, files, {}, 0)
  expect(calls).toBeGreaterThan(20)
  expect(await bytesOf(await write(target, files, 'parts.tar'))).toBe(await bytesOf(archive))
})

test('no secret and no row of another project is in an archive', async () => {
  const tar = await TarFile.open(archive)
  const { header } = await verifyArchive(tar)
  await tar.close()
  expect(header.tables.alerts).not.toContain('sealed_secret')
  const target = await openNew(closes, true)
  await read(target, new MemoryStore())
  const { rows } = await sql<{ text: string }>`
    SELECT model_endpoints::varchar AS text FROM projects`.execute(target)
  expect(rows[0]?.text).toContain('"sealedKey":null')
  for (const { name } of MOVED.filter(({ name }) => name !== 'projects')) {
    const counts = await Promise.all(
      [source, target].map((db) =>
        sql`SELECT count(*)::integer AS count FROM ${sql.table(name)} WHERE project_id <> 'other'`.execute(
          db,
        ),
      ),
    )
    expect({ name, rows: counts[0]?.rows }).toEqual({ name, rows: counts[1]?.rows })
  }
})

test('an import marks what is derived: sums, measurements and the index of contents', async () => {
  const target = await openNew(closes, true)
  await sql`INSERT INTO content_states (project_id) VALUES ('p')`.execute(target)
  await read(target, new MemoryStore())
  const count = async (from: string) => {
    const { rows } = await sql<{
      count: number
    }>`SELECT count(*)::integer AS count FROM ${sql.raw(from)}`.execute(target)
    return rows[0]?.count
  }
  expect(await count('threads WHERE NOT stale')).toBe(0)
  expect(await count('threads WHERE token_count IS NOT NULL')).toBe(0)
  expect(await count(`rollup_marks WHERE source = 'steps'`)).toBeGreaterThan(0)
  expect(await count('content_changes, unnest(step_ids)')).toBe(await count('steps'))
  expect(await count('files WHERE check_at IS NULL')).toBe(0)
})

test('an import is in the audit log when it begins and when it is complete, once each', async () => {
  const target = await openNew(closes, true)
  const files = new MemoryStore()
  // A part at a time, as if each command were ended.
  for (let isComplete = false; !isComplete; ) ({ isComplete } = await read(target, files, {}, 0))
  await read(target, files)
  const { rows } = await sql`
    SELECT action, actor_kind, subject_id, details ->> 'archive' AS archive FROM audit_entries
    WHERE project_id = 'p' ORDER BY created_at`.execute(target)
  const common = { actor_kind: 'OPERATOR', subject_id: 'p', archive: hash }
  expect(rows).toEqual([
    { action: 'IMPORT_PROJECT', ...common },
    { action: 'COMPLETE_IMPORT', ...common },
  ])
})

test('an import writes into no project that is there, and --copy makes another one', async () => {
  const target = await openNew(closes, true)
  const files = new MemoryStore()
  await insertProject(target, 'p', 'mine')
  await expect(read(target, files)).rejects.toThrow(/id "p" already, called "mine".*--copy/)
  await insertProject(target, 'q', 'shop')
  await expect(read(target, files, { isCopy: true })).rejects.toThrow(
    /called "shop" already.*--project/,
  )
  const copy = await read(target, files, { isCopy: true, name: 'shop again' })
  expect(copy).toMatchObject({ name: 'shop again', isComplete: true })
  expect(copy.projectId).not.toBe('p')
  expect(await read(target, files, { isCopy: true, name: 'shop again' })).toMatchObject({
    projectId: copy.projectId,
    isRepeated: true,
  })
  const { rows } = await sql`SELECT 1 FROM steps WHERE project_id = 'p'`.execute(target)
  expect(rows).toEqual([])
})

test('an imported project has a name, and no two that are imported at once have the same', async () => {
  const target = await openNew(closes)
  const files = new MemoryStore()
  for (const name of ['', '  '])
    await expect(read(target, files, { isCopy: true, name })).rejects.toThrow(
      '--project: expected a name, got only spaces',
    )
  expect(await read(target, files, { name: ' shop ' })).toMatchObject({ name: 'shop' })
  const others = await Promise.all(
    ['one', 'two', 'three'].map(async (id) => {
      const file = await write(source, sourceFiles, `${id}.tar`, { id: 'other', name: id })
      return { file, hash: (await verify(file)).hash }
    }),
  )
  const ends = await Promise.allSettled(
    others.map((other) => read(target, files, { ...other, isCopy: true, name: 'same' })),
  )
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  const named = (await new Projects(target, createClock()).list()).map(({ name }) => name)
  expect(named.sort()).toEqual(['same', 'shop'])
})

test('an import of a project that was deleted lately has all of it, and nothing of requests that were under way', async () => {
  const target = await openNew(closes, true)
  const files = new MemoryStore()
  const projects = new Projects(target, createClock())
  await read(target, files)
  await projects.delete('p', (id, keys) => files.removeAll(id, keys))
  // Requests that were admitted before the deletion store after it, also of ids that the archive has.
  const { rows } = await sql<{ id: string; key: string }>`
    SELECT (SELECT min(id) FROM steps WHERE project_id = 'p') AS id, min(object_key) AS key
    FROM files WHERE project_id = 'p'`.execute(source)
  const { id, key } = rows[0] as { id: string; key: string }
  await sql`INSERT INTO steps (project_id, id, type, created_at, ingested, has_generation)
    VALUES ('p', ${id}, 'run', now(), true, false)`.execute(target)
  await sql`INSERT INTO files (project_id, object_key, mime, created_at) VALUES ('p', ${key}, 'text/plain', now()), ('p', 'late', 'text/plain', now())`.execute(
    target,
  )
  await files.put('p', 'late', Readable.from([Buffer.from('late')]))
  await read(target, files)
  await projects.removeLate((id, keys) => files.removeAll(id, keys))
  expect(await bytesOf(await write(target, files, 'restored.tar'))).toBe(await bytesOf(archive))
  expect(await files.open('p', 'late')).toBeUndefined()
  // A deletion after it counts again.
  await projects.delete('p')
  await sql`INSERT INTO steps (project_id, id, type, created_at, ingested, has_generation)
    VALUES ('p', ${id}, 'run', now(), true, false)`.execute(target)
  await projects.removeLate()
  expect((await sql`SELECT id FROM steps WHERE project_id = 'p'`.execute(target)).rows).toEqual([])
})

test('a changed, a cut off and a newer archive are refused with what is wrong', async () => {
  const content = await readFile(archive)
  const path = join(folder, 'changed.tar')
  const refusal = async (changed: Buffer) => {
    await writeFile(path, changed)
    return verify(path).then(
      () => 'nothing',
      ({ message }: Error) => message,
    )
  }
  // A header of one block comes before its content.
  const versionAt = content.indexOf('"version": 1')
  const newer = Buffer.from(content)
  newer.write('"version": 2', versionAt)
  expect(await refusal(newer)).toMatch(/newer version of Stepwell.*format 2.*Update/)
  const unknown = Buffer.from(content)
  unknown.write('"nickname"', content.indexOf('"identifie'))
  expect(await refusal(Buffer.from('no archive at all'))).toMatch(/expected an archive/)
  for (const share of [0.2, 0.5, 0.9, 0.999]) {
    const flipped = Buffer.from(content)
    const at = Math.floor(content.length * share)
    flipped[at] = (flipped[at] ?? 0) ^ 0x40
    // Padding between entries has no meaning.
    if (content[at] !== 0) expect(await refusal(flipped)).toMatch(/damaged/)
    await writeFile(path, content)
    await truncate(path, at)
    await expect(verify(path)).rejects.toThrow(/damaged/)
  }
})

test('every table is moved or left for a reason, and its primary key is the order of an archive', async () => {
  expect(Object.keys(PLAN).sort()).toEqual(Object.keys(TABLES).sort())
  const { rows } = await sql<{ name: string; key: string[] }>`
    SELECT c.relname::varchar AS name, to_json(array_agg(a.attname ORDER BY array_position(i.indkey::int2[], a.attnum)))
      AS key
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
    WHERE i.indisprimary AND c.relkind = 'r' GROUP BY c.relname`.execute(source)
  for (const { name, key } of MOVED.filter(({ name }) => name !== 'projects'))
    expect(['project_id', ...key.map(({ column }) => column)], name).toEqual(
      rows.find((row) => row.name === name)?.key,
    )
})

test('a column whose name speaks of a secret is in no archive until somebody decides so', () => {
  /** The names of what is stored, and of items. */
  const decided = new Set(['object_key', 'key', 'gen_tt_first_token'])
  const secret = ({ column }: Definition) =>
    /secret|sealed|password|hash|key|token$/.test(column) && !decided.has(column)
  expect(MOVED.flatMap(({ columns }) => columns.filter(secret))).toEqual([])
  for (const [name, part] of Object.entries(PLAN))
    if ('left' in part)
      expect(
        Object.values<Definition>(TABLES[name as keyof typeof TABLES]).map(({ column }) => column),
        name,
      ).toEqual(expect.arrayContaining([...(part.left ?? [])]))
})
