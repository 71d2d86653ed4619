import { expect } from 'vitest'
import type { Ask } from '../ask.js'
import { BEGIN_MS, NAMES, TAGS, THREADS, USERS } from './actions.js'
import { hasFailed, ids } from './figures.js'
import {
  type List,
  type Rows,
  readAll,
  readBack,
  type Score,
  type Step,
  type Thread,
} from './rows.js'

const MIDDLE = new Date(BEGIN_MS + 3_600_000).toISOString()

/** A condition, and the rows for which it holds. */
type Condition<Row> = [text: string, holds: (row: Row) => boolean]

const contains = (value: unknown, text: string) =>
  fold(typeof value === 'string' ? value : JSON.stringify(value)).includes(fold(text))
const fold = (text: string) => text.toLowerCase()
const meets = (given: readonly string[] | null, wanted: string) => given?.includes(wanted) ?? false
const isAfter = (time: string | null, limit: string) =>
  time !== null && Date.parse(time) >= Date.parse(limit)
const pathOf = (value: unknown, key: string) => (value as Record<string, unknown> | null)?.[key]
/** Everything of a step that a search in contents reads. */
const contents = ({ name, input, output, error, generation }: Step): unknown[] =>
  [name, input, output, error, generation?.messages, generation?.error].filter(
    (value) => value != null,
  )
const hasWord = (step: Step, word: string) => contents(step).some((value) => contains(value, word))

const ofSteps = (): Condition<Step>[] => {
  const startOf = ({ startTime, createdAt }: Step) => startTime ?? createdAt
  return [
    ...NAMES.map((name): Condition<Step> => [`name=${name}`, (step) => step.name === name]),
    ['name!=one', ({ name }) => name !== 'one'],
    ['name~TW', ({ name }) => contains(name ?? '', 'tw')],
    ['name:none', ({ name }) => name === null],
    ['type=llm', ({ type }) => type === 'llm'],
    ['type!=run', ({ type }) => type !== 'run'],
    ['error:any', hasOwnError],
    ['failure:any', hasFailed],
    ['failure:none', (step) => !hasFailed(step)],
    [
      'failure~MODEL',
      ({ error, generation }) => contains(error ?? generation?.error ?? '', 'model'),
    ],
    ['error~LATE', ({ error }) => contains(error ?? '', 'late')],
    ...USERS.map(
      (user): Condition<Step> => [
        `user:${user}`,
        ({ participantIdentifier }) => participantIdentifier === user,
      ],
    ),
    ['user:none', ({ participantIdentifier }) => participantIdentifier === null],
    ...TAGS.map((tag): Condition<Step> => [`tags:${tag}`, ({ tags }) => meets(tags, tag)]),
    ['tags!:x', ({ tags }) => !meets(tags, 'x')],
    ['env=prod', ({ environment }) => environment === 'prod'],
    ['env!=prod', ({ environment }) => environment !== 'prod'],
    [
      'score[quality]<0.5',
      ({ scores }) => scores.some(({ name, value }) => name === 'quality' && value < 0.5),
    ],
    ['score:none', ({ scores }) => scores.length === 0],
    ['score[review]:any', ({ scores }) => scores.some(({ name }) => name === 'review')],
    [
      '-(score[tone]=1)',
      ({ scores }) => !scores.some(({ name, value }) => name === 'tone' && value === 1),
    ],
    ['content~PARCEL', (step) => hasWord(step, 'parcel')],
    ['content~refund', (step) => hasWord(step, 'refund')],
    ['content~straße', (step) => hasWord(step, 'straße')],
    ['output[content]~found', ({ output }) => contains(pathOf(output, 'content') ?? '', 'found')],
    ['metadata[release]=2', ({ metadata }) => pathOf(metadata, 'release') === '2'],
    ['metadata[k]=1', ({ metadata }) => pathOf(metadata, 'k') === 1],
    ['metadata:none', ({ metadata }) => metadata === null],
    [`start>=${MIDDLE}`, ({ startTime }) => isAfter(startTime, MIDDLE)],
    [`end>=${MIDDLE}`, ({ endTime }) => isAfter(endTime, MIDDLE)],
    [`time>=${MIDDLE}`, (step) => isAfter(startOf(step), MIDDLE)],
    ...THREADS.map((id): Condition<Step> => [`thread=${id}`, ({ threadId }) => threadId === id]),
    ['thread:none', ({ threadId }) => threadId === null],
    ['parent=p1', ({ parentId }) => parentId === 'p1'],
    ['parent:none', ({ parentId }) => parentId === null],
    ['id=c2', ({ id }) => id === 'c2'],
  ]
}

