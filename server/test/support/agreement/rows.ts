import { expect } from 'vitest'
import type { Ask } from '../ask.js'

export interface Step {
  id: string
  threadId: string | null
  parentId: string | null
  type: string
  name: string | null
  startTime: string | null
  endTime: string | null
  createdAt: string
  error: string | null
  tags: string[] | null
  environment: string
  metadata: Record<string, unknown> | null
  input: unknown
  output: Record<string, unknown> | null
  participantIdentifier: string | null
  scores: Score[]
  generation: Generation | null
}

export interface Generation {
  id: string
  model: string | null
  provider: string | null
  tokenCount: number | null
  inputTokenCount: number | null
  outputTokenCount: number | null
  cost: number | null
  error: string | null
  messages: unknown
}

export interface Score {
  id: string
  stepId: string | null
  threadId: string | null
  name: string
  type: string
  value: number
  scorer: string | null
  comment: string | null
  tags: string[] | null
  createdAt: string
}

export interface Thread {
  id: string
  name: string | null
  metadata: Record<string, unknown> | null
  tags: string[] | null
  createdAt: string
  startedAt: string | null
  tokenCount: number | null
  cost: number | null
  unpricedCount: number
  duration: number | null
  environment: string
  participant: { id: string; identifier: string } | null
  stepCount: number
  errorCount: number
  steps: { id: string }[]
  scores: { id: string }[]
}

export interface Participant {
  id: string
  identifier: string
  createdAt: string
  lastEngaged: string | null
  firstEngaged: string | null
  threadCount: number
  tokenCount: number
  errorCount: number
  cost: number | null
  unpricedCount: number
}

const SCORE = 'id stepId threadId name type value scorer comment tags createdAt'
const FIELDS = {
  steps: `id threadId parentId type name startTime endTime createdAt error tags environment metadata input output
    participantIdentifier scores { ${SCORE} }
    generation { id model provider tokenCount inputTokenCount outputTokenCount cost error messages }`,
  threads: `id name metadata tags createdAt startedAt tokenCount cost unpricedCount duration environment
    participant { id identifier } stepCount errorCount steps { id } scores(first: 100) { id }`,
  scores: SCORE,
  participants:
    'id identifier createdAt lastEngaged firstEngaged threadCount tokenCount errorCount cost unpricedCount',
  generations: 'id',
}
export type List = keyof typeof FIELDS

interface Page<Row> {
  totalCount: number
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
  edges: { cursor: string; node: Row }[]
}

const readPage = async <Row>(
  ask: Ask,
  list: List,
  args: string,
  fields: string,
): Promise<Page<Row>> => {
  const answer = await ask(
    `{ ${list}(${args}) { totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { ${fields} } } } }`,
  )
  return answer[list]
}

const cursor = (name: string, value: string | null) =>
  value === null ? '' : `, ${name}: ${JSON.stringify(value)}`

/** Reads all rows of a list from its start, some at a time. */
export const readAll = async <Row>(
  ask: Ask,
  list: List,
  {
    args = '',
    size = 7,
    fields = FIELDS[list],
  }: { args?: string; size?: number; fields?: string } = {},
): Promise<Row[]> => {
  const rows: Row[] = []
  for (let after: string | null = null; ; ) {
    const page: Page<Row> = await readPage(
      ask,
      list,
      `first: ${size}${cursor('after', after)} ${args}`,
      fields,
    )
    rows.push(...page.edges.map(({ node }) => node))
    if (!page.pageInfo.hasNextPage) {
      expect(page.totalCount, `the count of ${list}(${args})`).toBe(rows.length)
      return rows
    }
    after = page.pageInfo.endCursor
  }
}

/** Reads the ids of a list from its end, some at a time, and returns them in its order. */
export const readBack = async (ask: Ask, list: List, args = '', size = 5): Promise<string[]> => {
  const ids: string[] = []
  for (let before: string | null = null; ; ) {
    const page: Page<{ id: string }> = await readPage(
      ask,
      list,
      `last: ${size}${cursor('before', before)} ${args}`,
      'id',
    )
    ids.unshift(...page.edges.map(({ node }) => node.id))
    if (!page.pageInfo.hasPreviousPage) return ids
    before = page.pageInfo.startCursor
  }
}

/** The rows of a project, as its lists have them. */
export interface Rows {
  steps: Step[]
  threads: Thread[]
  scores: Score[]
  participants: Participant[]
}

export const readRows = async (ask: Ask): Promise<Rows> => ({
  steps: await readAll(ask, 'steps'),
  threads: await readAll(ask, 'threads'),
  scores: await readAll(ask, 'scores'),
  participants: await readAll(ask, 'participants'),
})
