import {
  CreateJudgementsDocument,
  GetJudgementPairsDocument,
  type GetJudgementPairsQuery,
  GetJudgesDocument,
  type GetJudgesQuery,
  LeaseJudgementsDocument,
  type LeaseJudgementsMutation,
} from '../../generated/operations.js'
import type {
  JudgeBudgetInput as SchemaBudget,
  JudgeInput as SchemaJudge,
  JudgementInput as SchemaJudgement,
  JudgementScoreInput as SchemaJudgementScore,
} from '../../generated/schema.js'
import type { StepsFilter, ThreadsFilter } from '../lists/filters.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'

/** A version of a judge of live traffic, with its usage of the day. */
export type Judge = GetJudgesQuery['judges'][number]
/** The judgements of a step or thread by a person and by a judge. */
export type JudgementPair = GetJudgementPairsQuery['judgementPairs'][number]

export interface GetJudgementPairsParams {
  /** The judge's id, which is the `scorer` of its scores. */
  judgeId: string
  /** The name of the scores. */
  name: string
}

/** Things to judge, and the state of the judge's budget. */
export type JudgementLeases = LeaseJudgementsMutation['leaseJudgements']
/** A score of a judgement. */
export type JudgementScoreInput = SchemaJudgementScore
/** The limits of a day, which begins at midnight UTC. */
export type JudgeBudget = SchemaBudget

/** A judge, as its worker knows it. */
export interface JudgeInput extends Omit<SchemaJudge, 'filters' | 'threadFilters'> {
  /** Conditions on the steps that must all hold; none for a judge of threads. */
  filters?: readonly StepsFilter[] | null | undefined
  /** Conditions on the threads that must all hold; none for a judge of steps. */
  threadFilters?: readonly ThreadsFilter[] | null | undefined
}

export interface LeaseJudgementsParams {
  /** The judge. */
  judge: JudgeInput
  /** The worker: an id of its own choice. */
  holder: string
  /** The number of leases, from 0 to 100. */
  first: number
  /** The duration of the leases, from 1 to 3,600. */
  seconds: number
  /**
   * At most 1,000 things whose leases the worker knows. Others that it has, as their answer was lost, are returned first,
   * with this duration; none are without this list.
   */
  holding?: readonly string[] | null | undefined
}

/** The result of a leased judgement. */
export interface JudgementInput extends Omit<SchemaJudgement, 'scores'> {
  /** The scores; the judged thing and their scorer are known. */
  scores?: readonly JudgementScoreInput[] | null | undefined
}

export interface CreateJudgementsParams {
  /** The judge's id. */
  judgeId: string
  /** The worker that has the leases. */
  holder: string
  /** At most 100 judgements, each of another thing. */
  judgements: readonly JudgementInput[]
}

