import type { ViewsQuery } from '../../generated/operations.js'
import type { Changes } from '../address/use-address.js'

export type View = ViewsQuery['views'][number]

const PATHS: Record<View['subject'], string> = {
  THREADS: '/threads',
  STEPS: '/steps',
  GENERATIONS: '/generations',
  SCORES: '/scores',
  USERS: '/users',
  CHARTS: '/charts',
}

/** The parameters of a list's address that a view has. */
const VIEWED = ['q', 'range', 'env', 'cols', 'sort'] as const

/** Returns the parameters of an address that shows a view. */
export const parametersOf = (view: View): Changes => ({
  view: view.id,
  q: view.query,
  range: view.range,
  env: view.environment,
  cols: view.columns?.join(',') ?? null,
  sort: view.orderColumn === null ? null : `${view.orderColumn} ${view.orderDirection ?? 'DESC'}`,
})

export const linkOfView = (view: View): string => {
  // All charts are on one page.
  if (view.chart !== null) return PATHS.CHARTS
  const given = Object.entries(parametersOf(view)).filter(([, value]) => value)
  return `${PATHS[view.subject]}?${new URLSearchParams(given as [string, string][])}`
}

/** Returns the address of the form for an alert on some rows; undefined for users, which alerts do not watch. */
export const linkOfAlert = (
  subject: View['subject'],
  { name, query, environment }: Pick<View, 'query' | 'environment'> & { name: string },
): string | undefined => {
  if (subject === 'USERS') return undefined
  const given = Object.entries({ new: subject, name, q: query, env: environment })
  const known = given.filter(([, value]) => value) as [string, string][]
  return `/settings/alerts?${new URLSearchParams(known)}`
}

/** Reads what a view keeps from the address of a list. */
export const viewedAt = (get: (name: string) => string | undefined) => {
  const [orderColumn = null, direction] = get('sort')?.split(' ') ?? []
  return {
    query: get('q') ?? '',
    range: get('range') ?? null,
    environment: get('env') ?? null,
    columns: get('cols')?.split(',') ?? null,
    orderColumn,
    orderDirection:
      orderColumn === null ? null : direction === 'ASC' ? ('ASC' as const) : ('DESC' as const),
  }
}

/** Returns what a view keeps, in parts that are changed each by itself. */
export const keptBy = ({
  query,
  range,
  environment,
  columns,
  orderColumn,
  orderDirection,
}: ReturnType<typeof viewedAt>) => ({
  query,
  range,
  environment,
  columns,
  order: { orderColumn, orderDirection },
})

/** Returns true when an address shows something else than a view that it names. */
export const isChanged = (view: View, get: (name: string) => string | undefined): boolean => {
  const saved = parametersOf(view)
  return VIEWED.some((name) => (get(name) ?? '') !== (saved[name] ?? ''))
}

/** Returns true for the address of a list that says nothing of its rows. */
export const isBare = (get: (name: string) => string | undefined): boolean =>
  ['view', 'after', 'before', 'row', ...VIEWED].every(
    (name) => name === 'cols' || get(name) === undefined,
  )
