import { LIST_FIELDS } from '../../generated/list-fields.js'
import type { Field, Kind } from './condition.js'

type Lists = typeof LIST_FIELDS

/** A field's definition in the schema. */
interface Rule {
  kind: Kind
  isNullable: boolean
  path?: string
  values?: readonly string[]
  isOld?: boolean
  meaning: string
}

/** Additions of the UI: a short name to type, a title, and the facet with values that occur. */
type Shown = Partial<Pick<Field, 'name' | 'title' | 'isNullable' | 'facet' | 'toFilter'>>

/**
 * Creates the fields of a list from the schema's. One without an entry here has its own name, and its meaning as its
 * title.
 */
const fieldsOf = <List extends keyof Lists>(
  list: List,
  shown: { readonly [Name in keyof Lists[List]]?: Shown },
): readonly Field[] =>
  Object.entries(LIST_FIELDS[list] as Record<string, Rule>)
    .filter(([, { isOld }]) => !isOld)
    .map(([filter, { kind, isNullable, path, values, meaning }]) => ({
      name: filter,
      title: meaning.replace(/\.$/, ''),
      kind,
      isNullable,
      filter,
      ...(path === undefined ? {} : { hasPath: true }),
      ...(values === undefined ? {} : { values }),
      ...shown[filter as keyof Lists[List]],
    }))

const environment = { name: 'env', title: 'Environment' }
const createdAt = { name: 'time' }
const startedAt = { name: 'time', title: 'Start' }
const arrival = { name: 'arrived', title: 'Arrival' }
const tags = { facet: 'tags' } as const
const score = { title: 'A score', facet: 'score' } as const
const seconds = { title: 'Duration in seconds' }
const tokenCount = { name: 'tokens', title: 'Tokens' }
const user = { name: 'user', title: 'User', facet: 'user' } as const
const name = { title: 'Name', facet: 'name' } as const

/** The fields by which lists of threads can be filtered. */
export const THREAD_FIELDS = fieldsOf('threads', {
  name: { title: 'Name' },
  participantIdentifiers: user,
  errorCount: {
    name: 'error',
    title: 'Steps that failed',
    isNullable: true,
    toFilter: ({ values, sign }) =>
      values === null
        ? { field: 'errorCount', operator: sign === ':' ? 'eq' : 'gt', value: 0 }
        : undefined,
  },
  duration: seconds,
  tokenCount,
  stepCount: { name: 'steps', title: 'Steps' },
  tags,
  environment,
  scoreValue: { name: 'score', title: 'A score of a step', facet: 'score' },
  stepType: { name: 'type', title: 'Types of steps in it' },
  stepName: { name: 'step', title: 'Name of a step', facet: 'name' },
  stepOutput: { name: 'output', title: 'Output of a step' },
  startedAt,
  createdAt: arrival,
  endedAt: { name: 'ended', title: 'End of the conversation' },
  participantId: { name: 'userId', title: "User's id" },
})

export const STEP_FIELDS = fieldsOf('steps', {
  name,
  participantIdentifiers: user,
  tags,
  environment,
  score,
  startTime: { name: 'start', title: 'Start' },
  endTime: { name: 'end', title: 'End' },
  startedAt,
  createdAt: arrival,
  threadId: { name: 'thread', title: 'Thread' },
  parentId: { name: 'parent', title: 'Parent' },
  rootRunId: { name: 'root', title: 'Root run' },
})

export const GENERATION_FIELDS = fieldsOf('generations', {
  model: { facet: 'model' },
  provider: { facet: 'provider' },
  promptLineage: { name: 'prompt', title: 'Prompt' },
  promptVersion: { name: 'version', title: 'Prompt version' },
  duration: seconds,
  tokenCount,
  score,
  participant: user,
  tags,
  environment,
  type: { title: 'Type' },
  startedAt,
  createdAt: arrival,
})

export const SCORE_FIELDS = fieldsOf('scores', {
  name: { title: 'Name', facet: 'score' },
  type: { name: 'by', title: 'Judged by' },
  participant: user,
  tags,
  createdAt,
  stepId: { name: 'step', title: 'Step' },
})

export const USER_FIELDS = fieldsOf('participants', {
  identifier: { ...user, title: 'Identifier', isNullable: false },
  threadCount: { name: 'threads', title: 'Threads', isNullable: false },
  tokenCount,
  lastEngaged: { name: 'seen', title: 'Last seen' },
  createdAt,
})

/** Returns the field in which bare words search. */
export const wordsOf = (fields: readonly Field[]): Field | undefined =>
  fields.find(({ name }) => name === 'output') ??
  fields.find(({ name }) => name === 'comment') ??
  fields.find(({ name }) => name === 'model')
