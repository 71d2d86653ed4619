import type { FacetField } from '../../../generated/schema.js'
import { LIST_FIELDS } from '../../generated/list-fields.js'
import { type Field, type Language, type ListName, languageOf } from './language.js'

type Lists = typeof LIST_FIELDS

/** Additions of the UI to a field: its title, and the facet with the values that occur. */
interface Shown {
  title: string
  facet?: FacetField
}

export type ShownField = Field & Shown
export type ShownLanguage = Language<ShownField>

const environment = { title: 'Environment' }
const startedAt = { title: 'Start' }
const createdAt = { title: 'Arrival' }
const tags = { facet: 'tags' } as const
const score = { title: 'A score', facet: 'score' } as const
const seconds = { title: 'Duration in seconds' }
const tokenCount = { title: 'Tokens' }
const cost = { title: 'Cost in dollars' }
const unpricedCount = { title: 'Calls without a price' }
const user = { title: 'User', facet: 'user' } as const
const name = { title: 'Name', facet: 'name' } as const

/** A field without an entry here has its meaning as its title. */
const SHOWN: {
  readonly [List in ListName]: { readonly [Name in keyof Lists[List]]?: Partial<Shown> }
} = {
  threads: {
    name: { title: 'Name' },
    participantIdentifiers: user,
    errorCount: { title: 'Steps that failed' },
    duration: seconds,
    tokenCount,
    cost,
    unpricedCount,
    stepCount: { title: 'Steps' },
    tags,
    environment,
    scoreValue: { title: 'A score', facet: 'score' },
    stepType: { title: 'Types of steps in it' },
    stepName: { title: 'Name of a step', facet: 'name' },
    stepOutput: { title: 'Output of a step' },
    stepError: { title: 'Error of a step' },
    startedAt,
    createdAt,
    endedAt: { title: 'End of the conversation' },
    participantId: { title: "User's id" },
  },
  steps: {
    name,
    participantIdentifiers: user,
    tags,
    environment,
    score,
    failure: { title: 'Error, its own or of its model call' },
    startTime: { title: 'Start' },
    endTime: { title: 'End' },
    startedAt,
    createdAt,
    threadId: { title: 'Thread' },
    parentId: { title: 'Parent' },
    rootRunId: { title: 'Root run' },
  },
  generations: {
    model: { facet: 'model' },
    provider: { facet: 'provider' },
    promptLineage: { title: 'Prompt' },
    promptVersion: { title: 'Prompt version' },
    duration: seconds,
    tokenCount,
    cost,
    costSource: { title: 'Origin of the cost' },
    failure: { title: 'Error, its own or of its step' },
    score,
    participant: user,
    tags,
    environment,
    type: { title: 'Type' },
    startedAt,
    createdAt,
  },
  scores: {
    name: { title: 'Name', facet: 'score' },
    type: { title: 'Judged by' },
    participant: user,
    tags,
    stepId: { title: 'Step' },
  },
  participants: {
    identifier: { ...user, title: 'Identifier' },
    threadCount: { title: 'Threads' },
    tokenCount,
    errorCount: { title: 'Steps that failed' },
    cost,
    lastEngaged: { title: 'Last seen' },
  },
}

const shown = (list: ListName, filter: string): Shown => {
  const { meaning } = (LIST_FIELDS[list] as Record<string, { meaning: string }>)[filter] ?? {
    meaning: filter,
  }
  const told = (SHOWN[list] as Record<string, Partial<Shown>>)[filter]
  return { title: meaning.replace(/\.$/, ''), ...told }
}

const shownLanguage = (list: ListName): ShownLanguage => languageOf(LIST_FIELDS, list, shown)

/** The languages of the lists. */
export const THREAD_LANGUAGE = shownLanguage('threads')
export const STEP_LANGUAGE = shownLanguage('steps')
export const GENERATION_LANGUAGE = shownLanguage('generations')
export const SCORE_LANGUAGE = shownLanguage('scores')
export const USER_LANGUAGE = shownLanguage('participants')
