import {
  GetFacetsDocument,
  type GetFacetsQuery,
  type GetFacetsQueryVariables,
  GetMetricsDocument,
  type GetMetricsQuery,
  type GetMetricsQueryVariables,
} from '../../generated/operations.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'

/** What to measure, from when to when (ISO 8601), in how many buckets (48 when absent, 500 at most), split by what. */
export type MetricsParams = GetMetricsQueryVariables
/** Measurements; durations are seconds. */
export type Metrics = GetMetricsQuery['metrics']
export type FacetsParams = GetFacetsQueryVariables
/** A value that occurs, and how often among the newest rows. */
export type Facet = GetFacetsQuery['facets'][number]

export const metricsApi = ({ call }: Transport) => {
  const getMetrics = async (params: MetricsParams): Promise<Metrics> =>
    (await call(GetMetricsDocument, params)).metrics
  const getFacets = async (params: FacetsParams): Promise<Facet[]> =>
    (await call(GetFacetsDocument, params)).facets

  return {
    /**
     * Counts, errors, percentiles of durations, tokens and mean scores over time, at most five series and the rest. Throws
     * `TOO_LARGE` when the range has more rows than a search may look at.
     *
     * @example
     * const { series } = await stepwell.api.getMetrics({ subject: 'generations', by: 'model', from, to })
     * for (const { key, total } of series) console.log(key, total.count, total.p95)
     */
    getMetrics,
    /** Measures over time; `getMetrics` in the other spelling. */
    get_metrics: async (params: Snake<MetricsParams>): Promise<Snake<Metrics>> =>
      toSnake(await getMetrics(camelKeys<MetricsParams>(params)), 'Metrics'),

    /** The values of a field that occur, the most frequent first, among the newest rows. */
    getFacets,
    /** The values of a field that occur; `getFacets` in the other spelling. */
    get_facets: async (params: Snake<FacetsParams>): Promise<Snake<Facet>[]> =>
      toSnake(await getFacets(camelKeys<FacetsParams>(params)), 'Facet'),
  }
}
