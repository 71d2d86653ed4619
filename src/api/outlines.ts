import {
  FindInOutlineDocument,
  GetOutlineDocument,
  type GetOutlineQuery,
  GetStepsByIdDocument,
} from '../../generated/operations.js'
import { FLAG } from '../../generated/outline-flags.js'
import type { StepType } from '../../generated/schema.js'
import { camelKeys, type Snake, snakeKeys, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import type { Step } from './steps.js'

/** A thread, or a step with all that ran below it: exactly one of the two. */
export interface OutlineSubject {
  /** The thread, by its id. */
  threadId?: string | undefined
  /** The step, by its id. */
  rootStepId?: string | undefined
}

/** A step in its place, without what went in and out. */
export interface OutlineStep {
  id: string
  /** The number of steps above it. */
  depth: number
  type: StepType
  name: string | null
  /** Milliseconds from the start of the first step; null when not recorded. */
  start: number | null
  /** Milliseconds; null when its start or end was not recorded. */
  duration: number | null
  /** Milliseconds to the first token; null when not recorded. */
  firstToken: number | null
  tokens: number | null
  /** The cost of the model call itself in US dollars; null when unknown. */
  cost: number | null
  hasFailed: boolean
  /** It has a start and no end, and is no message. */
  isRunning: boolean
  /** The step that it names as its parent never arrived. */
  isOrphan: boolean
  /** Its parents were a circle, which is cut here. */
  isCutCircle: boolean
  isGeneration: boolean
  /** It is a model call of which some part has no price. */
  isUnpriced: boolean
}

export type Outline = Omit<
  NonNullable<GetOutlineQuery['outline']>,
  'skeleton' | 'names' | 'types'
> & {
  /** In pre-order: a parent before its children, siblings by start. */
  steps: OutlineStep[]
}

export interface OutlineSearch extends OutlineSubject {
  /** The text to find, in either case of letters. */
  text: string
  /** The most ids to return: 10,000 at most. Default: 1000. */
  first?: number | undefined
}

/** The columns, as the schema describes them. */
export interface Columns {
  id: string[]
  depth: number[]
  type: number[]
  name: number[]
  start: (number | null)[]
  duration: (number | null)[]
  firstToken: (number | null)[]
  tokens: (number | null)[]
  /** Earlier services send none. */
  cost?: (number | null)[]
  flags: number[]
}

export const stepsOf = (
  columns: Columns,
  names: readonly string[],
  types: readonly StepType[],
): OutlineStep[] =>
  columns.id.map((id, place) => {
    const flags = columns.flags[place] ?? 0
    return {
      id,
      depth: columns.depth[place] ?? 0,
      type: types[columns.type[place] ?? -1] ?? 'undefined',
      name: names[columns.name[place] ?? -1] ?? null,
      start: columns.start[place] ?? null,
      duration: columns.duration[place] ?? null,
      firstToken: columns.firstToken[place] ?? null,
      tokens: columns.tokens[place] ?? null,
      cost: columns.cost?.[place] ?? null,
      hasFailed: (flags & FLAG.failed) !== 0,
      isRunning: (flags & FLAG.running) !== 0,
      isOrphan: (flags & FLAG.parentMissing) !== 0,
      isCutCircle: (flags & FLAG.circle) !== 0,
      isGeneration: (flags & FLAG.generation) !== 0,
      isUnpriced: (flags & FLAG.unpriced) !== 0,
    }
  })

export const outlinesApi = ({ call }: Transport) => {
  const getOutline = async (subject: OutlineSubject): Promise<Outline | null> => {
    const { outline } = await call(GetOutlineDocument, subject)
    if (outline === null) return null
    const { skeleton, names, types, ...rest } = outline
    return { ...rest, steps: stepsOf(skeleton as Columns, names, types) }
  }
  const findInOutline = async (search: OutlineSearch): Promise<string[]> =>
    (await call(FindInOutlineDocument, search)).outline?.matches ?? []
  const getStepsById = async (ids: readonly string[]): Promise<(Step | null)[]> =>
    ids.length === 0 ? [] : (await call(GetStepsByIdDocument, { ids: [...ids] })).stepsById

  return {
    /**
     * Gets the steps of a thread, or below a step, as a tree without their contents: for threads of any size.
     *
     * @returns the outline; null when there is no such thread or step.
     * @throws `INVALID_ARGUMENT` when neither or both of `threadId` and `rootStepId` are given.
     * @scope `read`
     * @example
     * const outline = await stepwell.api.getOutline({ threadId })
     * for (const step of outline?.steps ?? []) console.log('  '.repeat(step.depth), step.name, step.duration)
     */
    getOutline,
    /**
     * Gets the steps of a thread as a tree; `getOutline` in the other spelling.
     *
     * @returns the outline; null when there is no such thread or step.
     * @throws `INVALID_ARGUMENT` when neither or both of `thread_id` and `root_step_id` are given.
     * @scope `read`
     * @example
     * const outline = await stepwell.api.get_outline({ thread_id: threadId })
     * for (const step of outline?.steps ?? []) console.log(step.name, step.first_token)
     */
    get_outline: async (subject: Snake<OutlineSubject>): Promise<Snake<Outline> | null> => {
      const outline = await getOutline(camelKeys<OutlineSubject>(subject))
      if (outline === null) return null
      return { ...snakeKeys(outline), steps: outline.steps.map(snakeKeys) } as Snake<Outline>
    },

    /**
     * Finds the steps of a thread, or below a step, whose contents have a text, in either case of letters: names, inputs,
     * outputs, errors, and what models were sent and answered. Costs what a search in contents does.
     *
     * @returns the ids in pre-order; an empty list when no step contains the text, or when there is no such thread or
     *   step.
     * @throws `INVALID_ARGUMENT` when the text is empty or `first` above 10,000, and as `getOutline` does.
     * @scope `read`
     * @example
     * const ids = await stepwell.api.findInOutline({ threadId, text: 'refund' })
     * const steps = await stepwell.api.getStepsById(ids.slice(0, 20))
     */
    findInOutline,
    /**
     * Finds steps of a thread by a text; `findInOutline` in the other spelling.
     *
     * @returns the ids in pre-order; an empty list when no step contains the text, or when there is no such thread or
     *   step.
     * @throws `INVALID_ARGUMENT` when the text is empty or `first` above 10,000, and as `get_outline` does.
     * @scope `read`
     * @example
     * const ids = await stepwell.api.find_in_outline({ thread_id: threadId, text: 'refund' })
     */
    find_in_outline: (search: Snake<OutlineSearch>): Promise<string[]> =>
      findInOutline(camelKeys<OutlineSearch>(search)),

    /**
     * Gets the steps with these ids, 1000 at most.
     *
     * @returns the steps in the order of the ids, null in the place of an id that nothing has. An empty list sends
     *   nothing.
     * @throws `INVALID_ARGUMENT` when there are more than 1000 ids, or when one is no string.
     * @scope `read`
     * @example
     * const [agent, missing] = await stepwell.api.getStepsById([stepId, 'unknown'])
     * console.log(agent?.name, missing === null)
     */
    getStepsById,
    /**
     * Gets steps by their ids; `getStepsById` in the other spelling.
     *
     * @returns the steps in the order of the ids, null in the place of an id that nothing has. An empty list sends
     *   nothing.
     * @throws `INVALID_ARGUMENT` when there are more than 1000 ids, or when one is no string.
     * @scope `read`
     * @example
     * const [agent] = await stepwell.api.get_steps_by_id({ ids: [stepId] })
     * console.log(agent?.thread_id)
     */
    get_steps_by_id: async (params: {
      /** The ids, 1000 at most. */
      ids: readonly string[]
    }): Promise<(Snake<Step> | null)[]> =>
      (await getStepsById(params.ids)).map((step) => step && toSnake(step, 'Step')),
  }
}
