import { isObject } from '../../domain/values.js'
import type { ExportRequest } from '../../graphql/exporting/document.js'
import { DomainError, show } from '../../kernel/errors.js'
import { badRequest } from '../answers.js'

/** The endings of the files. */
const FORMATS = ['csv', 'jsonl', 'parquet'] as const
export type ExportFormat = (typeof FORMATS)[number]

export interface ExportCall extends ExportRequest {
  format: ExportFormat
  limit: number
  hasByteOrderMark: boolean
}

const PARAMETERS = [
  'query',
  'filters',
  'orderBy',
  'columns',
  'limit',
  'bom',
  'datasetId',
  'experimentId',
] as const

/** Parameters that are texts in an address, too. */
const TEXTS = ['query', 'datasetId', 'experimentId']

/** Reads the list and the format of a path such as `threads.csv`. */
const readName = (name: string): { list: string; format: ExportFormat } => {
  const [, list, ending] = /^(\w{1,100})\.(\w+)$/.exec(name) ?? []
  const format = FORMATS.find((one) => one === ending)
  if (list === undefined || format === undefined)
    throw new DomainError(
      'NOT_FOUND',
      `path: expected a list and its format, such as threads.csv, threads.jsonl or threads.parquet, got ${show(name)}`,
    )
  return { list, format }
}

/** Reads the parameters of an address: JSON where they are no texts. */
export const fromAddress = (parameters: URLSearchParams): Record<string, unknown> => {
  const given: Record<string, unknown> = {}
  for (const [name, text] of parameters) {
    if (Object.hasOwn(given, name)) throw badRequest(`${show(name)}: expected once, got it twice`)
    // Chose the session of the request.
    if (name === 'project') continue
    if (name === 'columns') given[name] = text.split(',').map((column) => column.trim())
    else if (TEXTS.includes(name)) given[name] = text
    else given[name] = fromJson(name, text)
  }
  return given
}

const fromJson = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest(`${show(name)}: expected JSON, got ${show(text)}`)
  }
}

/** Reads an export from its path and its parameters, whether they came in an address or in a body. */
export const readExport = (name: string, given: Record<string, unknown>): ExportCall => {
  const { list, format } = readName(name)
  for (const parameter of Object.keys(given))
    if (!PARAMETERS.some((one) => one === parameter))
      throw badRequest(
        `${show(parameter)}: no such parameter; expected some of ${PARAMETERS.join(', ')}`,
      )
  const { query, filters, orderBy, columns, limit, bom, datasetId, experimentId } = given
  if (query != null && typeof query !== 'string')
    throw badRequest(`query: expected a text, got ${show(query)}`)
  if (filters != null && !Array.isArray(filters))
    throw badRequest(`filters: expected a list of conditions, got ${show(filters)}`)
  if (orderBy != null && !isObject(orderBy))
    throw badRequest(`orderBy: expected an object with a column and a direction`)
  if (columns != null && !(Array.isArray(columns) && columns.every(isText)))
    throw badRequest(`columns: expected a list of names, got ${show(columns)}`)
  if (limit != null && !(Number.isSafeInteger(limit) && Number(limit) >= 0))
    throw badRequest(`limit: expected a whole number, 0 or more, got ${show(limit)}`)
  if (bom != null && typeof bom !== 'boolean')
    throw badRequest(`bom: expected true or false, got ${show(bom)}`)
  if (bom === true && format !== 'csv')
    throw badRequest('bom: expected for CSV alone; other readers reject a byte order mark')
  return {
    list,
    format,
    query: query ?? undefined,
    filters: filters ?? undefined,
    orderBy: orderBy ?? undefined,
    columns: (columns as string[] | null | undefined) ?? undefined,
    limit: limit == null ? Number.POSITIVE_INFINITY : Number(limit),
    hasByteOrderMark: bom === true,
    ids: { datasetId: id('datasetId', datasetId), experimentId: id('experimentId', experimentId) },
  }
}

const isText = (value: unknown) => typeof value === 'string'

const id = (name: string, value: unknown): string | undefined => {
  if (value == null) return undefined
  if (typeof value !== 'string') throw badRequest(`${name}: expected an id, got ${show(value)}`)
  return value
}
