import { OPERATOR } from '../domain/audit/entry.js'
import type { Domain } from '../domain/domain.js'
import type { ImportProgress, ImportRequest } from '../domain/moving/import-project.js'
import type { Files } from '../files/files.js'
import { invalid, show } from '../kernel/errors.js'
import { showInstant } from '../kernel/instant.js'
import type { ProjectRow } from '../storage/projects.js'
import { type AUDIT_OPTIONS, listAudit } from './audit.js'
import { chosenProject } from './chosen-project.js'
import type { Mover } from './moving/mover.js'

type CommandOption =
  | 'project'
  | 'name'
  | 'scopes'
  | 'expires'
  | 'hash'
  | 'copy'
  | 'purpose'
  | 'from'
  | 'toDatabase'
  | 'toData'
  | 'toFiles'
  | (typeof AUDIT_OPTIONS)[number]

/** Time that a call of a move takes; the command that sent it sends the next one. */
const MOVE_TURN_MS = 1000
/** The same of the deletion of a project. */
const DELETE_TURN_MS = 5000

/** An operator's command, as it is sent to a running service. */
export interface Command {
  noun: string
  verb: string
  /** The argument after the verb; undefined when there is none. */
  subject?: string | undefined
  options: Partial<Record<CommandOption, string>>
}

/** The abilities of the process that executes commands, beyond those of its domain. */
export interface Host {
  signInLink: (url: string, projectId: string) => string
  /** Copies the data folder once that is noted, and returns the folder of the copy. */
  snapshot: (noteIt: () => Promise<void>, isAwaited: () => boolean) => Promise<string>
  /** Stores more of an archive. */
  continueImport: (request: ImportRequest) => Promise<ImportProgress>
  /** Moves the data; undefined for a service that keeps it in memory, or of several processes. */
  mover: Mover | undefined
}

/** Rows to show, and a sentence about what happened. */
export interface CommandResult {
  rows: Record<string, string>[]
  message?: string
  /** Set when the same command has to be sent again, as there was more to do than a call does; the rows that this one deleted. */
  unfinished?: { deleted: number }
}

