import type { Field, Kind, Language } from './condition.js'

/** A field's definition in the schema. */
interface Rule {
  kind: Kind
  isNullable: boolean
  path?: string
  values?: readonly string[]
  isOld?: boolean
}

type Lists<Names extends string> = { readonly [Name in Names]: object }

/** The lists that have a language. */
export type ListName = 'threads' | 'steps' | 'generations' | 'scores' | 'participants'

type Told = Partial<Pick<Field, 'name' | 'isNullable' | 'isCount' | 'textFilter'>>

/** Additions of the language to the fields of the schema. A field without an entry here has its own name. */
const TOLD: { readonly [Name in ListName]: { readonly [Filter in string]?: Told } } = {
  threads: {
    participantIdentifiers: { name: 'user' },
    errorCount: { name: 'error', isNullable: true, isCount: true, textFilter: 'stepError' },
    tokenCount: { name: 'tokens' },
    unpricedCount: { name: 'unpriced' },
    stepCount: { name: 'steps' },
    environment: { name: 'env' },
    scoreValue: { name: 'score' },
    stepType: { name: 'type' },
    stepName: { name: 'step' },
    stepOutput: { name: 'output' },
    startedAt: { name: 'time' },
    createdAt: { name: 'arrived' },
    endedAt: { name: 'ended' },
    participantId: { name: 'userId' },
  },
  steps: {
    participantIdentifiers: { name: 'user' },
    environment: { name: 'env' },
    startTime: { name: 'start' },
    endTime: { name: 'end' },
    startedAt: { name: 'time' },
    createdAt: { name: 'arrived' },
    threadId: { name: 'thread' },
    parentId: { name: 'parent' },
    rootRunId: { name: 'root' },
  },
  generations: {
    promptLineage: { name: 'prompt' },
    promptVersion: { name: 'version' },
    tokenCount: { name: 'tokens' },
    costSource: { name: 'priced' },
    participant: { name: 'user' },
    environment: { name: 'env' },
    startedAt: { name: 'time' },
    createdAt: { name: 'arrived' },
  },
  scores: {
    type: { name: 'by' },
    participant: { name: 'user' },
    createdAt: { name: 'time' },
    stepId: { name: 'step' },
  },
  participants: {
    identifier: { name: 'user', isNullable: false },
    threadCount: { name: 'threads', isNullable: false },
    tokenCount: { name: 'tokens' },
    errorCount: { name: 'errors' },
    lastEngaged: { name: 'seen' },
    createdAt: { name: 'time' },
  },
}

/** The fields in which bare words search: the first of these that a list has. */
const WORDS = ['output', 'comment', 'model', 'user']

/** Returns the language of a list. `more` adds to each field, by its name in the contract. */
export const languageOf = <More extends object = object>(
  lists: Lists<ListName>,
  list: ListName,
  more: (list: ListName, filter: string) => More = () => ({}) as More,
): Language<Field & More> => {
  const fields = Object.entries(lists[list] as Record<string, Rule>)
    .filter(([, { isOld }]) => !isOld)
    .map(([filter, { kind, isNullable, path, values }]) => ({
      name: filter,
      kind,
      isNullable,
      filter,
      ...(path === undefined ? {} : { hasPath: true }),
      ...(values === undefined ? {} : { values }),
      ...TOLD[list][filter],
      ...more(list, filter),
    }))
  const words = WORDS.map((word) => fields.find(({ name }) => name === word)).find(
    (field) => field !== undefined,
  )
  return {
    fields,
    words,
    ...(list === 'threads'
      ? { some: { noun: 'step', language: languageOf(lists, 'steps', more) } }
      : {}),
  }
}
