import fc from 'fast-check'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.js'
import { Ingestion } from '../src/domain/ingestion/ingestion.js'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { newDatabase } from './support/new-database.js'

/**
 * Faults of the real database, by the name of the step that has them: at its row, at the commit, in a statement that
 * takes too long, in rows that others lock for a while, and temporary conflicts of transactions. Each commit of a step
 * leaves a row in `commits`.
 */
const FAULTS = `
CREATE SEQUENCE tries;
CREATE SEQUENCE locks;
CREATE TABLE commits (id text, n int);
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.name = 'broken' THEN RAISE EXCEPTION 'broken';
  ELSIF NEW.name = 'slow' THEN RAISE EXCEPTION 'slow' USING ERRCODE = '57014';
  ELSIF NEW.name = 'full' THEN RAISE EXCEPTION 'full' USING ERRCODE = '53100';
  ELSIF NEW.name = 'held' AND nextval('locks') % 8 < 5 THEN RAISE EXCEPTION 'held' USING ERRCODE = '55P03';
  ELSIF NEW.name = 'crossed' AND nextval('tries') % 4 <> 0 THEN RAISE EXCEPTION 'crossed' USING ERRCODE = '40001';
  END IF;
  INSERT INTO commits VALUES (NEW.id, (NEW.output ->> 'n')::int);
  RETURN NEW;
END $$;
CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON steps FOR EACH ROW EXECUTE FUNCTION fail();
CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.name = 'late' THEN RAISE EXCEPTION 'late'; END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER fail_late AFTER INSERT OR UPDATE ON steps DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION fail_late()`

let db: Database
let close: () => Promise<void>
const WRITERS = 3
// The faults are triggers in PL/pgSQL: the embedded engine has none of its commits, and distributed tables have no triggers.
const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE && !process.env.STEPWELL_TEST_WORKERS)
beforeAll(async () => {
  if (!isOnServer) return
  const { location, drop } = await newDatabase()
  db = await openDatabase(location)
  for (const statement of FAULTS.split(/;\n(?=CREATE)/))
    await db.executeQuery(CompiledQuery.raw(statement))
  close = async () => {
    await db.destroy()
    await drop()
  }
})
afterAll(() => close?.())
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  return () => vi.restoreAllMocks()
})

const read = async <Row>(text: string): Promise<Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text))).rows

const caller = { projectId: 'p', environment: 'prod', scopes: ['admin'] } as unknown as Caller
/** Assigns one of three projects, by a step's id. */
const ofProject = (id: string) => ({ ...caller, projectId: `p-${Number(id.at(-1)) % 3}` }) as Caller
const values = new Values(DEFAULT_LIMITS)
let run = 0

const kinds = ['fine', 'fine', 'fine', 'broken', 'late', 'slow', 'crossed', 'full', 'held'] as const
/** Faults that do not affect other steps. */
const OWN_FAULTS = ['fine', 'broken', 'late', 'held']
type Kind = (typeof kinds)[number]
/** The same step again and again, with other steps between. */
const requests = fc.array(
  fc.record({
    patches: fc.array(fc.record({ step: fc.nat(5), kind: fc.constantFrom(...kinds) }), {
      minLength: 1,
      maxLength: 6,
    }),
    /** The event to wait for before the next request is made. */
    next: fc.constantFrom('nothing', 'turn', 'answer'),
  }),
  { minLength: 1, maxLength: 8 },
)
const quiet = () => undefined
const throwing = () => {
  throw new Error('of the application')
}
const reports = fc.constantFrom<() => unknown>(quiet, throwing, () =>
  Promise.reject(new Error('of the application, later')),
)

