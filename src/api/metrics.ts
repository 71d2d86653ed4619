import {
  GetFacetsDocument,
  type GetFacetsQueryVariables,
  GetMetricsDocument,
  type GetMetricsQueryVariables,
  type MeasurementFieldsFragment,
} from '../../generated/operations.js'
import type {
  FacetField,
  MetricDimension,
  MetricSubject,
  Facet as SchemaFacet,
  Measurement as SchemaMeasurement,
  Metrics as SchemaMetrics,
  MetricSeries as SchemaSeries,
} from '../../generated/schema.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'

/** A range of time and the part of the project to measure. */
export interface MetricsParams extends GetMetricsQueryVariables {
  /** The rows to measure. */
  subject: MetricSubject
  /** The start of the range, ISO 8601. */
  from: string
  /** The end of the range, ISO 8601. */
  to: string
  /** The number of buckets that divide the range: 500 at most. Default: 48. */
  buckets?: number | null | undefined
  /** The field that splits the rows into series. When omitted, there is one series. */
  by?: MetricDimension | null | undefined
  /** Measures only this environment. */
  environment?: string | null | undefined
  /** Measures only rows of this name. */
  name?: string | null | undefined
  /** Measures only the threads of this user, by id. */
  participantId?: string | null | undefined
  /** Measures only rows that pass these conditions: text, as in `query` of their list. Runs take that of steps. */
  query?: string | null | undefined
  /** True leaves out the environment `experiment`, and the scores of its rows and results. Default: false. */
  excludeExperiments?: boolean | null | undefined
}

/** Counts, percentiles, tokens and means of a set of rows; durations are seconds. */
export interface Measurement extends Pick<SchemaMeasurement, keyof MeasurementFieldsFragment> {}

/** Measurements of the rows that share a value. */
export interface MetricSeries extends Pick<SchemaSeries, 'key' | 'isRest'> {
  /** Measures the whole range. */
  total: Measurement
  /** Measures each bucket, in the order of time. */
  buckets: Measurement[]
}

/** Measurements over a range of time; durations are seconds. */
export interface Metrics extends Pick<SchemaMetrics, 'bucketSeconds' | 'leavesOutDeleted'> {
  /** The five largest series and the rest of them together, the largest first; one series when nothing is split. */
  series: MetricSeries[]
}

/** A field, and which of its values to list. */
export interface FacetsParams extends GetFacetsQueryVariables {
  /** The field to list the values of. */
  field: FacetField
  /** Lists only values that begin with this text. */
  prefix?: string | null | undefined
  /** The most values to return. */
  first?: number | null | undefined
}

/** A value that occurs, and its frequency among the newest rows. */
export interface Facet extends Pick<SchemaFacet, 'value' | 'count'> {}

export const metricsApi = ({ call }: Transport) => {
  const getMetrics = async (params: MetricsParams): Promise<Metrics> =>
    (await call(GetMetricsDocument, params)).metrics
  const getFacets = async (params: FacetsParams): Promise<Facet[]> =>
    (await call(GetFacetsDocument, params)).facets

  return {
    /**
     * Measures counts, errors, percentiles of durations, tokens and mean scores over time, in at most five series and
     * the rest.
     *
     * @returns the measurements; no series when nothing was recorded in the range.
     * @throws `INVALID_ARGUMENT` when the range ends before it begins, when there are more than 500 buckets, or when the
     * query can't be read.
     * @throws `TOO_LARGE` when the range has more rows than a search may read, or when a condition of the query on rows of
     * another kind finds more than 100,000.
     * @scope `read`
     * @example
     * const { series } = await stepwell.api.getMetrics({ subject: 'generations', query: 'error:none', by: 'model', from, to })
     * for (const { key, total } of series) console.log(key, total.count, total.p95)
     */
    getMetrics,
    /**
     * Measures over time; `getMetrics` in the other spelling.
     *
     * @returns the measurements; no series when nothing was recorded in the range.
     * @throws `INVALID_ARGUMENT` when the range ends before it begins, when there are more than 500 buckets, or when the
     * query can't be read.
     * @throws `TOO_LARGE` when the range has more rows than a search may read, or when a condition of the query on rows of
     * another kind finds more than 100,000.
     * @scope `read`
     * @example
     * const range = { from, to, exclude_experiments: true }
     * const { series, bucket_seconds } = await stepwell.api.get_metrics({ subject: 'steps', ...range })
     * for (const { total } of series) console.log(bucket_seconds, total.count)
     */
    get_metrics: async (params: Snake<MetricsParams>): Promise<Snake<Metrics>> =>
      toSnake(await getMetrics(camelKeys<MetricsParams>(params)), 'Metrics'),

    /**
     * Lists the values of a field that occur among the newest rows, the most frequent first.
     *
     * @returns the values with their counts; an empty list when none begins with the prefix.
     * @throws `INVALID_ARGUMENT` when `first` is not from 1 to 100.
     * @scope `read`
     * @example
     * for (const { value, count } of await stepwell.api.getFacets({ field: 'model', prefix: 'gpt' })) console.log(value, count)
     */
    getFacets,
    /**
     * Lists the values of a field that occur; `getFacets` in the other spelling.
     *
     * @returns the values with their counts; an empty list when none begins with the prefix.
     * @throws `INVALID_ARGUMENT` when `first` is not from 1 to 100.
     * @scope `read`
     * @example
     * for (const { value, count } of await stepwell.api.get_facets({ field: 'model', first: 10 })) console.log(value, count)
     */
    get_facets: async (params: Snake<FacetsParams>): Promise<Snake<Facet>[]> =>
      toSnake(await getFacets(camelKeys<FacetsParams>(params)), 'Facet'),
  }
}
