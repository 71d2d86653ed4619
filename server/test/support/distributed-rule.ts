// The rules for statements on a distributed PostgreSQL, checked by PostgreSQL's own parser. Returns violations.
import { parse } from 'libpg-query'
import { DISTRIBUTED, LOCAL, REFERENCE } from '../../src/database/distribution/tables.js'
import { isStable, isVolatile } from './volatility.js'

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Returns all nodes of a kind inside something, without those inside separate queries when `isOwn`. */
const within = (value: unknown, kind: string, isOwn = false): Node[] => {
  if (Array.isArray(value)) return value.flatMap((item) => within(item, kind, isOwn))
  if (!isNode(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === kind ? [inner as Node] : []),
    ...(isOwn && key === 'SelectStmt' ? [] : within(inner, kind, isOwn)),
  ])
}

const tablesIn = (value: unknown): string[] =>
  within(value, 'RangeVar').map(({ relname }) => String(relname))
const isSpread = (table: string) => Object.hasOwn(DISTRIBUTED, table)
/** Parts of a union that read the same table are one: each runs on its own. */
const spreadIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(spreadIn)
  if (!isNode(value)) return []
  const { larg: left, rarg: right } = value
  if (value.op === 'SETOP_UNION') {
    const [first, second] = [spreadIn(left), spreadIn(right)]
    return first.join() === second.join() ? first : [...first, ...second]
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'RangeVar' ? tablesIn({ RangeVar: inner }).filter(isSpread) : spreadIn(inner),
  )
}

const namesOf = (fields: unknown): string[] =>
  (fields as { String?: { sval: string } }[]).map(({ String: text }) => text?.sval ?? '*')

/**
 * Returns the names by which columns are reached inside a query: its tables, subqueries and common table expressions.
 */
const aliasesIn = (value: unknown): Set<string> =>
  new Set([
    ...within(value, 'RangeVar').map(
      ({ alias, relname }) => (alias as { aliasname: string } | undefined)?.aliasname ?? relname,
    ),
    ...['RangeSubselect', 'RangeFunction'].flatMap((kind) =>
      within(value, kind).map(
        ({ alias }) => (alias as { aliasname: string } | undefined)?.aliasname,
      ),
    ),
  ] as string[])

const isCorrelated = (query: unknown): boolean => {
  const own = aliasesIn(query)
  return within(query, 'ColumnRef').some(({ fields }) => {
    const names = namesOf(fields)
    return names.length > 1 && !own.has(names[0] ?? '')
  })
}

/** Returns true when a condition compares a column of some alias with a value, outside of any OR. */
const isPinned = (where: unknown, column: string): boolean => {
  if (!isNode(where)) return false
  const { A_Expr: comparison, BoolExpr: both } = where as { A_Expr?: Node; BoolExpr?: Node }
  if (both !== undefined)
    return (
      both.boolop === 'AND_EXPR' && (both.args as unknown[]).some((arg) => isPinned(arg, column))
    )
  return (
    comparison?.kind === 'AEXPR_OP' &&
    within(comparison.lexpr, 'ColumnRef').some(({ fields }) => namesOf(fields).at(-1) === column)
  )
}

/** Tables that all workers have, and whose rows people lock by hand: a transaction is tried again when it meets another. */
const SELDOM_LOCKED = ['alerts', 'person_sessions', 'projects']

const faultsOfSelect = (select: Node): string[] => {
  const faults: string[] = []
  const from = spreadIn(select.fromClause)
  for (const inner of within(select.fromClause, 'SelectStmt'))
    if (from.length > 0 && inner.op === 'SETOP_UNION' && isWithoutTable(inner))
      faults.push(`reads ${from.join()} with a union that has a part without a table`)
  if (from.length > 1) faults.push(`joins ${from.join(' and ')}`)
  for (const link of within(
    [select.targetList, select.whereClause, select.sortClause],
    'SubLink',
    true,
  ))
    if (from.length > 0 && spreadIn(link.subselect).length > 0 && isCorrelated(link.subselect))
      faults.push(`asks ${spreadIn(link.subselect).join()} for each row of ${from.join()}`)
  if (select.lockingClause !== undefined)
    for (const table of from)
      if (!isPinned(select.whereClause, DISTRIBUTED[table] as string))
        faults.push(`locks rows of ${table} on many workers`)
  if (select.lockingClause !== undefined)
    for (const table of tablesIn(select.fromClause))
      if (REFERENCE.includes(table) && !SELDOM_LOCKED.includes(table))
        faults.push(`locks rows of ${table}, which is a lock of the whole table on each worker`)
  return faults
}

