import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import {
  CountGenerationsForAgentDocument,
  CountScoresForAgentDocument,
  CountStepsForAgentDocument,
  CountThreadsForAgentDocument,
  CountUsersForAgentDocument,
} from '../../generated/agents.js'
import type { StepwellClient } from '../client.js'
import type { ExportedList } from '../exports.js'
import { type Answer, type Budgeted, budgetOf, costOf, Lines } from './budget.js'
import { ask } from './source.js'
import { fenceFor, shownId, UNTRUSTED, withoutControls } from './text.js'

export interface ExportRequest extends Budgeted {
  /** The list. */
  list: ExportedList
  /** Conditions, as the filter field of the web UI takes them. Default: all pass. Not for datasets and experiments. */
  query?: string | undefined
  /** The fields, such as `name` or `participant.identifier`. Default: all plain ones. */
  columns?: readonly string[] | undefined
  /** The most rows. */
  limit?: number | undefined
  /** The dataset whose items to export. */
  datasetId?: string | undefined
  /** The experiment whose results to export. */
  experimentId?: string | undefined
}

/** A client of the service, or whatever runs documents and exports as one does. */
export type ExportSource = Pick<StepwellClient, 'query' | 'exportList' | 'apiUrl'>

/** Room for the frame around the rows. */
const FRAME = 60

/**
 * Says what an export would take, and shows its first rows as JSONL, in at most so many tokens. The command line writes all of
 * it to a file; so does a request to the address in the answer.
 *
 * @returns the answer.
 * @throws `INVALID_ARGUMENT` or `BAD_REQUEST` when a part of the request is invalid, `NOT_FOUND` when there is no such list,
 *   dataset or experiment.
 */
export const exportRows = async (source: ExportSource, request: ExportRequest): Promise<Answer> => {
  const lines = new Lines(budgetOf(request))
  const { list, limit } = request
  const counted = await countOf(source, list, request.query)
  const most = counted === undefined ? limit : Math.min(counted, limit ?? counted)
  const rows: string[] = []
  let bytes = 0
  let left = lines.left - tokensAround(source, request)
  let isWhole = true
  for await (const row of rowsOf(source, request)) {
    const line = withoutControls(row)
    if (costOf(line) > left) {
      isWhole = false
      break
    }
    left -= costOf(line)
    bytes += row.length + 1
    rows.push(line)
  }
  lines.add(sizeOf(list, rows.length, bytes, isWhole, most), UNTRUSTED)
  const fence = fenceFor(rows.join('\n'))
  lines.add('rows:', fence, ...rows, fence)
  lines.add(isWhole ? `${rows.length} rows, no more` : `${rows.length} rows shown`)
  if (!isWhole) for (const line of waysOn(source, request)) lines.add(line)
  return lines.answer()
}

const sizeOf = (
  list: string,
  count: number,
  bytes: number,
  isWhole: boolean,
  most: number | undefined,
): string => {
  if (isWhole) return `${list}: ${count} rows, ${bytes} characters of JSONL`
  if (count === 0) return `${list}: ${most ?? 'unknown number of'} rows, the first has no room here`
  if (most === undefined)
    return `${list}: more than ${count} rows, ${Math.round(bytes / count)} characters each`
  return `${list}: ${most} rows, about ${Math.round((bytes / count) * most)} characters of JSONL`
}

/** Says how to get all rows. */
const waysOn = (source: ExportSource, request: ExportRequest): string[] => [
  `the whole: stepwell export ${[shownId(request.list), request.query === undefined ? '' : ` '…the query…'`].join('')} --out FILE`,
  `or, with the header x-api-key: ${addressOf(source, request)}`,
]

const tokensAround = (source: ExportSource, request: ExportRequest): number =>
  [UNTRUSTED, ...waysOn(source, request)].reduce((sum, line) => sum + costOf(line), FRAME * 2)

const addressOf = (
  { apiUrl }: ExportSource,
  { list, query, columns, limit, datasetId, experimentId }: ExportRequest,
): string => {
  const parameters = Object.entries({
    query,
    columns: columns?.join(','),
    limit,
    datasetId,
    experimentId,
  })
  const given = parameters.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  const search = new URLSearchParams(given).toString()
  return `${apiUrl}/api/export/${list}.jsonl${search === '' ? '' : `?${search}`}`
}

type Count = Record<string, { totalCount: number | null }>

const COUNTS = {
  threads: CountThreadsForAgentDocument,
  steps: CountStepsForAgentDocument,
  generations: CountGenerationsForAgentDocument,
  scores: CountScoresForAgentDocument,
  users: CountUsersForAgentDocument,
} as const

/** Returns the number of rows; undefined where it is not known. */
const countOf = async (
  source: ExportSource,
  list: ExportedList,
  query: string | undefined,
): Promise<number | undefined> => {
  if (!Object.hasOwn(COUNTS, list)) return undefined
  const document = COUNTS[list as keyof typeof COUNTS] as TypedDocumentNode<
    Count,
    { query: string | null }
  >
  const [counted] = Object.values(await ask(source, document, { query: query ?? null }))
  return counted?.totalCount ?? undefined
}

/** Yields lines as they arrive. Leaving the loop ends the export. */
async function* rowsOf(
  source: ExportSource,
  { list, query, columns, limit, datasetId, experimentId }: ExportRequest,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  const parts = source.exportList(list, {
    format: 'jsonl',
    query,
    columns,
    limit,
    datasetId,
    experimentId,
  })
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
