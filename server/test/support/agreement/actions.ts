import fc from 'fast-check'
import type { Ask } from '../ask.js'

/** Steps without a model call, which others may be below. */
const PLAIN = ['p0', 'p1', 'p2', 'p3', 'p4']
/** Steps that may have one. Nothing is below them, so that no call is part of another. */
const CALLS = ['c0', 'c1', 'c2', 'c3', 'c4']
export const THREADS = ['t0', 't1', 't2', 't3']
export const USERS = ['ada', 'bo', 'Cy']
export const NAMES = ['one', 'Two', 'thrée']
const WORDS = ['parcel', 'Refund', 'straße']
export const TAGS = ['x', 'y', 'ü']
export const BEGIN_MS = Date.parse('2026-03-01T10:00:00Z')
const RANGE_MS = 7_200_000

type Perform = (ask: Ask) => Promise<unknown>

/** One request, or none where it lacks something to be about. */
export interface Action {
  /** Shown by a failed property. */
  text: string
  perform: Perform
}

const named = (text: string, perform: Perform): Action => ({ text, perform })

const moment = fc.nat(RANGE_MS).map((ms) => new Date(BEGIN_MS + ms).toISOString())
const some = <Value>(...values: Value[]) => fc.constantFrom(...values)
const tags = fc.uniqueArray(some(...TAGS), { minLength: 1, maxLength: 2 })

const common = {
  threadId: some<string | null>(...THREADS, null),
  parentId: some<string | null>(...PLAIN, 'unknown', null),
  name: some<string | null>(...NAMES, null),
  startTime: fc.option(moment, { freq: 8 }),
  endTime: fc.option(moment, { freq: 8 }),
  error: some(null, null, 'lost', 'Late'),
  tags,
  metadata: some({ release: '1' }, { release: '2', k: 1 }, null),
  input: some({ content: 'where is my parcel' }, { q: ['Refund'] }, null),
  output: some({ content: 'in the STRASSE' }, { content: 'auf der Straße' }, null),
  scores: fc.array(
    fc.record({
      name: some('quality', 'tone'),
      type: some('HUMAN', 'CODE'),
      value: some(0, 0.25, 1),
    }),
    { minLength: 1, maxLength: 2 },
  ),
}

const plain = fc.record(
  {
    id: some(...PLAIN),
    // With the type of calls five, as a metric tells the others apart no more.
    type: some('run', 'tool', 'user_message', 'undefined'),
    ...common,
  },
  { requiredKeys: ['id'] },
)

const call = fc.record(
  {
    id: some(...CALLS),
    type: some('llm'),
    ...common,
    generation: fc.record(
      {
        model: some('gpt-4o', 'unheard-of'),
        provider: some('openai', 'other'),
        inputTokenCount: fc.nat(1000),
        outputTokenCount: fc.nat(1000),
        error: some('refused by the model'),
        messages: some([{ role: 'user', content: 'a Refund, please' }]),
      },
      { requiredKeys: ['inputTokenCount', 'outputTokenCount'] },
    ),
  },
  { requiredKeys: ['id', 'type'] },
)

const ingest = (steps: unknown[], environment: string): Action =>
  named(`ingest as ${environment} ${JSON.stringify(steps)}`, async (ask) => {
    const { ingestSteps } = await ask(
      'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }',
      { steps },
      { 'x-env': environment },
    )
    if (!ingestSteps.ok) throw new Error(ingestSteps.message)
  })

const document = (query: string, variables: object = {}): Action =>
  named(`${query} ${JSON.stringify(variables)}`, (ask) => ask(query, variables))

const idOfUser = async (ask: Ask, identifier: string): Promise<string | undefined> =>
  (
    await ask('query ($user: String) { participant(identifier: $user) { id } }', {
      user: identifier,
    })
  ).participant?.id

/** Rejections that others may cause: what an action is about is gone, or taken. */
const isExpected = (error: unknown): boolean => /NOT_FOUND|CONFLICT/.test(String(error))

const tolerant = ({ text, perform }: Action): Action =>
  named(text, async (ask) => {
    try {
      await perform(ask)
    } catch (error) {
      if (!isExpected(error)) throw error
    }
  })

const recording = fc
  .tuple(
    fc.array(fc.oneof(plain, call), { minLength: 1, maxLength: 4 }),
    some('prod', 'prod', 'dev', 'experiment'),
  )
  .map(([steps, environment]) => ingest(steps, environment))