test.runIf(isOnServer)(
  'whatever arrives, fails and throws, each patch gets one true answer, and all places become free',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        requests,
        reports,
        fc.constantFrom(quiet, throwing),
        async (sent, report, wrote) => {
          run++
          const own = (step: number) => `${run}-${step}`
          const ingestion = new Ingestion(db, createClock(), {
            writers: WRITERS,
            commitMs: 60_000,
            mayBeHeld: true,
            report: report as () => void,
            wrote,
          })
          const answered: { id: string; kind: Kind; n: number; isStored: boolean }[] = []
          let n = 0
          const waiting: Promise<void>[] = []
          for (const { patches, next } of sent) {
            const parts = patches.map(({ step, kind }) => ({ id: own(step), kind, n: n++ }))
            const answer = ingestion
              .store(
                parts.map(({ id, kind, n }) =>
                  parseStepPatch(values, ofProject(id), { id, name: kind, output: { n } }),
                ),
              )
              .then(async (outcomes) => {
                expect(outcomes).toHaveLength(parts.length)
                const ids = new Set(
                  (await read<{ id: string }>('SELECT id FROM steps')).map(({ id }) => id),
                )
                for (const [index, part] of parts.entries()) {
                  const isStored = outcomes[index] === null
                  answered.push({ ...part, isStored })
                  // Read your writes.
                  if (isStored) expect(ids).toContain(part.id)
                }
              })
            waiting.push(answer)
            if (next === 'answer') await answer
            if (next === 'turn') await new Promise((resolve) => setImmediate(resolve))
          }
          await Promise.all(waiting)
          expect(answered).toHaveLength(n)

          const stored = new Map(
            (
              await read<{ id: string; n: number }>(
                `SELECT id, (output ->> 'n')::int AS n FROM steps WHERE id LIKE '${run}-%'`,
              )
            ).map(({ id, n }) => [id, n]),
          )
          const commits = await read<{ id: string; n: number }>(
            `SELECT id, n FROM commits WHERE id LIKE '${run}-%'`,
          )
          for (const id of new Set(answered.map((one) => one.id))) {
            const taken = answered.filter((one) => one.id === id && one.isStored).map(({ n }) => n)
            // The last acknowledged value is stored, and no refused one.
            expect(stored.get(id)).toBe(taken.length === 0 ? undefined : Math.max(...taken))
            // An insert leaves one row, an update two: the row to insert and the resulting one.
            const numbers = commits.filter((one) => one.id === id).map(({ n }) => n)
            for (const number of new Set(numbers)) {
              expect(taken).toContain(number)
              expect(numbers.filter((one) => one === number).length).toBeLessThanOrEqual(2)
            }
          }
          // A step with a fault of its own keeps no other out; a full disk is no step's own fault.
          if (answered.every(({ kind }) => OWN_FAULTS.includes(kind)))
            expect(
              answered.filter(({ kind, isStored }) => ['fine', 'held'].includes(kind) && !isStored),
            ).toEqual([])

          // All places are free again.
          const more = Array.from({ length: WRITERS + 1 }, (_, index) =>
            ingestion.store([parseStepPatch(values, caller, { id: `${run}-more-${index}` })]),
          )
          expect((await Promise.all(more)).flat()).toEqual(more.map(() => null))
          await ingestion.idle()
        },
      ),
      { numRuns: 80 },
    )
  },
)

test.runIf(isOnServer)('a batch is committed once, even when the listener throws', async () => {
  run++
  const told: unknown[] = []
  const ingestion = new Ingestion(db, createClock(), {
    writers: 1,
    commitMs: 60_000,
    report: (error) => told.push(error),
    wrote: () => {
      throw new Error('of statistics')
    },
  })
  const outcomes = await ingestion.store(
    ['a', 'b'].map((id) =>
      parseStepPatch(values, caller, { id: `${run}-${id}`, name: 'fine', output: { n: 1 } }),
    ),
  )
  expect(outcomes).toEqual([null, null])
  await ingestion.idle()
  expect(await read(`SELECT id FROM commits WHERE id LIKE '${run}-%' ORDER BY id`)).toEqual([
    { id: `${run}-a` },
    { id: `${run}-b` },
  ])
  expect(told).toEqual([new Error('of statistics')])
})

/** The load of the busy project: many steps, or one again and again, or large ones. */
const floods = fc.array(
  fc.record({
    project: fc.constantFrom('p', 'q', 'r'),
    count: fc.constantFrom(1, 300, 2500, 6000),
    isOneStep: fc.boolean(),
    isLarge: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)

test.runIf(isOnServer)(
  'a step of a project waits for the commits under way and its own, whatever other projects have queued',
  async () => {
    await fc.assert(
      fc.asyncProperty(floods, fc.boolean(), async (sent, isUnderWay) => {
        run++
        let commits = 0
        const ingestion = new Ingestion(db, createClock(), {
          writers: 1,
          commitMs: 60_000,
          report: () => undefined,
          wrote: () => commits++,
        })
        const of = (projectId: string, id: string, n: number, text = '') =>
          parseStepPatch(values, { ...caller, projectId } as Caller, {
            id: `${run}-${id}`,
            output: { n, text },
          })
        const large = 'x'.repeat(20_000)
        const waiting = sent.map(({ project, count, isOneStep, isLarge }, at) =>
          ingestion.store(
            Array.from({ length: count }, (_, n) =>
              of(project, isOneStep ? `${at}` : `${at}-${n}`, n, isLarge && n < 500 ? large : ''),
            ),
          ),
        )
        if (isUnderWay) await new Promise((resolve) => setTimeout(resolve))
        const before = commits
        expect(await ingestion.store([of('small', 'own', 1)])).toEqual([null])
        expect(commits - before).toBeLessThanOrEqual(2)
        for (const outcomes of await Promise.all(waiting))
          expect(outcomes.every((outcome) => outcome === null)).toBe(true)
        await ingestion.idle()
        for (const [at, { project, count, isOneStep }] of sent.entries()) {
          const kept = await read<{ n: number }>(
            `SELECT (output ->> 'n')::int AS n FROM steps WHERE project_id = '${project}'
            AND (id = '${run}-${at}' OR id LIKE '${run}-${at}-%')`,
          )
          if (isOneStep) expect(kept).toEqual([{ n: count - 1 }])
          else expect(kept).toHaveLength(count)
        }
      }),
      { numRuns: 12 },
    )
  },
)
