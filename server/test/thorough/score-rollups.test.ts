import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.js'
import { measureScores } from '../../src/domain/metrics/scores.js'
import { findScoreParts } from '../../src/domain/rollups/scores/find-score-parts.js'
import { ScoreRollups } from '../../src/domain/rollups/scores/score-rollups.js'
import type { Caller } from '../../src/kernel/caller.js'
import { parseInstant } from '../../src/kernel/instant.js'
import type { Range } from '../../src/storage/metrics.js'
import { expectSameSeries } from '../support/compare-series.js'
import { useDomain } from '../support/new-domain.js'
import { settle } from '../support/settle.js'

const made = useDomain()
// Scores of a distributed database are read one by one: they lie elsewhere than what they are of.
const isDistributed = Boolean(process.env.STEPWELL_TEST_WORKERS)

const HOUR_MS = 3_600_000
const BEGIN_MS = Date.parse('2026-03-01T22:00:00Z')
const RANGE_MS = 28 * HOUR_MS
const RULES = { fewestRows: 1, quietSeconds: { 600: 0, 3600: 0, 86400: 0 }, restFactor: 0 }

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

const at = (ms: number) => new Date(BEGIN_MS + ms).toISOString()
const moment = fc.oneof(
  fc.integer({ min: 0, max: RANGE_MS - 1 }),
  // Around the limits of ten minutes, hours and days.
  fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 6, 12, 12, 156), fc.integer({ min: -2, max: 2 }))
    .map(([tens, off]) => (tens * HOUR_MS) / 6 + off),
)
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const stepId = fc.constantFrom('s', 't', 'u')
const threadId = fc.constantFrom('x', 'y')
const environment = fc.constantFrom('dev', 'prod', 'experiment')
const metadata = fc.constantFrom({ release: '1' }, { release: '2' }, 'none')
const value = fc.constantFrom(0, 1, -3, 0.1, 1e6 + 0.5, 1e200)

const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('score' as const),
      id,
      of: fc.oneof(fc.record({ stepId }), fc.record({ threadId })),
      name: fc.constantFrom('quality', 'tone', 'length'),
      wasThere: fc.boolean(),
      value,
      moment,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      step: fc.record(
        {
          id: stepId,
          environment,
          metadata,
          threadId: fc.constantFrom('x', 'z'),
          generation: fc.record({ model: fc.constantFrom('gpt-4o', 'other') }),
        },
        { requiredKeys: ['id'] },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('thread' as const), id: threadId, metadata }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('environment' as const), id: threadId, environment }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), id, value }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unscore' as const), id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteStep' as const), id: stepId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteThread' as const), id: threadId }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('roll' as const) }) },
)
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never

const question = fc.record({
  by: fc.constantFrom(undefined, 'name', 'environment', 'release', 'model', 'promptVersion'),
  name: fc.constantFrom(undefined, undefined, 'tone'),
  limits: fc.oneof(
    fc.tuple(moment, moment).filter(([from, to]) => from !== to),
    fc.constantFrom<[number, number]>(
      [0, RANGE_MS],
      [0, 4 * HOUR_MS],
      [-22 * HOUR_MS, 50 * HOUR_MS],
    ),
  ),
  buckets: fc.constantFrom(1, 2, 3, 6, 24, 48),
  environment: fc.constantFrom(null, null, 'prod'),
  excludeExperiments: fc.boolean(),
})
type Question = typeof question extends fc.Arbitrary<infer One> ? One : never

const rangeOf = ({ limits, buckets, environment, excludeExperiments }: Question): Range => {
  const [from, to] = [Math.min(...limits), Math.max(...limits)]
  return {
    from: parseInstant('from', at(from)),
    to: parseInstant('to', at(to)),
    bucketSeconds: (to - from) / 1000 / buckets,
    environment,
    participantId: null,
    excludeExperiments,
  }
}

