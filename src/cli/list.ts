import type { ViewSubject } from '../api/views/views.js'
import { StepwellClient } from '../client.js'
import type { Page } from '../lists/pagination.js'
import { paramsOfView } from '../lists/views.js'
import { readOptions } from './options.js'
import { noSuchCommand, UsageError } from './usage.js'

const HELP = `Usage: stepwell list threads|steps|generations|scores|users ['QUERY'] [--view NAME] [--first NUMBER] [--json]

Lists what passes a query, the newest first. A query is what the filter field of the web UI takes:

  stepwell list threads 'any(type=tool error:any) (score[quality]<0.5 OR score[quality]:none)'

  --view NAME     only what a saved view of the list shows, in its order; a query must hold too
  --first NUMBER  the most to list. Default: 20
  --json          one JSON object for each line, with all fields
`

const SUBJECTS: Record<string, ViewSubject> = {
  threads: 'THREADS',
  steps: 'STEPS',
  generations: 'GENERATIONS',
  scores: 'SCORES',
  users: 'USERS',
}

type Cell = string | number | null | undefined

/** The columns of a list on a terminal. */
interface List<Item> {
  head: readonly string[]
  row: (item: Item) => readonly Cell[]
}

const list = <Item>(given: List<Item>): List<Item> => given

const THREADS = list<{
  id: string
  createdAt: string
  name: string | null
  duration: number | null
  tokenCount: number | null
  participant: { identifier: string } | null
}>({
  head: ['id', 'created', 'name', 'user', 'seconds', 'tokens'],
  row: ({ id, createdAt, name, participant, duration, tokenCount }) => [
    id,
    createdAt,
    name,
    participant?.identifier,
    duration,
    tokenCount,
  ],
})
const STEPS = list<{
  id: string
  createdAt: string
  type: string
  name: string | null
  threadId: string | null
  error: string | null
}>({
  head: ['id', 'created', 'type', 'name', 'thread', 'error'],
  row: ({ id, createdAt, type, name, threadId, error }) => [
    id,
    createdAt,
    type,
    name,
    threadId,
    error,
  ],
})
const GENERATIONS = list<{
  id: string
  createdAt: string
  model: string | null
  duration: number | null
  tokenCount: number | null
  error: string | null
}>({
  head: ['id', 'created', 'model', 'seconds', 'tokens', 'error'],
  row: ({ id, createdAt, model, duration, tokenCount, error }) => [
    id,
    createdAt,
    model,
    duration,
    tokenCount,
    error,
  ],
})
const SCORES = list<{
  id: string
  createdAt: string | null
  name: string
  value: number
  type: string
  stepId: string | null
  threadId: string | null
}>({
  head: ['id', 'created', 'name', 'value', 'by', 'of'],
  row: ({ id, createdAt, name, value, type, stepId, threadId }) => [
    id,
    createdAt,
    name,
    value,
    type,
    stepId ?? threadId,
  ],
})
const USERS = list<{
  id: string
  createdAt: string
  identifier: string
  threadCount: number | null
  tokenCount: number | null
  errorCount: number | null
  cost: number | null
}>({
  head: ['id', 'created', 'identifier', 'threads', 'tokens', 'errors', 'dollars'],
  row: ({ id, createdAt, identifier, threadCount, tokenCount, errorCount, cost }) => [
    id,
    createdAt,
    identifier,
    threadCount,
    tokenCount,
    errorCount,
    cost,
  ],
})

/** Lists items of the project. */
export const listItems = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = readOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      first: { type: 'string', default: '20' },
      view: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [noun = '', query, ...others] = positionals
  if (others.length > 0)
    throw new UsageError(`list ${noun}: expected one query in quotes, got ${others.length + 1}`)
  const first = Number(values.first)
  if (!Number.isInteger(first) || first < 1 || first > 1000)
    throw new UsageError(
      `--first: expected a whole number from 1 to 1000, got ${JSON.stringify(values.first)}`,
    )
  const { api } = new StepwellClient({ disabled: true })
  const subject = Object.hasOwn(SUBJECTS, noun) ? SUBJECTS[noun] : undefined
  if (subject === undefined) throw noSuchCommand(noun, Object.keys(SUBJECTS))
  const viewed =
    values.view === undefined ? undefined : await readView(api, subject, values.view, query)
  const conditions = viewed ?? (query === undefined ? {} : { query })
  // The service rejects a column of a view that the list does not have; each list has types of its own.
  const params = { first, totalCount: false, ...conditions } as never
  switch (noun) {
    case 'threads':
      return print(THREADS, await api.listThreads(params), values.json)
    case 'steps':
      return print(STEPS, await api.getSteps(params), values.json)
    case 'generations':
      return print(GENERATIONS, await api.getGenerations(params), values.json)
    case 'scores':
      return print(SCORES, await api.getScores(params), values.json)
    default:
      return print(USERS, await api.getUsers(params), values.json)
  }
}

/** Reads the view of a list with a name, as the parameters that show it. */
const readView = async (
  api: StepwellClient['api'],
  subject: ViewSubject,
  name: string,
  query: string | undefined,
) => {
  const views = await api.getViews({ subject })
  const view = views.find((one) => one.name === name)
  if (view !== undefined) return paramsOfView(view, query)
  const names = views.map((one) => JSON.stringify(one.name)).join(', ')
  throw new UsageError(
    `--view: expected ${names === '' ? 'none, as the list has no views' : `one of ${names}`}, got ${JSON.stringify(name)}`,
  )
}

const print = <Item>({ head, row }: List<Item>, { data }: Page<Item>, isJson: boolean): number => {
  if (isJson) for (const item of data) process.stdout.write(`${JSON.stringify(item)}\n`)
  else if (data.length > 0)
    process.stdout.write(`${aligned([head, ...data.map((item) => row(item).map(shown))])}\n`)
  else process.stderr.write('stepwell: nothing passes the query\n')
  return 0
}

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, place) =>
    Math.max(...rows.map((row) => [...(row[place] ?? '')].length)),
  )
  const padded = (row: readonly string[]) =>
    row.map((cell, place) => cell + ' '.repeat((widths[place] ?? 0) - [...cell].length))
  return rows.map((row) => padded(row).join('  ').trimEnd()).join('\n')
}

const WIDTH = 60

/** Shows a value in a line of its own: recorded texts have line breaks, and codes that change terminals. */
const shown = (cell: Cell): string => {
  if (cell === null || cell === undefined) return '–'
  const text = String(typeof cell === 'number' ? Number(cell.toPrecision(6)) : cell)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text
}
