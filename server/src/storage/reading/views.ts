import type {
  ChartMetric,
  MetricDimension,
  MetricSubject,
  ViewSubject,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { views } from '../../database/rows/tables.js'
import { assignments, type Changes, valuesOf } from '../../database/rows/writes.js'
import { lockAlone } from '../../database/transactions/locks.js'

const columns = select({
  ...pick(
    views,
    'id',
    'name',
    'query',
    'range',
    'environment',
    'columns',
    'orderColumn',
    'isDefault',
    'createdAt',
    'updatedAt',
    'chartScore',
    'position',
  ),
  subject: views.subject.narrow<ViewSubject>(),
  chartSubject: views.chartSubject.narrow<MetricSubject | null>(),
  chartMetric: views.chartMetric.narrow<ChartMetric | null>(),
  chartSplit: views.chartSplit.narrow<MetricDimension | null>(),
  orderDirection: views.orderDirection.narrow<'ASC' | 'DESC' | null>(),
})

export type ViewRow = RowOf<typeof columns>

/** Lists views by name, charts by their position. */
export const listViews = async (
  db: Database,
  projectId: string,
  subject: string | undefined,
): Promise<ViewRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM views WHERE views.project_id = ${projectId}
      ${subject === undefined ? sql`` : sql`AND views.subject = ${subject}`}
    ORDER BY views.position, views.name, views.id`.execute(db)
  return rows
}

export const findView = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<ViewRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM views WHERE views.project_id = ${projectId} AND views.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Lets one transaction after the other change the views of a project. */
export const lockViews = (db: Database, projectId: string): Promise<void> =>
  lockAlone(db, 'settings', projectId, ['views'])

/** Counts the views of a project, the charts among them, and returns the last position of one. */
export const countViews = async (
  db: Database,
  projectId: string,
): Promise<{ count: number; charts: number; lastPosition: number }> => {
  const { rows } = await sql`
    SELECT ${select({
      count: cast('bigint', sql`count(*)`),
      charts: cast('bigint', sql`count(*) FILTER (WHERE views.subject = 'CHARTS')`),
      lastPosition: cast('float8', sql`coalesce(max(views.position), 0)`),
    })} FROM views WHERE views.project_id = ${projectId}`.execute(db)
  return rows[0] ?? { count: 0, charts: 0, lastPosition: 0 }
}

/** Returns the view of a list with a name. */
export const findNamedView = async (
  db: Database,
  projectId: string,
  subject: string,
  name: string,
): Promise<ViewRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM views
    WHERE views.project_id = ${projectId} AND views.subject = ${subject} AND views.name = ${name}`.execute(
    db,
  )
  return rows[0]
}

export const insertView = async (db: Database, projectId: string, view: ViewRow): Promise<void> => {
  await sql`INSERT INTO views ${valuesOf('views', { projectId, ...view })}`.execute(db)
}

/** Updates the given columns. */
export const updateView = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'views'>,
): Promise<void> => {
  await sql`
    UPDATE views SET ${assignments('views', changes) ?? sql`name = name`}
    WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
}

/** Makes a list open with no view but one. */
export const clearOtherDefaults = async (
  db: Database,
  projectId: string,
  { subject, id }: Pick<ViewRow, 'subject' | 'id'>,
): Promise<void> => {
  await sql`UPDATE views SET is_default = false
    WHERE project_id = ${projectId} AND subject = ${subject} AND id <> ${id} AND is_default`.execute(
    db,
  )
}

/** Returns its name; undefined when there was none. */
export const deleteView = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<string | undefined> => {
  const { rows } = await sql`
    DELETE FROM views WHERE project_id = ${projectId} AND id = ${id}
    RETURNING ${select(pick(views, 'name'))}`.execute(db)
  return rows[0]?.name
}
