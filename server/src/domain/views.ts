import { randomUUID } from 'node:crypto'
import type { MutationCreateViewArgs, MutationUpdateViewArgs } from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import { inTransaction } from '../database/transactions/attempts.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, invalid, notFound, show } from '../kernel/errors.js'
import type { Clock } from '../kernel/instant.js'
import { checkQuery } from '../lists/query.js'
import type { ListName } from '../query/languages.js'
import {
  clearOtherDefaults,
  countViews,
  deleteView,
  findNamedView,
  findView,
  insertView,
  listViews,
  lockViews,
  updateView,
  type ViewRow,
} from '../storage/reading/views.js'
import { changedFields, noteFor } from './audit/entry.js'
import { chartOf, checkChart, columnsOf, LIST_OF } from './charts/chart-rules.js'
import type { Values } from './values.js'

const MAX_VIEWS = 500
/** Each is measured when their page opens. */
const MAX_CHARTS = 60
const MAX_COLUMNS = 100
const MAX_NAME = 200
const MAX_TEXT = 200

const LISTS: Record<Exclude<ViewRow['subject'], 'CHARTS'>, ListName> = {
  THREADS: 'threads',
  STEPS: 'steps',
  GENERATIONS: 'generations',
  SCORES: 'scores',
  USERS: 'participants',
}

/** Named filters of lists, which a project shares. */
export class Views {
  readonly #db: Database
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, values: Values, clock: Clock) {
    this.#db = db
    this.#values = values
    this.#clock = clock
  }

  list({ projectId }: Caller, subject: string | undefined): Promise<ViewRow[]> {
    return listViews(this.#db, projectId, subject)
  }

  async create(caller: Caller, args: MutationCreateViewArgs): Promise<ViewRow> {
    const now = this.#clock()
    const view: ViewRow = {
      id: randomUUID(),
      subject: args.subject,
      name: args.name.trim(),
      query: args.query,
      range: args.range ?? null,
      environment: args.environment ?? null,
      columns: args.columns == null ? null : [...args.columns],
      orderColumn: args.orderColumn ?? null,
      orderDirection: args.orderDirection ?? (args.orderColumn == null ? null : 'DESC'),
      isDefault: args.isDefault ?? false,
      ...columnsOf(args.chart),
      position: null,
      createdAt: now,
      updatedAt: now,
    }
    this.#check(view)
    await this.#change(caller, async (transaction) => {
      const { count, charts, lastPosition } = await countViews(transaction, caller.projectId)
      if (count >= MAX_VIEWS)
        throw new DomainError('TOO_LARGE', `a project has at most ${MAX_VIEWS} views; delete one`)
      if (view.subject === 'CHARTS') {
        if (charts >= MAX_CHARTS)
          throw new DomainError(
            'TOO_LARGE',
            `a project has at most ${MAX_CHARTS} charts; delete one`,
          )
        view.position = lastPosition + 1
      }
      await checkName(transaction, caller, view)
      await insertView(transaction, caller.projectId, view)
      if (view.isDefault) await clearOtherDefaults(transaction, caller.projectId, view)
      await noteFor(transaction, caller, {
        action: 'CREATE_VIEW',
        on: 'VIEW',
        id: view.id,
        name: view.name,
      })
    })
    return view
  }

  async update(
    caller: Caller,
    { id, name, query, isDefault, chart, position, ...others }: MutationUpdateViewArgs,
  ): Promise<ViewRow> {
    this.#values.requiredId('id', id)
    return this.#change(caller, async (transaction) => {
      const stored = await findView(transaction, caller.projectId, id)
      if (stored === undefined) throw notFound('view', id)
      const given = Object.entries(others).filter(([, value]) => value !== undefined)
      const view: ViewRow = {
        ...stored,
        ...(Object.fromEntries(given) as Partial<ViewRow>),
        name: name?.trim() ?? stored.name,
        query: query ?? stored.query,
        isDefault: isDefault ?? stored.isDefault,
        ...(chart == null ? {} : columnsOf(chart)),
        position: position ?? stored.position,
        updatedAt: this.#clock(),
      }
      this.#check(view)
      await checkName(transaction, caller, view)
      const { id: _, subject, createdAt, ...changes } = view
      await updateView(transaction, caller.projectId, id, changes)
      if (view.isDefault) await clearOtherDefaults(transaction, caller.projectId, view)
      await noteFor(transaction, caller, {
        action: 'UPDATE_VIEW',
        on: 'VIEW',
        id,
        name: view.name,
        fields: changedFields({ ...stored, updatedAt: null }, { ...view, updatedAt: null }),
      })
      return view
    })
  }

  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    this.#values.requiredId('id', id)
    return this.#db.transaction().execute(async (transaction) => {
      const name = await deleteView(transaction, caller.projectId, id)
      if (name === undefined) return null
      await noteFor(transaction, caller, { action: 'DELETE_VIEW', on: 'VIEW', id, name })
      return { id }
    })
  }

  #change<Result>(
    { projectId }: Caller,
    work: (transaction: Database) => Promise<Result>,
  ): Promise<Result> {
    return inTransaction(this.#db, async (transaction) => {
      await lockViews(transaction, projectId)
      return work(transaction)
    })
  }

  #check(view: ViewRow): void {
    const { subject, name, query, columns, ...others } = view
    this.#values.requiredText('name', name)
    checkLength('name', name, MAX_NAME)
    if (subject === 'CHARTS') checkQuery(listOfChart(view), query)
    else if (others.chartSubject !== null || others.position !== null)
      throw invalid('chart, position: expected none for the view of a list')
    else checkQuery(LISTS[subject], query)
    const { range, environment, orderColumn } = others
    for (const [field, text] of Object.entries({ range, environment, orderColumn }))
      if (text !== null) checkLength(field, text, MAX_TEXT)
    if (columns !== null && columns.length > MAX_COLUMNS)
      throw invalid(`columns: expected at most ${MAX_COLUMNS}, got ${columns.length}`)
    for (const [index, column] of (columns ?? []).entries())
      checkLength(`columns[${index}]`, column, MAX_TEXT)
  }
}

/** Checks a chart, and returns the list whose query it has. */
const listOfChart = (view: ViewRow): ListName => {
  const chart = chartOf(view)
  if (chart === null) throw invalid('chart: expected the measurement of the chart')
  if (view.columns !== null || view.orderColumn !== null || view.isDefault)
    throw invalid('columns, orderColumn, isDefault: expected none for a chart')
  checkChart(chart)
  if (chart.score !== null) checkLength('chart.score', chart.score, MAX_NAME)
  return LIST_OF[chart.subject]
}

const checkLength = (field: string, text: string, most: number): void => {
  if (text.length > most)
    throw invalid(`${field}: expected at most ${most} characters, got ${text.length}`)
}

const checkName = async (
  db: Database,
  { projectId }: Caller,
  { id, subject, name }: ViewRow,
): Promise<void> => {
  const other = await findNamedView(db, projectId, subject, name)
  if (other !== undefined && other.id !== id)
    throw new DomainError(
      'CONFLICT',
      `name: a view of this list is named ${show(name)} already; expected another name`,
    )
}
