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
  threadId?: string | undefined
  rootStepId?: string | undefined
}

/** A step in its place, without what went in and out. */
export interface OutlineStep {
  id: string
  /** How many steps are above it. */
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
  hasFailed: boolean
  /** It has a start and no end, and is no message. */
  isRunning: boolean
  /** The step that it names as its parent never arrived. */
  isOrphan: boolean
  /** Its parents were a circle, which is cut here. */
  isCutCircle: boolean
  isGeneration: boolean
}

export type Outline = Omit<
  NonNullable<GetOutlineQuery['outline']>,
  'skeleton' | 'names' | 'types'
> & {
  /** In pre-order: a parent before its children, siblings by start. */
  steps: OutlineStep[]
}

export interface OutlineSearch extends OutlineSubject {
  text: string
  /** How many ids to give: 1000 when absent, 10,000 at most. */
  first?: number | undefined
}

/** As the schema describes them. */
interface Columns {
  id: string[]
  depth: number[]
  type: number[]
  name: number[]
  start: (number | null)[]
  duration: (number | null)[]
  firstToken: (number | null)[]
  tokens: (number | null)[]
  flags: number[]
}

const stepsOf = (
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
      hasFailed: (flags & FLAG.failed) !== 0,
      isRunning: (flags & FLAG.running) !== 0,
      isOrphan: (flags & FLAG.parentMissing) !== 0,
      isCutCircle: (flags & FLAG.circle) !== 0,
      isGeneration: (flags & FLAG.generation) !== 0,
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
     * Gets the steps of a thread, or below a step, as a tree without their contents: for threads of any size. Null when
     * there is no such thread or step.
     *
     * @example
     * const outline = await stepwell.api.getOutline({ threadId })
     * for (const step of outline?.steps ?? []) console.log('  '.repeat(step.depth), step.name, step.duration)
     */
    getOutline,
    /** Gets the steps of a thread as a tree; `getOutline` in the other spelling. */
    get_outline: async (subject: Snake<OutlineSubject>): Promise<Snake<Outline> | null> => {
      const outline = await getOutline(camelKeys<OutlineSubject>(subject))
      if (outline === null) return null
      return { ...snakeKeys(outline), steps: outline.steps.map(snakeKeys) } as Snake<Outline>
    },

    /**
     * Finds steps of a thread, or below a step, whose name, input, output or error contains a text, whatever the case.
     * Resolves to their ids in pre-order. Costs reading all contents of the thread.
     */
    findInOutline,
    /** Finds steps of a thread by a text; `findInOutline` in the other spelling. */
    find_in_outline: (search: Snake<OutlineSearch>): Promise<string[]> =>
      findInOutline(camelKeys<OutlineSearch>(search)),

    /** Gets the steps with these ids, 1000 at most, in the order of the ids; null where there is none. */
    getStepsById,
    /** Gets steps by their ids; `getStepsById` in the other spelling. */
    get_steps_by_id: async (params: { ids: readonly string[] }): Promise<(Snake<Step> | null)[]> =>
      (await getStepsById(params.ids)).map((step) => step && toSnake(step, 'Step')),
  }
}