const faultsOfChange = (change: Node): string[] => {
  const { relname } = change.relation as { relname: string }
  const column = DISTRIBUTED[relname]
  const others = spreadIn([change.fromClause, change.usingClause])
  const faults: string[] = []
  if (column !== undefined && others.length > 0)
    faults.push(`joins ${relname} and ${others.join()}`)
  if (column === undefined && spreadIn([change.whereClause, change.targetList]).length > 0)
    faults.push(
      `changes ${relname}, which all workers have, by what ${spreadIn(change.whereClause).join()} says`,
    )
  for (const link of within([change.whereClause, change.targetList], 'SubLink', true))
    if (spreadIn(link.subselect).length > 0 && isCorrelated(link.subselect))
      faults.push(`asks ${spreadIn(link.subselect).join()} for each row of ${relname}`)
  return faults
}

const setsColumn = (targets: unknown, column: string | undefined) =>
  column !== undefined &&
  (targets as { ResTarget: { name?: string } }[] | undefined)?.some(
    ({ ResTarget }) => ResTarget.name === column,
  )

const CHANGES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt']

/** Returns violations that do not depend on the tables: features that workers lack, or lack together. */
const faultsAnywhere = (tree: unknown): string[] => [
  ...within(tree, 'GroupingSet').map(() => 'groups by several sets at once'),
  // A worker that skips does so among its own copies, and each worker has one.
  ...within(tree, 'LockingClause')
    .filter(({ waitPolicy }) => waitPolicy === 'LockWaitSkip')
    .map(() => 'skips rows that others lock, of which every worker has its own'),
  // Only immutable functions are allowed: to_json is not immutable, nor are many casts.
  ...CHANGES.flatMap((kind) => within(tree, kind)).flatMap(
    ({ relation, returningList, returningClause }) => [
      ...within([returningList, returningClause], 'FuncCall').map(
        ({ funcname }) =>
          `calls ${namesOf(funcname).at(-1)} in what a change of ${(relation as Node).relname} returns`,
      ),
      ...within([returningList, returningClause], 'TypeCast').map(
        () => `casts in what a change of ${(relation as Node).relname} returns`,
      ),
    ],
  ),
]

const nameOf = ({ funcname }: Node): string => namesOf(funcname).at(-1) ?? ''

/**
 * Returns the functions and casts of a change that each worker could compute to something else, which the coordinator
 * refuses: it computes stable ones of constants itself, and no volatile ones.
 */
const faultsOfFunctions = async (kind: string, change: Node): Promise<string[]> => {
  const { relname } = change.relation as { relname: string }
  if (LOCAL.includes(relname)) return []
  const faults: string[] = []
  if (kind === 'InsertStmt') {
    for (const call of within((change.onConflictClause as Node)?.targetList, 'FuncCall')) {
      const name = nameOf(call)
      if ((await isVolatile(name)) || (await isStable(name)))
        faults.push(`calls ${name}, which is not immutable, where a row of ${relname} exists`)
    }
    return faults
  }
  const parts = [change.whereClause, change.targetList]
  for (const call of within(parts, 'FuncCall')) {
    const name = nameOf(call)
    if (await isVolatile(name))
      faults.push(`calls ${name}, which is volatile, to change ${relname}`)
    else if ((await isStable(name)) && within(call.args, 'ColumnRef').length > 0)
      faults.push(`calls ${name}, which is stable, with columns to change ${relname}`)
  }
  for (const { arg, typeName } of within(parts, 'TypeCast'))
    if (isNode(arg) && 'ColumnRef' in arg && (typeName as Node).arrayBounds !== undefined)
      faults.push(`casts a column to a list to change ${relname}`)
  return faults
}

/** Returns the functions that make tables beside spread ones, and could make others on each worker. */
const faultsOfTables = async (tree: unknown): Promise<string[]> => {
  const [spread] = spreadIn(tree)
  if (spread === undefined) return []
  const faults: string[] = []
  for (const call of within(within(tree, 'RangeFunction'), 'FuncCall')) {
    const name = nameOf(call)
    if ((await isVolatile(name)) || (await isStable(name)))
      faults.push(`calls ${name}, which is not immutable, for a table beside ${spread}`)
  }
  return faults
}

/** Returns the parts of a union. */
const partsOf = (select: Node): Node[] =>
  select.op === 'SETOP_UNION'
    ? [...partsOf(select.larg as Node), ...partsOf(select.rarg as Node)]
    : [select]

const selectsColumn = ({ targetList }: Node, column: string): boolean =>
  within(targetList, 'ColumnRef', true).some(({ fields }) =>
    [column, '*'].includes(namesOf(fields).at(-1) ?? ''),
  )

