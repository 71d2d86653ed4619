import { expect } from 'vitest'
import type { Ask } from '../ask.js'
import type { Rows, Step } from './rows.js'

const sum = (values: readonly (number | null | undefined)[]): number | null => {
  const known = values.filter((value) => value != null)
  return known.length === 0 ? null : known.reduce((all, value) => all + value, 0)
}

const close = (value: number | null) => (value === null ? null : expect.closeTo(value, 9))
export const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

export const hasFailed = ({ error, generation }: Step) =>
  error !== null || generation?.error != null

const MESSAGES = ['user_message', 'assistant_message', 'system_message']
const earliest = (times: readonly (string | null)[]) =>
  times.filter((time) => time !== null).sort()[0] ?? null
const latest = (times: readonly (string | null)[]) =>
  times
    .filter((time) => time !== null)
    .sort()
    .at(-1) ?? null

const durationOf = (steps: readonly Step[]): number | null => {
  const isOver = steps.some(
    ({ endTime, startTime, type }) =>
      endTime !== null || (MESSAGES.includes(type) && startTime !== null),
  )
  const begin = earliest(steps.map(({ startTime, endTime }) => startTime ?? endTime))
  const end = latest(steps.map(({ startTime, endTime }) => endTime ?? startTime))
  return isOver && begin !== null && end !== null
    ? (Date.parse(end) - Date.parse(begin)) / 1000
    : null
}

const isUnpriced = ({ generation }: Step) =>
  generation !== null && generation.cost === null && generation.tokenCount !== null

/** Expects that the figures of threads and users are those of the steps. */
export const expectSums = ({ steps, threads, scores, participants }: Rows): void => {
  for (const thread of threads) {
    const own = steps.filter(({ threadId }) => threadId === thread.id)
    const stepIds = new Set(own.map(({ id }) => id))
    expect({ ...thread, steps: ids(thread.steps), scores: ids(thread.scores) }).toMatchObject({
      stepCount: own.length,
      errorCount: own.filter(hasFailed).length,
      tokenCount: sum(own.map(({ generation }) => generation?.tokenCount)),
      cost: close(sum(own.map(({ generation }) => generation?.cost))),
      unpricedCount: own.filter(isUnpriced).length,
      duration: close(durationOf(own)),
      startedAt: earliest(own.map(({ startTime }) => startTime)),
      steps: ids(own),
      scores: ids(
        scores.filter((score) => score.threadId === thread.id || stepIds.has(score.stepId ?? '')),
      ),
    })
    for (const { id, participantIdentifier } of own)
      expect({ id, user: participantIdentifier }).toEqual({
        id,
        user: thread.participant?.identifier ?? null,
      })
  }
  const known = new Set(threads.map(({ id }) => id))
  expect(steps.filter(({ threadId }) => threadId !== null && !known.has(threadId))).toEqual([])
  for (const step of steps)
    expect(ids(step.scores)).toEqual(ids(scores.filter(({ stepId }) => stepId === step.id)))
  for (const user of participants) {
    const own = threads.filter(({ participant }) => participant?.id === user.id)
    const starts = own.map(({ startedAt, createdAt }) => startedAt ?? createdAt)
    expect(user).toMatchObject({
      threadCount: own.length,
      tokenCount: sum(own.map(({ tokenCount }) => tokenCount)) ?? 0,
      errorCount: sum(own.map(({ errorCount }) => errorCount)) ?? 0,
      cost: close(sum(own.map(({ cost }) => cost))),
      unpricedCount: sum(own.map(({ unpricedCount }) => unpricedCount)) ?? 0,
      firstEngaged: earliest(starts),
    })
  }
}

/** Expects that the trees of threads have their steps. */
export const expectOutlines = async (ask: Ask, { steps, threads }: Rows): Promise<void> => {
  for (const { id, stepCount, errorCount } of threads) {
    const { outline } = await ask(
      'query ($id: String!) { outline(threadId: $id) { stepCount errorCount skeleton } }',
      { id },
    )
    expect({ ...outline, skeleton: [...outline.skeleton.id].sort() }).toEqual({
      stepCount,
      errorCount,
      skeleton: ids(steps.filter(({ threadId }) => threadId === id)),
    })
  }
}