export const judgesApi = ({ call }: Transport) => {
  const getJudges = async (): Promise<Judge[]> => (await call(GetJudgesDocument, {})).judges
  const getJudgementPairs = async ({
    judgeId,
    name,
  }: GetJudgementPairsParams): Promise<JudgementPair[]> =>
    (await call(GetJudgementPairsDocument, { judgeId, name })).judgementPairs
  const leaseJudgements = async ({
    judge,
    holding,
    ...params
  }: LeaseJudgementsParams): Promise<JudgementLeases> => {
    // The service says what is missing.
    const { filters, threadFilters, ...rest } = judge ?? {}
    const variables = {
      ...params,
      ...(holding == null ? {} : { holding: [...holding] }),
      judge: {
        ...rest,
        filters: (filters ?? undefined) as StepsFilter[] | undefined,
        threadFilters: (threadFilters ?? undefined) as ThreadsFilter[] | undefined,
      },
    }
    return (await call(LeaseJudgementsDocument, variables)).leaseJudgements
  }
  const createJudgements = async ({
    judgements,
    ...params
  }: CreateJudgementsParams): Promise<boolean[]> => {
    const variables = {
      ...params,
      judgements: judgements.map(({ scores, ...one }) => ({ ...one, scores: [...(scores ?? [])] })),
    }
    return (await call(CreateJudgementsDocument, variables)).createJudgements.stored
  }

  return {
    /**
     * Lists the judges of live traffic, those that were active last first; at most 200.
     *
     * @returns the judges, each with its usage of the day; an empty list when there was none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { id, judged, usedToday } of await stepwell.api.getJudges()) console.log(id, judged, usedToday.tokens)
     */
    getJudges,
    /**
     * Lists the judges of live traffic; `getJudges` in the other spelling.
     *
     * @returns the judges, each with its usage of the day; an empty list when there was none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { id, used_today } of await stepwell.api.get_judges()) console.log(id, used_today.dollars)
     */
    get_judges: async (): Promise<Snake<Judge>[]> => toSnake(await getJudges(), 'Judge'),

    /**
     * Lists the steps, or threads for a judge of threads, that a person and a judge have judged by the same name: those of
     * the latest 2,000 scores by people.
     * `judgeAgreement` of `stepwell/evaluate` makes a figure of them.
     *
     * @returns the pairs; an empty list when there are none.
     * @throws `INVALID_ARGUMENT` when `judgeId` or `name` is empty.
     * @scope `read`
     * @example
     * const pairs = await stepwell.api.getJudgementPairs({ judgeId: 'tone@1', name: 'tone' })
     * console.log(pairs.filter(({ human, judge }) => human !== judge).length)
     */
    getJudgementPairs,
    /**
     * Lists steps or threads that a person and a judge have judged; `getJudgementPairs` in the other spelling.
     *
     * @returns the pairs; an empty list when there are none.
     * @throws `INVALID_ARGUMENT` when `judge_id` or `name` is empty.
     * @scope `read`
     * @example
     * for (const { step_id } of await stepwell.api.get_judgement_pairs({ judge_id: 'tone@1', name: 'tone' })) console.log(step_id)
     */
    get_judgement_pairs: async (
      params: Snake<GetJudgementPairsParams>,
    ): Promise<Snake<JudgementPair>[]> =>
      toSnake(await getJudgementPairs(camelKeys<GetJudgementPairsParams>(params)), 'JudgementPair'),

    /**
     * Leases steps or threads that a judge has not judged yet, and makes the judge known: those that are written from then on
     * are kept for it. `runJudge` of `stepwell/evaluate` does this, and the judging. Costs one request.
     *
     * @returns the leases, and the milliseconds until there may be more.
     * @throws `INVALID_ARGUMENT` when a number is out of range, a name is empty, a filter is invalid or of another subject, or
     * when the judge judges another subject.
     * @throws `TOO_LARGE` when a name is longer than 512 bytes.
     * @scope `write`
     * @example
     * const judge = { name: 'tone', version: '1', subject: 'STEPS', sample: 0.1, quietSeconds: 10 } as const
     * const { leases } = await stepwell.api.leaseJudgements({ judge, holder: 'worker 1', first: 10, seconds: 60 })
     * console.log(leases.map(({ id }) => id))
     */
    leaseJudgements,
    /**
     * Leases steps or threads for a judge; `leaseJudgements` in the other spelling.
     *
     * @returns the leases, and the milliseconds until there may be more.
     * @throws `INVALID_ARGUMENT` when a number is out of range, a name is empty, a filter is invalid or of another subject, or
     * when the judge judges another subject.
     * @throws `TOO_LARGE` when a name is longer than 512 bytes.
     * @scope `write`
     * @example
     * const judge = { name: 'tone', version: '1', subject: 'STEPS', sample: 0.1, quiet_seconds: 10 } as const
     * const { wait_ms } = await stepwell.api.lease_judgements({ judge, holder: 'worker 1', first: 10, seconds: 60 })
     * console.log(wait_ms)
     */
    lease_judgements: async (
      params: Snake<LeaseJudgementsParams>,
    ): Promise<Snake<JudgementLeases>> => {
      const { judge, ...rest } = camelKeys<LeaseJudgementsParams>(params)
      const read = toCamel<JudgeInput>(judge as never, 'JudgeInput')
      return toSnake(await leaseJudgements({ ...rest, judge: read }), 'LeaseJudgementsPayload')
    },

    /**
     * Stores judgements of leased steps or threads, with their scores: all of them, or none when one is invalid. A judgement that is
     * sent again is stored once; one with an error is tried again later, five times in all.
     *
     * @returns a truth for each judgement: false for one that was not stored, as the caller no longer has its lease.
     * @throws `INVALID_ARGUMENT` when there is no holder, when an id comes twice, or when a score is invalid.
     * @throws `NOT_FOUND` when no judge has this id.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * const judge = { name: 'tone', version: '1', subject: 'STEPS', sample: 1, quietSeconds: 0 } as const
     * const { judgeId, leases } = await stepwell.api.leaseJudgements({ judge, holder: 'worker 1', first: 10, seconds: 60 })
     * const scores = [{ name: 'tone', type: 'CODE', value: 1 }] as const
     * const judgements = leases.map(({ id }) => ({ id, scores }))
     * await stepwell.api.createJudgements({ judgeId, holder: 'worker 1', judgements })
     */
    createJudgements,
    /**
     * Stores judgements of leased steps or threads; `createJudgements` in the other spelling.
     *
     * @returns a truth for each judgement: false for one that was not stored, as the caller no longer has its lease.
     * @throws `INVALID_ARGUMENT` when there is no holder, when an id comes twice, or when a score is invalid.
     * @throws `NOT_FOUND` when no judge has this id.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * const judge = { name: 'tone', version: '1', subject: 'STEPS', sample: 1, quiet_seconds: 0 } as const
     * const { judge_id, leases } = await stepwell.api.lease_judgements({ judge, holder: 'worker 1', first: 10, seconds: 60 })
     * const judgements = leases.map(({ id }) => ({ id, error: 'no model was there' }))
     * await stepwell.api.create_judgements({ judge_id, holder: 'worker 1', judgements })
     */
    create_judgements: async (params: Snake<CreateJudgementsParams>): Promise<boolean[]> => {
      const { judgements, ...rest } = camelKeys<CreateJudgementsParams>(params as never)
      return createJudgements({
        ...rest,
        judgements: judgements.map((one) =>
          toCamel<JudgementInput>(one as never, 'JudgementInput'),
        ),
      })
    },
  }
}