/**
 * Returns the faults of unions whose parts the workers do not read at once: each part follows the other, and all of its rows go to
 * the coordinator.
 */
const faultsOfUnions = (tree: unknown): string[] =>
  within(tree, 'SelectStmt')
    .filter(({ op, larg }) => op === 'SETOP_UNION' && (larg as Node).op !== 'SETOP_UNION')
    .flatMap((union) => {
      const parts = partsOf(union)
      const [table, ...more] = new Set(parts.flatMap(({ fromClause }) => tablesIn(fromClause)))
      const column = DISTRIBUTED[String(table)]
      if (column === undefined || more.length > 0) return []
      if (parts.every(({ whereClause }) => isPinned(whereClause, column))) return []
      const faults: string[] = []
      // Citus takes the union for one that each server can compute from its own rows, and answers with fewer.
      for (const asked of parts.flatMap(({ whereClause }) =>
        spreadIn(within(whereClause, 'SubLink')),
      ))
        faults.push(`asks ${asked} in a part of a union of ${table}`)
      if (!parts.every((part) => selectsColumn(part, column)))
        faults.push(`reads parts of ${table} without ${column}, which distributes it`)
      if (union.limitCount !== undefined) faults.push(`limits a union of parts of ${table}`)
      return faults
    })

/** Returns true for a union in which a part reads no table. */
const isWithoutTable = ({ op, larg, rarg, fromClause }: Node): boolean =>
  op === 'SETOP_UNION'
    ? isWithoutTable(larg as Node) || isWithoutTable(rarg as Node)
    : op === 'SETOP_NONE' && fromClause === undefined

const isMany = (kind: string, change: Node, column: string): boolean =>
  kind === 'InsertStmt'
    ? (within(change.selectStmt, 'SelectStmt')[0]?.valuesLists as unknown[] | undefined)?.length !==
      1
    : !isPinned(change.whereClause, column)

/**
 * Returns the violations of a transaction's statements. Tables that all workers have are changed through one connection
 * to each worker: not after several changed a distributed table, unless those ran one by one.
 */
export const faultsOfTransaction = async (statements: readonly string[]): Promise<string[]> => {
  const faults: string[] = []
  let spread: string | undefined
  for (const statement of statements) {
    const tree = await parse(statement)
    if (within(tree, 'VariableSetStmt').some(({ name }) => name === MODE)) return faults
    for (const kind of CHANGES)
      for (const change of within(tree, kind)) {
        const { relname } = change.relation as { relname: string }
        const column = DISTRIBUTED[relname]
        if (column !== undefined && isMany(kind, change, column)) spread ??= relname
        if (REFERENCE.includes(relname) && spread !== undefined)
          faults.push(`changes ${relname} after ${spread} on many workers at once`)
      }
  }
  return faults
}

const MODE = 'citus.multi_shard_modify_mode'

/** Returns a statement's violations of the rule of the large tables; an empty list when there are none. */
export const faultsOf = async (statement: string): Promise<string[]> => {
  const tree = await parse(statement)
  const faults = [
    ...faultsAnywhere(tree),
    ...within(tree, 'SelectStmt').flatMap(faultsOfSelect),
    ...faultsOfUnions(tree),
    ...['UpdateStmt', 'DeleteStmt'].flatMap((kind) => within(tree, kind).flatMap(faultsOfChange)),
    ...(await faultsOfTables(tree)),
  ]
  for (const kind of CHANGES)
    for (const change of within(tree, kind)) faults.push(...(await faultsOfFunctions(kind, change)))
  for (const update of within(tree, 'UpdateStmt')) {
    const { relname } = update.relation as { relname: string }
    if (setsColumn(update.targetList, DISTRIBUTED[relname]))
      faults.push(`changes the column that distributes ${relname}`)
  }
  for (const insert of within(tree, 'InsertStmt')) {
    const { relname } = insert.relation as { relname: string }
    const column = DISTRIBUTED[relname]
    const conflict = insert.onConflictClause as
      | { infer?: { indexElems?: { IndexElem: { name: string } }[] }; targetList?: unknown }
      | undefined
    if (column === undefined || conflict === undefined) continue
    const keys = conflict.infer?.indexElems?.map(({ IndexElem }) => IndexElem.name) ?? []
    if (keys.length > 0 && !keys.includes(column))
      faults.push(`looks for conflicts of ${relname} on many workers`)
    if (setsColumn(conflict.targetList, column))
      faults.push(`changes the column that distributes ${relname}`)
  }
  return faults
}