const hasOwnError = ({ error }: Step) => error !== null

const ofThreads = ({ steps, scores }: Rows): Condition<Thread>[] => {
  const own = ({ id }: Thread) => steps.filter(({ threadId }) => threadId === id)
  const some = (holds: (step: Step) => boolean) => (thread: Thread) => own(thread).some(holds)
  const scoresOf = (thread: Thread) => {
    const stepIds = new Set(own(thread).map(({ id }) => id))
    return scores.filter(
      ({ threadId, stepId }) => threadId === thread.id || stepIds.has(stepId ?? ''),
    )
  }
  return [
    ['name:none', ({ name }) => name === null],
    ['name~bag', ({ name }) => contains(name ?? '', 'bag')],
    ...USERS.map(
      (user): Condition<Thread> => [
        `user:${user}`,
        ({ participant }) => participant?.identifier === user,
      ],
    ),
    ['user:none', ({ participant }) => participant === null],
    ['error:any', ({ errorCount }) => errorCount > 0],
    ['duration>60', ({ duration }) => duration !== null && duration > 60],
    ['duration:none', ({ duration }) => duration === null],
    ['tokens>=500', ({ tokenCount }) => tokenCount !== null && tokenCount >= 500],
    ['cost>0.001', ({ cost }) => cost !== null && cost > 0.001],
    ['unpricedCount>0', ({ unpricedCount }) => unpricedCount > 0],
    ['steps>=2', ({ stepCount }) => stepCount >= 2],
    ['tags:x', ({ tags }) => meets(tags, 'x')],
    ['env=prod', ({ environment }) => environment === 'prod'],
    [
      'score[quality]<0.5',
      (thread) => scoresOf(thread).some(({ name, value }) => name === 'quality' && value < 0.5),
    ],
    ['score:none', (thread) => scoresOf(thread).length === 0],
    ['type:tool', some(({ type }) => type === 'tool')],
    ['step=one', some(({ name }) => name === 'one')],
    ['stepContent~refund', some((step) => hasWord(step, 'refund'))],
    ['any(type=llm failure:any)', some((step) => step.type === 'llm' && hasFailed(step))],
    ['any(tags:y name=Two)', some(({ tags, name }) => meets(tags, 'y') && name === 'Two')],
    ['metadata[vip]=true', ({ metadata }) => pathOf(metadata, 'vip') === true],
    [`time>=${MIDDLE}`, ({ startedAt, createdAt }) => isAfter(startedAt ?? createdAt, MIDDLE)],
  ]
}

const ofScores = ({ steps, threads }: Rows): Condition<Score>[] => {
  const userOf = ({ stepId, threadId }: Score) =>
    steps.find(({ id }) => id === stepId)?.participantIdentifier ??
    threads.find(({ id }) => id === threadId)?.participant?.identifier ??
    null
  return [
    ['name=quality', ({ name }) => name === 'quality'],
    ['value<=0.25', ({ value }) => value <= 0.25],
    ['type=HUMAN', ({ type }) => type === 'HUMAN'],
    ['scorer=bo', ({ scorer }) => scorer === 'bo'],
    ['comment~REFUND', ({ comment }) => contains(comment ?? '', 'refund')],
    ['tags:y', ({ tags }) => meets(tags, 'y')],
    ['step=p1', ({ stepId }) => stepId === 'p1'],
    ...USERS.map((user): Condition<Score> => [`user:${user}`, (score) => userOf(score) === user]),
  ]
}