interface Measured {
  key: string | null
  count: number
  errorCount: number
  tokens: number | null
  cost: number | null
  mean: number | null
}

const measure = async (ask: Ask, args: string): Promise<Measured[]> => {
  const { metrics } = await ask(
    `{ metrics(from: "2026-03-01T00:00:00Z", to: "2100-01-01T00:00:00Z", buckets: 1, ${args}) { series { key total { count errorCount tokens cost mean } } } }`,
  )
  return metrics.series
    .map(({ key, total }: { key: string | null; total: Omit<Measured, 'key'> }) => ({
      key,
      ...total,
    }))
    .filter(({ count }: Measured) => count > 0)
    .sort(byKey)
}

const byKey = (one: { key: string | null }, other: { key: string | null }) =>
  `${one.key}` < `${other.key}` ? -1 : 1

const grouped = <Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | null,
  figures: (rows: readonly Row[]) => Omit<Measured, 'key' | 'count'>,
) =>
  [...new Set(rows.map(keyOf))]
    .map((key) => {
      const own = rows.filter((row) => keyOf(row) === key)
      return { key, count: own.length, ...figures(own) }
    })
    .sort(byKey)

const ofSteps = (rows: readonly Step[]) => ({
  errorCount: rows.filter(hasFailed).length,
  tokens: sum(rows.map(({ generation }) => generation?.tokenCount)),
  cost: close(sum(rows.map(({ generation }) => generation?.cost))) as number | null,
  mean: null,
})

/** Expects that metrics are those of the rows. */
export const expectMetrics = async (ask: Ask, { steps, threads, scores }: Rows): Promise<void> => {
  const release = ({ metadata }: { metadata: Record<string, unknown> | null }) =>
    (metadata?.release as string | undefined) ?? null
  for (const [by, keyOf] of [
    ['environment', ({ environment }) => environment],
    ['name', ({ name }) => name],
    ['type', ({ type }) => type],
    ['release', release],
  ] as [string, (step: Step) => string | null][]) {
    expect({ by, of: await measure(ask, `subject: steps, by: ${by}`) }).toEqual({
      by,
      of: grouped(steps, keyOf, ofSteps),
    })
  }
  const calls = steps.filter(({ generation }) => generation !== null)
  for (const [by, keyOf] of [
    ['model', ({ generation }) => generation?.model ?? null],
    ['provider', ({ generation }) => generation?.provider ?? null],
  ] as [string, (step: Step) => string | null][])
    expect({ by, of: await measure(ask, `subject: generations, by: ${by}`) }).toEqual({
      by,
      of: grouped(calls, keyOf, ofSteps),
    })
  expect(await measure(ask, 'subject: steps, query: "name=one", by: type')).toEqual(
    grouped(
      steps.filter(({ name }) => name === 'one'),
      ({ type }) => type,
      ofSteps,
    ),
  )
  expect(await measure(ask, 'subject: threads, by: environment')).toEqual(
    grouped(
      threads,
      ({ environment }) => environment,
      (rows) => ({
        errorCount: rows.filter(({ errorCount }) => errorCount > 0).length,
        tokens: sum(rows.map(({ tokenCount }) => tokenCount)),
        cost: close(sum(rows.map(({ cost }) => cost))) as number | null,
        mean: null,
      }),
    ),
  )
  expect(await measure(ask, 'subject: scores, by: name')).toEqual(
    grouped(
      scores,
      ({ name }) => name,
      (rows) => ({
        errorCount: 0,
        tokens: null,
        cost: null,
        mean: close((sum(rows.map(({ value }) => value)) ?? 0) / rows.length) as number | null,
      }),
    ),
  )
}
