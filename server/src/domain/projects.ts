import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { alone, type Database } from '../storage/database.js'
import {
  deleteKeysNamed,
  findFirstProject,
  findKeyNames,
  findProjectByKey,
  insertKey,
  insertProject,
} from '../storage/projects.js'
import type { Clock } from './instant.js'

/** The key of the first project that the service's settings give. */
const SETTINGS_KEY = 'settings'
const FIRST_KEY = 'first'
const MOST_REMEMBERED = 10_000

/** Keys are stored as their hash alone. They are long and random, so a plain hash can't be searched. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

export const generateKey = () => `lsk_${randomBytes(24).toString('base64url')}`

export class Projects {
  readonly #db: Database
  readonly #clock: Clock
  readonly #known = new Map<string, string>()

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /**
   * Makes sure that there is a first project with a key: the given one, or one that is made up when the project has
   * none. Gives the project and the key, where it is known.
   */
  ensureFirst(
    givenKey: string | undefined,
  ): Promise<{ projectId: string; newKey: string | undefined }> {
    // Processes that start at once make one project, not one each.
    return alone(this.#db, 'first project', (transaction) =>
      new Projects(transaction, this.#clock).#ensureFirst(givenKey),
    )
  }

  async #ensureFirst(
    givenKey: string | undefined,
  ): Promise<{ projectId: string; newKey: string | undefined }> {
    const project = (await findFirstProject(this.#db)) ?? { id: await this.#insert('default') }
    if (givenKey !== undefined) {
      // Another key in the settings replaces the earlier one, which must then no longer open anything.
      if ((await findProjectByKey(this.#db, hashOf(givenKey))) === undefined) {
        await deleteKeysNamed(this.#db, project.id, SETTINGS_KEY)
        await this.#addKey(project.id, SETTINGS_KEY, givenKey)
      }
      return { projectId: project.id, newKey: undefined }
    }
    if ((await findKeyNames(this.#db, project.id)).includes(FIRST_KEY))
      return { projectId: project.id, newKey: undefined }
    const newKey = generateKey()
    await this.#addKey(project.id, FIRST_KEY, newKey)
    return { projectId: project.id, newKey }
  }

  async create(name: string): Promise<{ projectId: string; apiKey: string }> {
    const projectId = await this.#insert(name)
    const apiKey = generateKey()
    await this.#addKey(projectId, FIRST_KEY, apiKey)
    return { projectId, apiKey }
  }

  /** The project that a key opens; undefined when it opens none. */
  async ofKey(key: string): Promise<string | undefined> {
    const hash = hashOf(key)
    const known = this.#known.get(hash)
    if (known !== undefined) return known
    const projectId = await findProjectByKey(this.#db, hash)
    if (projectId !== undefined && this.#known.size < MOST_REMEMBERED)
      this.#known.set(hash, projectId)
    return projectId
  }

  async #insert(name: string): Promise<string> {
    const id = randomUUID()
    await insertProject(this.#db, { id, name, createdAt: this.#clock() })
    return id
  }

  async #addKey(projectId: string, name: string, key: string): Promise<void> {
    await insertKey(this.#db, { hash: hashOf(key), projectId, name, createdAt: this.#clock() })
  }
}