const ofCalls = (): Condition<Step>[] => [
  ['model=gpt-4o', ({ generation }) => generation?.model === 'gpt-4o'],
  ['model:none', ({ generation }) => generation?.model === null],
  ['provider=other', ({ generation }) => generation?.provider === 'other'],
  ['tokens>=1000', ({ generation }) => (generation?.tokenCount ?? 0) >= 1000],
  ['cost:none', ({ generation }) => generation?.cost === null],
  ['error:any', ({ generation }) => generation?.error != null],
  ['failure:any', hasFailed],
  ['score:any', ({ scores }) => scores.length > 0],
  ['user:ada', ({ participantIdentifier }) => participantIdentifier === 'ada'],
  ['tags:x', ({ tags }) => meets(tags, 'x')],
  ['env=prod', ({ environment }) => environment === 'prod'],
  ['content~refund', (step) => hasWord(step, 'refund')],
  [`time>=${MIDDLE}`, ({ startTime, createdAt }) => isAfter(startTime ?? createdAt, MIDDLE)],
]

const expectList = async <Row extends { id: string }>(
  ask: Ask,
  list: List,
  all: readonly Row[],
  conditions: readonly Condition<Row>[],
): Promise<void> => {
  const pairs = conditions.map(([text, holds], index): Condition<Row> => {
    const [other, alsoHolds] = conditions[(index * 7 + 3) % conditions.length] ?? [text, holds]
    return index % 2 === 0
      ? [`${text} ${other}`, (row) => holds(row) && alsoHolds(row)]
      : [`${text} OR ${other}`, (row) => holds(row) || alsoHolds(row)]
  })
  const found: Record<string, string[]> = {}
  const expected: Record<string, string[]> = {}
  for (const [index, [text, holds]] of [...conditions, ...pairs].entries()) {
    const args = `query: ${JSON.stringify(text)}`
    // Some of the lists are read in pages.
    const size = index % 4 === 0 ? 4 : 100
    found[text] = ids(await readAll<{ id: string }>(ask, list, { args, size, fields: 'id' }))
    expected[text] = ids(all.filter(holds))
  }
  expect(found).toEqual(expected)
}

const ORDERS: [List, string[]][] = [
  ['steps', ['createdAt', 'startedAt']],
  ['threads', ['createdAt', 'startedAt', 'tokenCount', 'cost', 'duration', 'participant']],
  [
    'participants',
    [
      'lastEngaged',
      'firstEngaged',
      'threadCount',
      'tokenCount',
      'errorCount',
      'cost',
      'identifier',
    ],
  ],
  ['scores', ['createdAt', 'value']],
  ['generations', ['createdAt', 'startedAt', 'tokenCount']],
]

/** Expects that each order has all rows once, from both ends, and that one direction is the opposite of the other. */
const expectOrders = async (ask: Ask): Promise<void> => {
  for (const [list, columns] of ORDERS)
    for (const column of columns) {
      const args = `orderBy: { column: "${column}", direction: DESC }`
      const down = (await readAll<{ id: string }>(ask, list, { args, fields: 'id' })).map(
        ({ id }) => id,
      )
      const up = await readAll<{ id: string }>(ask, list, {
        args: args.replace('DESC', 'ASC'),
        size: 3,
        fields: 'id',
      })
      expect({ list, column, ids: up.map(({ id }) => id).reverse() }).toEqual({
        list,
        column,
        ids: down,
      })
      expect({ list, column, ids: await readBack(ask, list, args) }).toEqual({
        list,
        column,
        ids: down,
      })
    }
}

/** Expects that lists with conditions have the rows for which these hold. */
export const expectLists = async (ask: Ask, rows: Rows): Promise<void> => {
  await expectOrders(ask)
  await expectList(ask, 'steps', rows.steps, ofSteps())
  await expectList(ask, 'threads', rows.threads, ofThreads(rows))
  await expectList(ask, 'scores', rows.scores, ofScores(rows))
  await expectList(
    ask,
    'generations',
    rows.steps.filter(({ generation }) => generation !== null),
    ofCalls(),
  )
}
