import { STEP_TYPES } from '../../generated/step-types.js'
import { ENVIRONMENTS } from '../ui/environment-select.js'
import type { Field, Kind } from './condition.js'

const field = (
  name: string,
  kind: Kind,
  title: string,
  more: Partial<Field> & { filter?: string } = {},
): Field => ({ name, kind, title, isNullable: true, filter: name, ...more })

const env = field('env', 'string', 'Environment', { filter: 'environment', values: ENVIRONMENTS })
const created = field('time', 'instant', 'When it arrived', {
  filter: 'createdAt',
  isNullable: false,
})
const tags = field('tags', 'list', 'Tags', { facet: 'tags' })

/** The fields of threads. */
export const THREAD_FIELDS: readonly Field[] = [
  field('name', 'string', 'Name'),
  field('user', 'list', 'User', { filter: 'participantIdentifiers', facet: 'user' }),
  field('error', 'number', 'Steps that failed', {
    filter: 'errorCount',
    toFilter: ({ values, sign }) =>
      values === null
        ? { field: 'errorCount', operator: sign === ':' ? 'eq' : 'gt', value: 0 }
        : undefined,
  }),
  field('duration', 'number', 'Duration in seconds'),
  field('tokens', 'number', 'Tokens', { filter: 'tokenCount' }),
  field('steps', 'number', 'Steps', { filter: 'stepCount', isNullable: false }),
  tags,
  env,
  field('score', 'number', 'A score of a step', {
    filter: 'scoreValue',
    hasPath: true,
    isNullable: false,
    facet: 'score',
  }),
  field('type', 'list', 'Types of steps in it', {
    filter: 'stepType',
    isNullable: false,
    values: STEP_TYPES,
  }),
  field('step', 'string', 'Name of a step', { filter: 'stepName', facet: 'name' }),
  field('output', 'json', 'Output of a step', { filter: 'stepOutput', hasPath: true }),
  field('metadata', 'json', 'Metadata', { hasPath: true }),
  created,
  field('userId', 'string', "User's id", { filter: 'participantId' }),
  field('id', 'string', 'Id', { isNullable: false }),
]

export const STEP_FIELDS: readonly Field[] = [
  field('name', 'string', 'Name', { facet: 'name' }),
  field('type', 'string', 'Type', { isNullable: false, values: STEP_TYPES }),
  field('error', 'string', 'Error'),
  field('user', 'list', 'User', { filter: 'participantIdentifiers', facet: 'user' }),
  tags,
  env,
  field('score', 'number', 'A score', { hasPath: true, facet: 'score' }),
  field('input', 'json', 'Input', { hasPath: true }),
  field('output', 'json', 'Output', { hasPath: true }),
  field('metadata', 'json', 'Metadata', { hasPath: true }),
  field('start', 'instant', 'Start', { filter: 'startTime' }),
  field('end', 'instant', 'End', { filter: 'endTime' }),
  created,
  field('thread', 'string', 'Thread', { filter: 'threadId' }),
  field('parent', 'string', 'Parent', { filter: 'parentId' }),
  field('root', 'string', 'Root run', { filter: 'rootRunId' }),
  field('id', 'string', 'Id', { isNullable: false }),
]

export const GENERATION_FIELDS: readonly Field[] = [
  field('model', 'string', 'Model', { facet: 'model' }),
  field('provider', 'string', 'Provider', { facet: 'provider' }),
  field('prompt', 'string', 'Prompt', { filter: 'promptLineage' }),
  field('version', 'number', 'Prompt version', { filter: 'promptVersion' }),
  field('error', 'string', 'Error'),
  field('duration', 'number', 'Duration in seconds'),
  field('tokens', 'number', 'Tokens', { filter: 'tokenCount' }),
  field('score', 'number', 'A score', { hasPath: true, facet: 'score' }),
  field('user', 'list', 'User', { filter: 'participant', facet: 'user' }),
  tags,
  env,
  field('type', 'string', 'Type', { isNullable: false, values: ['CHAT', 'COMPLETION'] }),
  created,
  field('id', 'string', 'Id', { isNullable: false }),
]

export const SCORE_FIELDS: readonly Field[] = [
  field('name', 'string', 'Name', { isNullable: false, facet: 'score' }),
  field('value', 'number', 'Value', { isNullable: false }),
  field('by', 'string', 'Who judged', {
    filter: 'type',
    isNullable: false,
    values: ['HUMAN', 'CODE', 'AI'],
  }),
  field('scorer', 'string', 'Scorer'),
  field('comment', 'string', 'Comment'),
  field('label', 'string', 'Label'),
  field('user', 'list', 'User', { filter: 'participant', facet: 'user' }),
  tags,
  created,
  field('step', 'string', 'Step', { filter: 'stepId' }),
  field('id', 'string', 'Id', { isNullable: false }),
]

export const USER_FIELDS: readonly Field[] = [
  field('user', 'list', 'Identifier', { filter: 'identifier', isNullable: false, facet: 'user' }),
  field('threads', 'number', 'Threads', { filter: 'threadCount', isNullable: false }),
  field('tokens', 'number', 'Tokens', { filter: 'tokenCount' }),
  field('seen', 'instant', 'Last seen', { filter: 'lastEngaged' }),
  field('metadata', 'json', 'Metadata', { hasPath: true }),
  created,
  field('id', 'string', 'Id', { isNullable: false }),
]

/** Returns the field in which bare words search. */
export const wordsOf = (fields: readonly Field[]): Field | undefined =>
  fields.find(({ name }) => name === 'output') ??
  fields.find(({ name }) => name === 'comment') ??
  fields.find(({ name }) => name === 'model')
