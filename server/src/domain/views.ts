import { randomUUID } from 'node:crypto'
import type { MutationCreateViewArgs, MutationUpdateViewArgs } from '../../generated/resolvers.js'
import { inAttempts } from '../database/attempts.js'
import type { Database } from '../database/database.js'
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
import type { Values } from './values.js'

const MAX_VIEWS = 500
const MAX_COLUMNS = 100
const MAX_NAME = 200
const MAX_TEXT = 200

const LISTS: Record<ViewRow['subject'], ListName> = {
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
      name: args.name,
      query: args.query,
      range: args.range ?? null,
      environment: args.environment ?? null,
      columns: args.columns == null ? null : [...args.columns],
      orderColumn: args.orderColumn ?? null,
      orderDirection: args.orderDirection ?? (args.orderColumn == null ? null : 'DESC'),
      isDefault: args.isDefault ?? false,
      createdAt: now,
      updatedAt: now,
    }
    this.#check(view)
    await this.#change(caller, async (transaction) => {
      if ((await countViews(transaction, caller.projectId)) >= MAX_VIEWS)
        throw new DomainError('TOO_LARGE', `a project has at most ${MAX_VIEWS} views; delete one`)
      await checkName(transaction, caller, view)
      await insertView(transaction, caller.projectId, view)
      if (view.isDefault) await clearOtherDefaults(transaction, caller.projectId, view)
    })
    return view
  }

  update(
    caller: Caller,
    { id, name, query, isDefault, ...others }: MutationUpdateViewArgs,
  ): Promise<ViewRow> {
    return this.#change(caller, async (transaction) => {
      const stored = await findView(transaction, caller.projectId, id)
      if (stored === undefined) throw notFound('view', id)
      const given = Object.entries(others).filter(([, value]) => value !== undefined)
      const view: ViewRow = {
        ...stored,
        ...(Object.fromEntries(given) as Partial<ViewRow>),
        name: name ?? stored.name,
        query: query ?? stored.query,
        isDefault: isDefault ?? stored.isDefault,
        updatedAt: this.#clock(),
      }
      this.#check(view)
      await checkName(transaction, caller, view)
      const { id: _, subject, createdAt, ...changes } = view
      await updateView(transaction, caller.projectId, id, changes)
      if (view.isDefault) await clearOtherDefaults(transaction, caller.projectId, view)
      return view
    })
  }

  async delete({ projectId }: Caller, id: string): Promise<{ id: string } | null> {
    return (await deleteView(this.#db, projectId, id)) ? { id } : null
  }

  #change<Result>(
    { projectId }: Caller,
    work: (transaction: Database) => Promise<Result>,
  ): Promise<Result> {
    return inAttempts(() =>
      this.#db.transaction().execute(async (transaction) => {
        await lockViews(transaction, projectId)
        return work(transaction)
      }),
    )
  }

  #check({ subject, name, query, columns, ...others }: ViewRow): void {
    this.#values.requiredText('name', name.trim())
    checkLength('name', name, MAX_NAME)
    checkQuery(LISTS[subject], query)
    const { range, environment, orderColumn } = others
    for (const [field, text] of Object.entries({ range, environment, orderColumn }))
      if (text !== null) checkLength(field, text, MAX_TEXT)
    if (columns !== null && columns.length > MAX_COLUMNS)
      throw invalid(`columns: expected at most ${MAX_COLUMNS}, got ${columns.length}`)
    for (const [index, column] of (columns ?? []).entries())
      checkLength(`columns[${index}]`, column, MAX_TEXT)
  }
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
