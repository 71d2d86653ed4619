import type { StepType } from '../../../../generated/schema.js'
import {
  ReviewedThreadDocument,
  ReviewItemDocument,
  ReviewQueueDocument,
  type ReviewQueueQuery,
  ReviewThreadsDocument,
  type ReviewThreadsQuery,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { plainClient } from '../../data/client.js'
import { read } from '../../data/use-data.js'
import { threadTitle } from '../../parts/thread-title.js'
import { typeName } from '../../ui/icons.js'

/** The kind of things that a queue consists of. */
export type Unit = 'steps' | 'threads'

export const UNITS = ['steps', 'threads'] as const satisfies readonly Unit[]
export const NOUNS: Record<Unit, string> = { steps: 'step', threads: 'conversation' }

/** A score that someone gave to an item, or to a part of it. */
interface GivenScore {
  id: string
  name: string
  type: string
  scorer: string | null
  value: number
}

/** A step or a thread to judge. */
export interface Item {
  id: string
  name: string | null
  /** Undefined for threads. */
  type: StepType | undefined
  /** The scores of the whole item. */
  scores: readonly GivenScore[]
  /** The scores of steps in it. */
  partScores: readonly (GivenScore & { stepId: string })[]
}

interface Portion {
  items: Item[]
  after: string | null
  hasMore: boolean
  total: number | null
}

interface Wanted {
  first: number
  after: string | null
  query: string | undefined
  isNewest: boolean
  isCounted: boolean
}

interface Source {
  read: (wanted: Wanted) => Promise<Portion>
  /** Returns null when there is none with this id. */
  readOne: (id: string) => Promise<Item | null>
}

const variables = ({ first, after, query, isNewest, isCounted }: Wanted) => ({
  first,
  after,
  query,
  orderBy: { column: 'startedAt', direction: isNewest ? ('DESC' as const) : ('ASC' as const) },
  isCounted,
})

const stepItem = ({
  id,
  name,
  type,
  scores,
}: ReviewQueueQuery['steps']['edges'][number]['node']): Item => ({
  id,
  name,
  type,
  scores,
  partScores: [],
})

const threadItem = ({
  id,
  name,
  firstMessage,
  scores,
}: ReviewThreadsQuery['threads']['edges'][number]['node']): Item => ({
  id,
  name: threadTitle({ name, firstMessage }) || null,
  type: undefined,
  scores: scores.filter(({ stepId }) => stepId === null),
  partScores: scores.flatMap(({ stepId, ...score }) =>
    stepId === null ? [] : [{ ...score, stepId }],
  ),
})

/** Ways to read the items of each kind. */
export const SOURCES: Record<Unit, Source> = {
  steps: {
    read: async (wanted) => {
      const { steps } = await read(ReviewQueueDocument, variables(wanted), plainClient)
      return {
        items: steps.edges.map(({ node }) => stepItem(node)),
        after: steps.pageInfo.endCursor,
        hasMore: steps.pageInfo.hasNextPage,
        total: steps.totalCount ?? null,
      }
    },
    readOne: async (id) => {
      const { step } = await read(ReviewItemDocument, { id }, plainClient)
      return step && stepItem(step)
    },
  },
  threads: {
    read: async (wanted) => {
      const { threads } = await read(ReviewThreadsDocument, variables(wanted), plainClient)
      return {
        items: threads.edges.map(({ node }) => threadItem(node)),
        after: threads.pageInfo.endCursor,
        hasMore: threads.pageInfo.hasNextPage,
        total: threads.totalCount ?? null,
      }
    },
    readOne: async (id) => {
      const { threadDetail } = await read(ReviewedThreadDocument, { id }, plainClient)
      return threadDetail && threadItem(threadDetail)
    },
  },
}

/** Returns the address of the page of an item. */
export const addressOf = (unit: Unit, id: string): string => `/${unit}/${segment(id)}`

/** Names an item that has no name. */
export const nameOf = ({ type }: Item): string =>
  type === undefined ? 'Conversation' : typeName(type)