const changingThreads = fc.oneof(
  fc
    .record(
      {
        id: some(...THREADS),
        name: some<string | null>('Lost bag', null),
        participantId: some<string | null>(...USERS, null),
        tags,
        metadata: some({ vip: true }, null),
        environment: some('staging', 'prod'),
      },
      { requiredKeys: ['id'] },
    )
    .map((thread) =>
      document(
        `mutation ($id: String!, $name: String, $participantId: String, $tags: [String!], $metadata: Json, $environment: String) {
          upsertThread(id: $id, name: $name, participantId: $participantId, tags: $tags, metadata: $metadata,
            environment: $environment) { id } }`,
        thread,
      ),
    ),
  fc
    .record({ threadId: some(...THREADS), value: some(0, 1), name: some('quality', 'mood') })
    .map((score) =>
      document(
        'mutation ($threadId: String!, $value: Float!, $name: String!) { createScore(threadId: $threadId, name: $name, type: AI, value: $value, scorer: "bo") { id } }',
        score,
      ),
    ),
)

const scoring = fc
  .record({
    stepId: some(...PLAIN, ...CALLS, 'unknown'),
    value: some(0.5, 2),
    comment: some(...WORDS),
  })
  .map((score) =>
    document(
      'mutation ($stepId: String!, $value: Float!, $comment: String) { createScore(stepId: $stepId, name: "review", type: HUMAN, value: $value, comment: $comment, tags: ["y"]) { id } }',
      score,
    ),
  )

const updating = fc
  .record(
    {
      id: some(...PLAIN, ...CALLS),
      name: some(...NAMES),
      parentId: some(...PLAIN),
      startTime: moment,
      output: some({ content: 'found' }),
    },
    { requiredKeys: ['id'] },
  )
  .map((step) =>
    document(
      'mutation ($id: String!, $name: String, $parentId: String, $startTime: DateTime, $output: Json) { updateStep(id: $id, name: $name, parentId: $parentId, startTime: $startTime, output: $output) { id } }',
      step,
    ),
  )

const deleting = fc.oneof(
  some(...PLAIN, ...CALLS).map((id) =>
    document('mutation ($id: String!) { deleteStep(id: $id) { id } }', { id }),
  ),
  some(...THREADS).map((id) =>
    document('mutation ($id: String!) { deleteThread(id: $id) { id } }', { id }),
  ),
  some(...USERS).map((user) =>
    named(`delete the user ${user}`, async (ask) => {
      const id = await idOfUser(ask, user)
      if (id) await ask('mutation ($id: String!) { deleteParticipant(id: $id) { id } }', { id })
    }),
  ),
  some(...USERS).map((identifier) =>
    document(
      'mutation ($identifier: String!) { deleteParticipantData(identifier: $identifier) { isComplete } }',
      { identifier },
    ),
  ),
  fc.nat(20).map((place) =>
    named(`delete the score at ${place}`, async (ask) => {
      const { scores } = await ask('{ scores(first: 30) { edges { node { id } } } }')
      const found = scores.edges[place]?.node
      if (found) await ask('mutation ($id: String!) { deleteScore(id: $id) { id } }', found)
    }),
  ),
)

/** Pages that people look at meanwhile: they bring what is summed up or measured up to date. */
const looking = some(
  '{ threads(orderBy: { column: "tokenCount", direction: DESC }) { edges { node { id duration } } } }',
  '{ participants(orderBy: { column: "cost", direction: DESC }) { edges { node { id tokenCount } } } }',
  '{ steps(query: "content~parcel") { totalCount edges { node { id } } } }',
  '{ outline(threadId: "t0") { revision stepCount } }',
  `{ metrics(subject: steps, from: "${new Date(BEGIN_MS).toISOString()}", to: "${new Date(BEGIN_MS + RANGE_MS).toISOString()}", by: name) { series { key } } }`,
).map((query) => document(query))

export const action: fc.Arbitrary<Action> = fc
  .oneof(
    { weight: 8, arbitrary: recording },
    { weight: 3, arbitrary: changingThreads },
    { weight: 2, arbitrary: scoring },
    { weight: 2, arbitrary: updating },
    { weight: 3, arbitrary: deleting },
    { weight: 2, arbitrary: looking },
  )
  .map(tolerant)
