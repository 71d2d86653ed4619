import { LIST_FIELDS } from '../../generated/list-fields.js'
import type { Database } from '../database/database.js'
import { invalid } from '../kernel/errors.js'
import { isGroup, type Node } from '../query/condition.js'
import { type ListName, languageOf } from '../query/languages.js'
import { parseFilter as parseText } from '../query/parse.js'
import { toFilter } from '../query/to-filters.js'
import { type Filter, parseFilter } from './conditions.js'
import type { Criterion } from './fields.js'
import { criterionOf, someRow, type Tree } from './groups.js'
import type { Listing } from './listing.js'
import type { PageRequest } from './page.js'

/** Reads conditions as text; an error says where and what was expected. */
const parseQuery = (list: ListName, text: string): readonly Node[] => {
  const { nodes, mistakes } = parseText(text, languageOf(LIST_FIELDS, list))
  const [mistake] = mistakes
  if (mistake !== undefined)
    throw invalid(`query: at character ${mistake.at + 1}: ${mistake.message}`)
  return nodes
}

/** Checks that a text is one that a list takes as its query. */
export const checkQuery = (list: ListName, text: string): void => {
  parseQuery(list, text)
}

/** Returns the fields of a list that the filters and the query of a request compare. */
export const askedFields = (
  list: ListName,
  { filters, query }: Pick<PageRequest, 'filters' | 'query'>,
): ReadonlySet<string> => {
  const asked = new Set(filters?.map(({ field }) => field))
  const note = (node: Node): void => {
    if (!isGroup(node)) asked.add(toFilter(node).field)
    // The rows below have fields of their own.
    else if (node.join !== 'some') for (const one of node.of) note(one)
  }
  if (query != null) for (const node of parseQuery(list, query)) note(node)
  return asked
}

/** Returns the conditions of a request, which all have to hold; undefined when some of its query are in groups. */
export const conditionsOf = (
  list: ListName,
  { filters, query }: Pick<PageRequest, 'filters' | 'query'>,
): Filter[] | undefined => {
  const conditions = [...(filters ?? [])]
  for (const node of query == null ? [] : parseQuery(list, query)) {
    if (isGroup(node)) return undefined
    conditions.push(toFilter(node))
  }
  return conditions
}

/** Returns the field and the value of a query that is one condition of equality; undefined for any other. */
export const onlyEquality = (
  list: ListName,
  query: string,
): { field: string; value: string } | undefined => {
  const [condition, ...more] = conditionsOf(list, { query }) ?? []
  if (condition === undefined || more.length > 0) return undefined
  const { field, operator, value, path } = condition
  const isOne = operator === 'eq' && typeof value === 'string' && path === undefined
  return isOne ? { field, value } : undefined
}

/** Returns the criteria of conditions as text; those that must all hold stay apart, so that each can lead the search. */
export const queryCriteria = async (
  db: Database,
  projectId: string,
  listing: Listing,
  query: string | null | undefined,
): Promise<Criterion[]> => {
  if (query == null || listing.list === undefined) return []
  return criteriaOf(db, projectId, listing, parseQuery(listing.list, query))
}

const criteriaOf = async (
  db: Database,
  projectId: string,
  listing: Listing,
  nodes: readonly Node[],
): Promise<Criterion[]> => {
  const precedence = (node: Node) =>
    (isGroup(node) ? undefined : listing.fields[toFilter(node).field]?.precedence) ??
    Number.MAX_SAFE_INTEGER
  const criteria: Criterion[] = []
  for (const node of nodes.toSorted((a, b) => precedence(a) - precedence(b))) {
    const tree = await treeOf(db, projectId, listing, node)
    criteria.push(criterionOf(db, projectId, listing, tree))
  }
  return criteria
}

const treeOf = async (
  db: Database,
  projectId: string,
  listing: Listing,
  node: Node,
): Promise<Tree> => {
  if (!isGroup(node)) {
    const { rule, condition } = parseFilter('query', toFilter(node), listing.fields)
    return rule.criterion(condition, db)
  }
  if (node.join === 'some') {
    if (listing.some === undefined) throw invalid('query: this list has no rows below its own')
    const { some } = listing
    const criteria = await criteriaOf(db, projectId, some.listing, node.of)
    return someRow(db, projectId, listing.id, some, criteria)
  }
  const of: Tree[] = []
  for (const one of node.of) of.push(await treeOf(db, projectId, listing, one))
  return { join: node.join, of }
}
