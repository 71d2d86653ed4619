import { invalidArgument } from './errors.js'
import type {
  GenerationsFilter,
  OrderBy,
  ScoresFilter,
  StepsFilter,
  ThreadsFilter,
  UsersFilter,
} from './lists/filters.js'
import type { Stream } from './transport/stream.js'

/** The conditions of each list that can be exported; `never` where a list takes none. */
interface ExportedFilters {
  threads: ThreadsFilter
  steps: StepsFilter
  generations: GenerationsFilter
  scores: ScoresFilter
  users: UsersFilter
  datasets: never
  datasetItems: never
  experiments: never
  experimentItems: never
}

/** The name of a list that can be exported. */
export type ExportedList = keyof ExportedFilters

/** The form and the rows of an export. */
export interface ExportParams<List extends ExportedList = ExportedList> {
  /**
   * `csv` for spreadsheets, in which formulas are escaped, `jsonl`: an object a line, with exact values, or `parquet`: columns
   * with types, for analysis. Default: `jsonl`.
   */
  format?: 'csv' | 'jsonl' | 'parquet' | undefined
  /** Conditions as text, such as `error:any duration>30`; with `filters`, both must hold. */
  query?: string | undefined
  /** Conditions that must all hold. */
  filters?: readonly ExportedFilters[List][] | undefined
  /** The order of the rows. Default: the newest first. */
  orderBy?: OrderBy<string> | undefined
  /** The fields to export, such as `name` or `participant.identifier`. Default: all plain ones. */
  columns?: readonly string[] | undefined
  /** The most rows to export. */
  limit?: number | undefined
  /** True for a byte order mark at the start of CSV, by which Excel knows UTF-8. */
  bom?: boolean | undefined
  /** The dataset whose items to export. */
  datasetId?: string | undefined
  /** The experiment whose results to export. */
  experimentId?: string | undefined
}

/** The same in snake_case. */
export interface SnakeExportParams<List extends ExportedList = ExportedList>
  extends Omit<ExportParams<List>, 'orderBy' | 'datasetId' | 'experimentId'> {
  /** The order of the rows. Default: the newest first. */
  order_by?: OrderBy<string> | undefined
  /** The dataset whose items to export. */
  dataset_id?: string | undefined
  /** The experiment whose results to export. */
  experiment_id?: string | undefined
}

/** @internal Streams a list. */
export const exportList = <List extends ExportedList>(
  stream: Stream,
  list: List,
  given?: ExportParams<List> | null,
): AsyncGenerator<Uint8Array, void, undefined> => {
  if (typeof list !== 'string' || !/^\w+$/.test(list))
    throw invalidArgument('list: expected the name of a list, such as threads')
  const { format = 'jsonl', ...params } = paramsOf(given)
  if (!['csv', 'jsonl', 'parquet'].includes(format))
    throw invalidArgument(`format: expected csv, jsonl or parquet, got ${JSON.stringify(format)}`)
  return stream(`/api/export/${list}.${format}`, params, format)
}

/** @internal Returns the parameters in camelCase. */
export const camelExportParams = <List extends ExportedList>(
  given?: SnakeExportParams<List> | null,
): ExportParams<List> => {
  const {
    order_by: orderBy,
    dataset_id: datasetId,
    experiment_id: experimentId,
    ...params
  } = paramsOf(given)
  return { ...params, orderBy, datasetId, experimentId }
}

const paramsOf = <Params extends object>(given: Params | null | undefined): Partial<Params> => {
  if (given === null || given === undefined) return {}
  if (typeof given !== 'object' || Array.isArray(given))
    throw invalidArgument(`params: expected an object, got ${JSON.stringify(given)}`)
  return given
}
