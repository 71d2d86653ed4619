import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { select, sql } from '../database/rows/sql.js'
import { findContaining } from './contents/find.js'
import type { Criterion, IndexHint, Relation, Test, Value } from './fields.js'
import type { Listing } from './listing.js'

/** Conditions that are combined. */
export type Tree = Criterion | { join: 'and' | 'or' | 'not'; of: readonly Tree[] }

const isLeaf = (tree: Tree): tree is Criterion => !('join' in tree)

/** Rows of which some relations are looked up at once. */
const LOOKED_AT_ONCE = 500

/** Combines conditions into one: by SQL where it can, else by looking at the rows of a window. */
export const criterionOf = (
  db: Database,
  projectId: string,
  listing: Listing,
  tree: Tree,
): Criterion => {
  if (isLeaf(tree)) return tree
  return testOf(tree) ?? { relation: relationOf(db, projectId, listing, tree) }
}

/** Combines conditions on the row itself; undefined when one depends on rows of another table. */
const testOf = (tree: Tree): { test: Test; indexHint?: IndexHint | undefined } | undefined => {
  if (isLeaf(tree)) return 'relation' in tree ? undefined : tree
  const parts = tree.of.map(testOf)
  const whole = parts.filter((part) => part !== undefined)
  if (whole.length < parts.length) return undefined
  const tests = whole.map(({ test }) => test)
  switch (tree.join) {
    case 'not':
      return { test: sql`NOT (${sql.join(tests, sql` AND `)})` }
    case 'and': {
      const hint = whole.find(({ indexHint }) => indexHint !== undefined)?.indexHint
      return {
        test: sql`(${sql.join(tests, sql` AND `)})`,
        ...(hint === undefined ? {} : { indexHint: { test: hint.test, isExact: false } }),
      }
    }
    case 'or': {
      const hints = whole.flatMap(({ indexHint }) => indexHint ?? [])
      return {
        test: sql`(${sql.join(tests, sql` OR `)})`,
        ...(hints.length < whole.length
          ? {}
          : {
              indexHint: {
                test: sql`(${sql.join(
                  hints.map(({ test }) => test),
                  sql` OR `,
                )})`,
                isExact: false,
              },
            }),
      }
    }
  }
}

/** A relation of rows to themselves: those pass for which the conditions hold, whatever tables these depend on. */
const relationOf = (db: Database, projectId: string, listing: Listing, tree: Tree): Relation => ({
  link: listing.id,
  isNegated: false,
  passing: async (ids) => {
    const passed: string[] = []
    for (let from = 0; from < ids.length; from += LOOKED_AT_ONCE) {
      const some = sql`${listing.id} = ANY(${ids.slice(from, from + LOOKED_AT_ONCE)}::text[])`
      for (const { id } of await passing(db, projectId, listing, listing.id, [some], tree))
        if (id !== null) passed.push(id)
    }
    return passed
  },
  candidates: (most) => candidates(db, projectId, listing, listing.id, tree, most),
})

/** Holds for a row, of which `above` is the id, when one row of the list below it meets all of some conditions. */
export const someRow = (
  db: Database,
  projectId: string,
  above: Value<string>,
  { listing, link }: NonNullable<Listing['some']>,
  criteria: readonly Criterion[],
): Criterion => {
  const tests = criteria.flatMap((criterion) => ('test' in criterion ? criterion.test : []))
  const relations = criteria.filter((criterion) => 'relation' in criterion)
  return {
    relation: {
      link: above,
      isNegated: false,
      passing: async (ids) => {
        const passed = new Set<string>()
        for (let from = 0; from < ids.length; from += LOOKED_AT_ONCE) {
          const theirs = sql`${link} = ANY(${ids.slice(from, from + LOOKED_AT_ONCE)}::text[])`
          const scope = [theirs, ...tests]
          const tree: Tree = { join: 'and', of: relations }
          for (const { id } of await passing(db, projectId, listing, link, scope, tree))
            if (id !== null) passed.add(id)
        }
        return [...passed]
      },
      candidates: (most) =>
        candidates(db, projectId, listing, link, { join: 'and', of: criteria }, most),
    },
  }
}

/** A row with the values that the leaves of a tree need. */
interface Row extends Record<string, unknown> {
  id: string | null
}

const fromRows = ({ table, alias, projectId, always }: Listing, project: string) =>
  sql`FROM ${table} ${alias} WHERE ${projectId} = ${project} AND ${always ?? sql`true`}`