/** Executes an operator's command, in any project. */
export const perform = async (
  {
    projects,
    keys,
    audit,
    signedInPeople,
  }: Pick<Domain, 'projects' | 'keys' | 'audit' | 'signedInPeople'>,
  files: Pick<Files, 'removeAll'>,
  host: Host,
  { noun, verb, subject, options }: Command,
  isAwaited: () => boolean,
): Promise<CommandResult> => {
  const named = (what: string): string => {
    if (!subject) throw invalid(`${noun} ${verb}: expected ${what}, got nothing`)
    return subject
  }
  switch (`${noun} ${verb}`) {
    case 'project create': {
      const { projectId, apiKey } = await projects.create(named('a name'))
      return {
        rows: [{ project: projectId, key: apiKey }],
        message: 'The key may do everything in the project. It is shown only once.',
      }
    }
    case 'project list':
      return { rows: (await projects.list()).map(shownProject) }
    case 'project delete': {
      const project = await projects.find(named('an id or a name'))
      const { isEmpty, rows } = await projects.empty(project, DELETE_TURN_MS)
      if (!isEmpty) return { rows: [], unfinished: { deleted: rows } }
      await files.removeAll(project.id, (removeFiles) => projects.delete(project.id, removeFiles))
      return { rows: [shownProject(project)], message: 'Deleted, with everything in it.' }
    }
    case 'key create': {
      const project = await chosenProject(projects, options.project)
      const { key, id } = await keys.create(OPERATOR, project.id, {
        name: options.name ?? subject ?? 'unnamed',
        scopes: (options.scopes ?? 'admin').split(',').map((scope) => scope.trim()),
        expiresAt: expiry(options.expires),
      })
      return { rows: [{ id, key }], message: 'The key is shown only once.' }
    }
    case 'key list': {
      const project = await chosenProject(projects, options.project)
      return {
        rows: (await keys.list(project.id)).map((key) => ({
          id: key.id,
          name: key.name,
          key: key.prefix === null ? '…' : `${key.prefix}…`,
          scopes: key.scopes.join(','),
          created: shown(key.createdAt),
          'last used': shown(key.lastUsedAt),
          expires: shown(key.expiresAt),
          revoked: shown(key.revokedAt),
        })),
      }
    }
    case 'key revoke': {
      const project = await chosenProject(projects, options.project)
      await keys.revoke(OPERATOR, project.id, named('the id of a key'))
      return {
        rows: [],
        message: 'Revoked. Every process of the service rejects it within seconds.',
      }
    }
    case 'person list':
      return {
        rows: (await signedInPeople.list()).map(({ personId, personName, grants, ...session }) => ({
          id: personId,
          name: personName,
          roles: grants.map(({ role, project }) => `${role} of ${project}`).join(', '),
          since: shown(session.createdAt),
          until: shown(session.expiresAt),
        })),
      }
    case 'person sign-out': {
      const count = await signedInPeople.signOut(named('the id of a person'))
      return {
        rows: [],
        message: `Signed out of ${count === 1 ? 'one browser' : `${count} browsers`}. Every process of the service rejects the sessions within seconds.`,
      }
    }
    case 'sign-in link': {
      const url = named('the URL of the service')
      const project = await chosenProject(projects, options.project)
      return { rows: [{ link: host.signInLink(url, project.id) }] }
    }
    case 'snapshot create':
      return {
        rows: [
          { folder: await host.snapshot(() => noteCopying(projects, audit, options), isAwaited) },
        ],
      }
    case 'audit list':
      return listAudit(projects, audit, options)
    case 'import continue': {
      const { name, hash = '', copy } = options
      const file = named('an archive')
      const progress = await host.continueImport({ file, hash, name, isCopy: copy === 'yes' })
      return {
        rows: [
          Object.fromEntries(Object.entries(progress).map(([key, value]) => [key, String(value)])),
        ],
      }
    }
    case 'move continue':
      return { rows: [await moverOf(host).continue(options, MOVE_TURN_MS)] }
    case 'move look':
      return { rows: [await moverOf(host).look(options)] }
    case 'move abandon':
      return { rows: [await moverOf(host).abandon()] }
    default:
      throw invalid(`there is no command ${show(`${noun} ${verb}`)}`)
  }
}

const moverOf = ({ mover }: Host): Mover => {
  if (mover === undefined)
    throw invalid(
      'move: expected a service of one process that stores its data, got one in memory, or several processes; start it with --workers 1 for the move',
    )
  return mover
}

const noteCopying = async (
  projects: Projects,
  audit: Domain['audit'],
  { purpose, project }: Command['options'],
): Promise<void> =>
  purpose === 'export'
    ? audit.noteCopying('EXPORT_PROJECT', [await chosenProject(projects, project)])
    : audit.noteCopying('BACK_UP', await projects.list())

type Projects = Domain['projects']

const shown = (instant: string | null): string => (instant === null ? '' : showInstant(instant))

const shownProject = ({ id, name, createdAt }: ProjectRow) => ({
  id,
  name,
  created: showInstant(createdAt),
})

const DAY_MS = 86_400_000
const UNITS: Record<string, number> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }

/** Reads `90d`, `12h` or `4w` from now, or a moment. */
const expiry = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const [, count, unit = ''] = /^(\d+)([hdw])$/.exec(text) ?? []
  const moment =
    count === undefined ? Date.parse(text) : Date.now() + Number(count) * (UNITS[unit] ?? 0)
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  if (
    !(moment > Date.now() && moment <= LAST_MOMENT) ||
    (isDay && !dateOf(moment).startsWith(text))
  )
    throw invalid(`--expires: expected a future time, such as 90d or 2027-01-31, got ${show(text)}`)
  return dateOf(moment)
}

/** The last moment that a date can represent. */
const LAST_MOMENT = 8.64e15
const dateOf = (moment: number): string => new Date(moment).toISOString()
