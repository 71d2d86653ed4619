import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.js'
import { inTransaction } from '../database/transactions/attempts.js'
import { alone } from '../database/transactions/locks.js'
import type { Caller } from '../kernel/caller.js'
import { invalid, notFound, show } from '../kernel/errors.js'
import type { Clock } from '../kernel/instant.js'
import { hasSteps } from '../storage/metrics.js'
import {
  type DeletedFile,
  databaseBytes,
  deleteLateRows,
  deleteProject,
  findDeletedProjects,
  findFirstProject,
  findProject,
  forgetDeletedProjects,
  insertProject,
  listProjects,
  type ProjectRow,
} from '../storage/projects.js'
import { Keys } from './access/keys.js'
import { type Actor, note, OPERATOR, SERVICE } from './audit/entry.js'
import { emptyProject } from './erasure/project.js'

/** Name of the key that the service's settings set for the first project. */
const SETTINGS_KEY = 'settings'
const FIRST_KEY = 'first'

export type { ProjectRow }

/** Where the service keeps its data, without secrets. */
export interface Places {
  database: 'embedded' | 'postgres'
  databasePlace: string | null
  files: 'folder' | 'bucket'
  filesPlace: string | null
}

/** Held by whoever gives a new project its name. */
export const NAMES_OF_PROJECTS = 'names of projects'

/** Deleted projects that a transaction looks at. Each table is asked once for all of them. */
const LATE_AT_ONCE = 200

/** Removes the contents of files. */
type RemoveFiles = (projectId: string, keys: readonly string[]) => Promise<void>

const removeEach = async (
  files: readonly DeletedFile[],
  removeFiles: RemoveFiles,
): Promise<void> => {
  const projects = new Map<string, string[]>()
  for (const { projectId, objectKey } of files) {
    const keys = projects.get(projectId)
    if (keys === undefined) projects.set(projectId, [objectKey])
    else keys.push(objectKey)
  }
  for (const [projectId, keys] of projects) await removeFiles(projectId, keys)
}

export class Projects {
  readonly #db: Database
  readonly #clock: Clock
  readonly #places: Places | undefined

  constructor(db: Database, clock: Clock, places?: Places) {
    this.#places = places
    this.#db = db
    this.#clock = clock
  }

  /**
   * Ensures that there is a first project with a key: the given one, or a generated one when the project has none.
   * Returns the project, and the key if it is known.
   */
  ensureFirst(
    givenKey: string | undefined,
  ): Promise<{ projectId: string; newKey: string | undefined }> {
    // Processes that start at once create one project, not one each.
    return alone(this.#db, 'first project', async (transaction) => {
      const keys = new Keys(transaction, this.#clock, () => undefined)
      const projects = new Projects(transaction, this.#clock)
      const { id } = (await findFirstProject(transaction)) ?? {
        id: await projects.#insert(SERVICE, 'default'),
      }
      if (givenKey !== undefined) {
        // Another key in the settings replaces the earlier one, which must then open nothing.
        await keys.replace(id, SETTINGS_KEY, givenKey)
        return { projectId: id, newKey: undefined }
      }
      if ((await keys.list(id)).some(({ name }) => name === FIRST_KEY))
        return { projectId: id, newKey: undefined }
      const { key } = await keys.create(SERVICE, id, { name: FIRST_KEY, scopes: ['admin'] })
      return { projectId: id, newKey: key }
    })
  }

  /** Makes a project for the operator whose name no other one has, with a key that may do everything. Processes that ask at once wait for each other. */
  async create(given: string): Promise<{ projectId: string; apiKey: string }> {
    const name = given.trim()
    if (name === '') throw invalid('name: expected a name, got only spaces')
    return alone(this.#db, NAMES_OF_PROJECTS, async (transaction) => {
      const [taken] = await findProject(transaction, name)
      if (taken !== undefined)
        throw invalid(`name: a project is called ${show(name)} already; expected another name`)
      return new Projects(transaction, this.#clock).#createWithKey(name)
    })
  }

  /** Returns the project of a caller. */
  async of({ projectId }: Caller): Promise<ProjectRow> {
    const [project] = await findProject(this.#db, projectId)
    if (project === undefined) throw notFound('project', projectId)
    return project
  }

  async isEmpty({ projectId }: Caller): Promise<boolean> {
    return !(await hasSteps(this.#db, projectId))
  }

  /** Returns null to callers who are not admins. */
  async storage({ scopes }: Caller): Promise<(Places & { databaseBytes: number | null }) | null> {
    if (this.#places === undefined || !scopes.includes('admin')) return null
    return { ...this.#places, databaseBytes: await databaseBytes(this.#db) }
  }

  /** Lists all projects, oldest first. */
  list(): Promise<ProjectRow[]> {
    return listProjects(this.#db)
  }

  /** Returns a project by its id or its name. Throws when there is none, or several of that name. */
  async find(idOrName: string): Promise<ProjectRow> {
    const found = await findProject(this.#db, idOrName)
    const [project] = found
    if (project === undefined) throw notFound('project', idOrName)
    if (found.length > 1)
      throw invalid(`project: ${found.length} are called ${show(idOrName)}; give the id of one`)
    return project
  }

  /** Deletes the keys and the many rows of a project, for so long. Returns how many, and false when more is left. */
  empty(project: ProjectRow, budgetMs: number): Promise<{ isEmpty: boolean; rows: number }> {
    return emptyProject(this.#db, project, budgetMs)
  }

  /** Deletes a project with everything in it, in one transaction. `removeFiles` takes what no note leads to any more. */
  async delete(id: string, removeFiles: RemoveFiles = async () => undefined): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      const { name, files } = await deleteProject(transaction, id)
      await removeEach(files, removeFiles)
      if (name !== undefined)
        await note(transaction, id, OPERATOR, { action: 'DELETE_PROJECT', on: 'PROJECT', id, name })
    })
  }

  /**
   * Removes again what projects that were deleted lately have, by whichever process: requests under way were admitted by
   * a key that still existed, and may have stored more since.
   */
  async removeLate(removeFiles: RemoveFiles = async () => undefined): Promise<void> {
    const ids = await findDeletedProjects(this.#db)
    for (let from = 0; from < ids.length; from += LATE_AT_ONCE)
      await inTransaction(this.#db, async (transaction) => {
        const files = await deleteLateRows(transaction, ids.slice(from, from + LATE_AT_ONCE))
        await removeEach(files, removeFiles)
      })
    await forgetDeletedProjects(this.#db)
  }

  /** Needs a transaction. */
  async #createWithKey(name: string): Promise<{ projectId: string; apiKey: string }> {
    const projectId = await this.#insert(OPERATOR, name)
    const keys = new Keys(this.#db, this.#clock, () => undefined)
    const { key } = await keys.create(OPERATOR, projectId, { name: FIRST_KEY, scopes: ['admin'] })
    return { projectId, apiKey: key }
  }

  /** Needs a transaction. */
  async #insert(actor: Actor, name: string): Promise<string> {
    const id = randomUUID()
    await insertProject(this.#db, { id, name, createdAt: this.#clock() })
    await note(this.#db, id, actor, { action: 'CREATE_PROJECT', on: 'PROJECT', id, name })
    return id
  }
}