/** Returns the rows of a scope for which a tree holds, each with `column` as its id. */
const passing = async (
  db: Database,
  projectId: string,
  listing: Listing,
  column: Value<string | null>,
  scope: readonly Test[],
  tree: Tree,
): Promise<readonly Row[]> => {
  const leaves = leavesOf(tree)
  const columns: Record<string, Value> = { id: column }
  for (const [index, leaf] of leaves.entries())
    if ('relation' in leaf) columns[`link${index}`] = leaf.relation.link
    else columns[`test${index}`] = cast('boolean', leaf.test)
  const { rows } = await sql`
    SELECT ${leaves.length === 0 ? sql`DISTINCT` : sql``} ${select(columns)} ${fromRows(listing, projectId)}
      AND ${sql.join(scope, sql` AND `)}`.execute(db)
  return holding(tree, leaves, rows as unknown as readonly Row[])
}

const leavesOf = (tree: Tree): readonly Criterion[] =>
  isLeaf(tree) ? [tree] : tree.of.flatMap(leavesOf)

/** Returns those of some rows for which a tree holds; looks a relation up only for rows that it decides about. */
const holding = async (
  tree: Tree,
  leaves: readonly Criterion[],
  rows: readonly Row[],
): Promise<readonly Row[]> => {
  if (rows.length === 0) return rows
  if (isLeaf(tree)) {
    const index = leaves.indexOf(tree)
    if ('test' in tree) return rows.filter((row) => row[`test${index}`] === true)
    const linkOf = (row: Row) => (row[`link${index}`] ?? null) as string | null
    const links = [...new Set(rows.map(linkOf))].filter((link) => link !== null)
    const passed = new Set(links.length === 0 ? [] : await tree.relation.passing(links))
    return rows.filter((row) => passed.has(linkOf(row) ?? '') !== tree.relation.isNegated)
  }
  if (tree.join === 'or') {
    const held = new Set<Row>()
    for (const one of tree.of) {
      const open = rows.filter((row) => !held.has(row))
      for (const row of await holding(one, leaves, open)) held.add(row)
    }
    return rows.filter((row) => held.has(row))
  }
  let left = rows
  for (const one of tree.of) left = await holding(one, leaves, left)
  if (tree.join === 'and') return left
  const held = new Set(left)
  return rows.filter((row) => !held.has(row))
}

/**
 * Returns `column` of all rows for which a tree can hold, by indexes; undefined when there are more than `most`, or when
 * no index finds them.
 */
const candidates = async (
  db: Database,
  projectId: string,
  listing: Listing,
  column: Value<string | null>,
  tree: Tree,
  most: number,
): Promise<readonly string[] | undefined> => {
  if (isLeaf(tree)) {
    const test =
      (await indexedTest(tree, most)) ?? (await containedTest(db, projectId, listing, tree, most))
    if (test === undefined) return undefined
    const { rows } = await sql`
      SELECT ${select({ id: column })} ${fromRows(listing, projectId)} AND ${test} LIMIT ${sql.lit(most + 1)}`.execute(
      db,
    )
    return rows.length > most ? undefined : [...new Set(rows.flatMap(({ id }) => id ?? []))]
  }
  if (tree.join === 'not') return undefined
  const found = new Set<string>()
  for (const one of tree.of) {
    const some = await candidates(db, projectId, listing, column, one, most)
    if (tree.join === 'and') {
      if (some !== undefined) return some
      continue
    }
    if (some === undefined) return undefined
    for (const id of some) found.add(id)
  }
  return tree.join === 'and' || found.size > most ? undefined : [...found]
}

/** Returns a test for the rows that the index of contents finds, if they are few. */
const containedTest = async (
  db: Database,
  projectId: string,
  listing: Listing,
  criterion: Criterion,
  most: number,
): Promise<Test | undefined> => {
  if ('relation' in criterion || criterion.contained === undefined) return undefined
  const ids = await findContaining(db, projectId, listing, criterion, most)
  return ids && sql`${listing.id} = ANY(${ids}::text[])`
}

/** Returns a test that an index answers, and that all rows pass that a condition holds for. */
const indexedTest = async (criterion: Criterion, most: number): Promise<Test | undefined> => {
  if (!('relation' in criterion)) return criterion.indexHint?.test
  const { link, isNegated, isAmong, candidates: find } = criterion.relation
  const links = isNegated ? undefined : await find?.(most)
  if (links === undefined) return undefined
  return isAmong?.(links) ?? sql`${link} = ANY(${links}::text[])`
}
