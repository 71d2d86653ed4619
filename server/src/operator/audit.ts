import { LIST_FIELDS } from '../../generated/list-fields.js'
import type { Domain } from '../domain/domain.js'
import { DomainError, invalid, show } from '../kernel/errors.js'
import { parseInstant, showInstant } from '../kernel/instant.js'
import type { AuditEntryRow } from '../storage/audit/entries.js'
import { chosenProject } from './chosen-project.js'

/** The options of `audit list` beside the project. */
export const AUDIT_OPTIONS = ['action', 'actor', 'subject', 'since', 'until', 'first'] as const

type Given = Partial<Record<'project' | (typeof AUDIT_OPTIONS)[number], string>>

const MAX_FIRST = 1000
const FIRST = 50

/** Lists the entries of a project's audit log, the newest first; those of a deleted project by its id. */
export const listAudit = async (
  projects: Domain['projects'],
  audit: Domain['audit'],
  { project, action, actor, subject, since, until, first }: Given,
): Promise<{ rows: Record<string, string>[]; message?: string }> => {
  const most = Number(first ?? FIRST)
  if (!Number.isInteger(most) || most < 1 || most > MAX_FIRST)
    throw invalid(`--first: expected 1 to ${MAX_FIRST}, got ${show(first ?? '')}`)
  const condition = (field: string, operator: string, value: string | undefined) =>
    value === undefined ? [] : [{ field, operator, value }]
  const projectId = await chosenProject(projects, project).then(
    ({ id }) => id,
    (error) => {
      // The log outlives its project.
      if (project === undefined || !isMissing(error)) throw error
      return project
    },
  )
  const { rows, hasNextPage } = await audit.list(
    { projectId },
    {
      first: most,
      filters: [
        ...condition('action', 'eq', actionOf(action)),
        ...condition('actorId', 'eq', actor),
        ...condition('subjectId', 'eq', subject),
        ...condition('createdAt', 'gte', momentOf('--since', since)),
        ...condition('createdAt', 'lt', momentOf('--until', until)),
      ],
    },
  )
  return {
    rows: rows.map(shownEntry),
    ...(rows.length === 0 ? { message: 'There are no such entries.' } : {}),
    ...(hasNextPage ? { message: 'There are older entries: --until or --first shows them.' } : {}),
  }
}

/** Returns the name of an action. A misspelt one would list nothing, as if nobody had done it. */
const actionOf = (given: string | undefined): string | undefined => {
  const { values } = LIST_FIELDS.auditEntries.action
  const name = given?.toUpperCase().replaceAll('-', '_')
  if (name === undefined || values.some((value) => value === name)) return name
  throw invalid(
    `--action: expected one of ${values.join(', ').toLowerCase()}, got ${show(given ?? '')}`,
  )
}

const momentOf = (option: string, given: string | undefined): string | undefined =>
  given === undefined ? undefined : parseInstant(option, given)

const isMissing = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'NOT_FOUND'

const shownEntry = (entry: AuditEntryRow): Record<string, string> => ({
  time: showInstant(entry.createdAt),
  action: entry.action,
  actor: line(named(entry.actorName ?? entry.actorKind.toLowerCase(), entry.actorId)),
  subject: line(named(entry.subjectName ?? entry.subjectKind.toLowerCase(), entry.subjectId)),
  fields: line(entry.fields.join(', ')),
  details: line(
    Object.entries(entry.details)
      .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : value}`)
      .join('; '),
  ),
  request: entry.requestId ?? '',
})

const named = (name: string, id: string | null): string => (id === null ? name : `${name} (${id})`)

/** Shows names of callers in a line of their own, without codes that change terminals. */
const line = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
