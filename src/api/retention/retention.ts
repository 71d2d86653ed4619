import {
  GetRetentionDocument,
  PreviewRetentionDocument,
  type PreviewRetentionQuery,
  type RetentionFieldsFragment,
  SetRetentionDocument,
} from '../../../generated/operations.js'
import type {
  RetentionException as SchemaException,
  Retention as SchemaRetention,
} from '../../../generated/schema.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'

/** How long a project keeps what was recorded, and what was deleted because of it so far. */
export type Retention = Pick<SchemaRetention, keyof RetentionFieldsFragment>
/** Data that is kept whatever its age. */
export type RetentionException = SchemaException
/** The number of threads and steps that rules would delete now. */
export type RetentionPreview = PreviewRetentionQuery['retentionPreview']

export interface RetentionRuleParams {
  /**
   * `dev`, `staging`, `prod` or `experiment`. Default: all environments without a rule of their own, except for
   * `experiment`.
   */
  environment?: string | null | undefined
  /** Days after the last activity: 1 to 36,500. */
  days: number
}

export interface RetentionParams {
  /** The days of each environment. Without any, everything is kept. */
  rules: RetentionRuleParams[]
  /** What is kept whatever its age, with its whole thread. Default: nothing. */
  keep?: RetentionException[] | null | undefined
}

export interface SetRetentionParams extends RetentionParams {
  /**
   * True keeps the figures of threads, runs, steps and generations that are deleted from now on, for metrics. Default: as it
   * was; false at first. Figures that were kept stay when it becomes false.
   */
  keepMetrics?: boolean | null | undefined
}

export const retentionApi = ({ call }: Transport) => {
  const getRetention = async (): Promise<Retention> =>
    (await call(GetRetentionDocument, {})).retention
  const previewRetention = async (params: RetentionParams): Promise<RetentionPreview> =>
    (await call(PreviewRetentionDocument, { ...params })).retentionPreview
  const setRetention = async (params: SetRetentionParams): Promise<Retention> =>
    (await call(SetRetentionDocument, { ...params })).setRetention

  return {
    /**
     * Gets how long the project keeps what was recorded.
     *
     * @returns the rules, and the numbers of threads and steps that were deleted so far; no rules when everything is kept.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * const { rules, deletedThreads } = await stepwell.api.getRetention()
     * console.log(rules, deletedThreads)
     */
    getRetention,
    /**
     * Gets how long the project keeps what was recorded; `getRetention` in the other spelling.
     *
     * @returns the rules, and the numbers of threads and steps that were deleted so far; no rules when everything is kept.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * const { rules, deleted_threads } = await stepwell.api.get_retention()
     * console.log(rules, deleted_threads)
     */
    get_retention: async (): Promise<Snake<Retention>> =>
      toSnake(await getRetention(), 'Retention'),

    /**
     * Counts the threads and steps that rules would delete now, and deletes nothing. Takes two seconds at most.
     *
     * @returns the numbers, at most about 10,000; `isComplete` is false when there may be more.
     * @throws `INVALID_ARGUMENT` when a rule has no environment that there is, or days beyond 1 to 36,500, or when two
     * rules are for the same environment.
     * @scope `admin`
     * @example
     * const { threads, steps } = await stepwell.api.previewRetention({ rules: [{ days: 90 }], keep: ['scored'] })
     * console.log(`${threads} threads and ${steps} steps would go`)
     */
    previewRetention,
    /**
     * Counts the threads and steps that rules would delete now; `previewRetention` in the other spelling.
     *
     * @returns the numbers, at most about 10,000; `is_complete` is false when there may be more.
     * @throws `INVALID_ARGUMENT` when a rule has no environment that there is, or days beyond 1 to 36,500, or when two
     * rules are for the same environment.
     * @scope `admin`
     * @example
     * const { threads } = await stepwell.api.preview_retention({ rules: [{ environment: 'dev', days: 7 }] })
     * console.log(threads)
     */
    preview_retention: async (params: Snake<RetentionParams>): Promise<Snake<RetentionPreview>> =>
      toSnake(await previewRetention(camelKeys<RetentionParams>(params)), 'RetentionPreview'),

    /**
     * Sets how long the project keeps what was recorded. Replaces the previous rules; without any, everything is kept.
     * What is older goes within minutes, in the background, and can't be brought back: `previewRetention` counts it.
     *
     * @returns the rules as they are stored.
     * @throws `INVALID_ARGUMENT` when a rule has no environment that there is, or days beyond 1 to 36,500, or when two
     * rules are for the same environment.
     * @scope `admin`
     * @example
     * await stepwell.api.setRetention({
     *   rules: [{ days: 3650 }, { environment: 'dev', days: 365 }],
     *   keep: ['scoredByPeople', 'inDataset'],
     *   keepMetrics: true,
     * })
     */
    setRetention,
    /**
     * Sets how long the project keeps what was recorded; `setRetention` in the other spelling.
     *
     * @returns the rules as they are stored.
     * @throws `INVALID_ARGUMENT` when a rule has no environment that there is, or days beyond 1 to 36,500, or when two
     * rules are for the same environment.
     * @scope `admin`
     * @example
     * await stepwell.api.set_retention({ rules: [{ environment: 'staging', days: 365 }], keep_metrics: true })
     */
    set_retention: async (params: Snake<SetRetentionParams>): Promise<Snake<Retention>> =>
      toSnake(await setRetention(camelKeys<SetRetentionParams>(params)), 'Retention'),
  }
}