/** Compares metrics of scores from measured spans with those from all scores. Returns true when a measured span was used. */
const compare = async (projectId: string, asked: Question): Promise<boolean> => {
  const range = rangeOf(asked)
  const { by, name } = asked
  const measured = (fewRows: number) =>
    measureScores(made.db, projectId, range, { by, name } as never, {
      mostRows: 1e6,
      fewRows,
      rowsPerGap: 0,
    })
  expectSameSeries(await measured(-1), await measured(1e6))
  return (await findScoreParts(made.db, projectId, 'none', range)).isCovered
}

/** A score may be gone with its step. */
const ignoreGone = (error: Error) => expect(error.message).toMatch(/^no score has the id/)

/** A case of the property; `ids` are those of its scores. */
interface Case {
  caller: Caller
  rollups: ScoreRollups
  ids: Map<string, string>
}

const perform = async ({ caller, rollups, ids }: Case, one: Action) => {
  const { steps, threads, scores } = made.domain
  const { projectId } = caller
  const idOf = (own: string) => `${projectId} ${own}`
  switch (one.kind) {
    case 'score': {
      const { name, value, of, wasThere } = one
      const owner = Object.fromEntries(Object.entries(of).map(([key, own]) => [key, idOf(own)]))
      if (!wasThere) {
        const { id } = await scores.create(caller, { type: 'AI', name, value, ...owner } as never)
        ids.set(one.id, id)
        return sql`UPDATE scores SET created_at = ${at(one.moment)}::timestamptz WHERE id = ${id}`.execute(
          made.db,
        )
      }
      // One that is created at its moment, as those of an archive are.
      const id = randomUUID()
      ids.set(one.id, id)
      const { stepId = null, threadId = null } = owner
      return sql`
        INSERT INTO scores (id, project_id, name, type, value, step_id, thread_id, created_at, updated_at)
        VALUES (${id}, ${projectId}, ${name}, 'AI', ${value}, ${stepId}, ${threadId}, ${at(one.moment)}::timestamptz, now())`.execute(
        made.db,
      )
    }
    case 'record': {
      const { id, threadId, ...step } = one.step
      const given = { ...step, id: idOf(id), ...(threadId && { threadId: idOf(threadId) }) }
      return steps.ingest(caller, [given as never])
    }
    case 'thread':
      return threads.upsert(caller, idOf(one.id), { metadata: one.metadata } as never)
    case 'environment':
      return sql`
        UPDATE threads SET environment = ${one.environment} WHERE project_id = ${projectId} AND id = ${idOf(one.id)}`.execute(
        made.db,
      )
    case 'change': {
      const id = ids.get(one.id)
      return (
        id &&
        scores.update(caller, { id, updates: { value: one.value } } as never).catch(ignoreGone)
      )
    }
    case 'unscore':
      return scores.delete(caller, ids.get(one.id) ?? 'none')
    case 'deleteStep':
      return steps.delete(caller, idOf(one.id))
    case 'deleteThread':
      return threads.delete(caller, idOf(one.id))
    case 'roll':
      // One turn, which may leave some marks.
      return rollups.work()
  }
}

let projects = 0

test.skipIf(isDistributed)(
  'metrics of scores from measured spans are those of the scores, after any changes in any order',
  async () => {
    let used = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 4, maxLength: 40 }),
        fc.array(question, { minLength: 6, maxLength: 10 }),
        fc.record({
          fewestRows: fc.constantFrom(1, 1, 2, 3),
          portionRows: fc.constantFrom(1, 2, 2000),
        }),
        async (actions, questions, rules) => {
          const caller = callerOf(`p${projects++}`)
          const rollups = new ScoreRollups(made.db, { ...RULES, ...rules })
          const tried: Case = { caller, rollups, ids: new Map() }
          for (const one of actions) await perform(tried, one)
          const ask = async () => {
            for (const one of questions) if (await compare(caller.projectId, one)) used++
          }
          await ask()
          await settle(rollups)
          await ask()
        },
      ),
      { numRuns: runs(100) },
    )
    expect(used).toBeGreaterThan(0)
  },
)
