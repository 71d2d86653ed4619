import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import { forAsLong, withoutTimeLimit } from '../../database/task.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Person } from '../../kernel/caller.js'
import { DomainError } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import { type Grant, type Role, roleIn, scopesOf } from '../../kernel/scopes.js'
import {
  deleteExpiredPersonSessions,
  deletePersonSession,
  deleteSessionsOfPerson,
  enterProject,
  findPersonInProject,
  findPersonInProjects,
  insertPersonSession,
  type PersonInProject,
  updatePerson,
} from '../../storage/access/person-sessions.js'
import { findFirstProject, findProject } from '../../storage/projects.js'
import { type Action, note, personActor } from '../audit/entry.js'
import { FailedSignIns } from './failed-sign-ins.js'
import type { Opened } from './keys.js'
import { signInAgain } from './sign-in.js'
import { SignedTexts } from './signed-texts.js'

const MAX_REMEMBERED = 10_000
/** Time for which a session is cached: after that, its end in another process is seen here. */
const REMEMBERED_MS = 2000
const HOUR_MS = 3_600_000

interface PersonToken {
  id: string
  /** Seconds since 1970. */
  expires: number
}

/** A project that a person has a role in. */
export interface ProjectOfPerson {
  projectId: string
  name: string
  role: Role
  person: Person
}

export interface PeopleOptions {
  /** The secret that signs session tokens, the same in all processes. */
  secret: string
  /** Digest of the rules: sessions that began under others have ended. */
  rules: string
  sessionHours: number
  report: (error: unknown) => void
  now?: () => number
}

/**
 * The sessions of people who sign in with the provider. A session is of a person: it opens each project in which they have
 * a role. The database has it, so that it ends everywhere at once; the token in the browser names it alone.
 */
export class People {
  readonly #db: Database
  readonly #clock: Clock
  readonly #options: PeopleOptions
  readonly #now: () => number
  readonly #tokens: SignedTexts<PersonToken>
  readonly #failedSignIns: FailedSignIns
  readonly #found = new LRUCache<string, Promise<PersonInProject | undefined>>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
  })

  constructor(db: Database, clock: Clock, options: PeopleOptions) {
    this.#db = db
    this.#clock = clock
    this.#options = options
    this.#now = options.now ?? (() => Date.now())
    this.#tokens = new SignedTexts(options.secret, 'person')
    this.#failedSignIns = new FailedSignIns(db)
  }

  /** Signs a person in. Their older sessions get the same roles. Returns the session's token and its seconds. */
  async signIn(
    person: Person,
    grants: readonly Grant[],
  ): Promise<{ token: string; seconds: number }> {
    const id = randomUUID()
    const until = this.#now() + this.#options.sessionHours * HOUR_MS
    await inTransaction(this.#db, async (transaction) => {
      await deleteExpiredPersonSessions(transaction, this.#clock())
      const of = { personId: person.id, personName: person.name, grants: [...grants] }
      await updatePerson(transaction, of)
      await insertPersonSession(transaction, {
        ...of,
        id,
        rules: this.#options.rules,
        entered: [],
        createdAt: this.#clock(),
        expiresAt: new Date(until).toISOString(),
      })
    })
    this.#found.clear()
    const token = this.#tokens.write({ id, expires: Math.floor(until / 1000) })
    return { token, seconds: this.#options.sessionHours * 3600 }
  }

  /**
   * Refuses a person without a role, and ends the sessions that they had. The log of the project that they asked for has
   * that, or else the log of the first project.
   */
  async refuse(person: Person, asked: string | undefined, reason: string): Promise<void> {
    await this.#end((transaction) => deleteSessionsOfPerson(transaction, person.id))
    await this.#failedSignIns
      .note(person.id, async (transaction, attempts) => {
        const [found] = asked === undefined ? [] : await findProject(transaction, asked)
        const project = found ?? (await findFirstProject(transaction))
        if (project === undefined) return
        await this.#note(transaction, project.id, person, {
          action: 'FAIL_SIGN_IN',
          details: { by: 'oidc', reason, attempts },
        })
      })
      // Without an entry the person is refused all the same.
      .catch(this.#options.report)
  }

  /** Returns true for a token of a session whose time has not ended. */
  isCurrent(token: string): boolean {
    return this.#read(token) !== undefined
  }

  /**
   * Returns the person of a session and their scopes in a project: the named one, or else their first. The first use in a
   * project is noted in its log. Throws when the session has ended, or the person has no role there.
   */
  async check(token: string, asked: string | undefined): Promise<Opened> {
    const read = this.#read(token)
    if (read === undefined) throw signInAgain()
    const projectId = asked ?? (await this.projects(token))[0]?.projectId
    const found = projectId === undefined ? undefined : await this.#find(read.id, projectId)
    const role = found && this.#roleIn(found)
    if (found === undefined || role === undefined)
      throw new DomainError(
        'UNAUTHENTICATED',
        'session: it has ended, or gives no role in this project; sign in again',
      )
    const person = { id: found.personId, name: found.personName }
    if (!found.entered.includes(found.projectId)) await this.#enter(found, person, role)
    return {
      projectId: found.projectId,
      keyId: `person ${person.id}`,
      keyName: person.name,
      person,
      scopes: scopesOf(role),
    }
  }

  /** Returns the projects in which the person of a session has a role, the oldest first. */
  async projects(token: string): Promise<ProjectOfPerson[]> {
    const read = this.#read(token)
    if (read === undefined) return []
    return (await findPersonInProjects(this.#db, read.id)).flatMap((found) => {
      const role = this.#roleIn(found)
      const { projectId, projectName: name, personId, personName } = found
      return role === undefined
        ? []
        : [{ projectId, name, role, person: { id: personId, name: personName } }]
    })
  }

  /** Ends a session, for all copies of its token. */
  async end(token: string): Promise<void> {
    const read = this.#read(token)
    if (read === undefined) return
    await this.#end(async (transaction) => {
      const ended = await deletePersonSession(transaction, read.id)
      return ended === undefined ? [] : [ended]
    })
  }

  async #end(
    remove: (transaction: Database) => ReturnType<typeof deleteSessionsOfPerson>,
  ): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      for (const { personId, personName, entered } of await remove(transaction))
        for (const projectId of entered)
          await this.#note(
            transaction,
            projectId,
            { id: personId, name: personName },
            { action: 'SIGN_OUT' },
          )
    })
    this.#found.clear()
  }

  async #enter(found: PersonInProject, person: Person, role: Role): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      if (!(await enterProject(transaction, found.id, found.projectId))) return
      const details = { by: 'oidc', role }
      await this.#note(transaction, found.projectId, person, { action: 'SIGN_IN', details })
    })
    found.entered = [...found.entered, found.projectId]
  }

  #note(
    transaction: Database,
    projectId: string,
    person: Person,
    action: Pick<Action, 'action' | 'details'>,
  ): Promise<void> {
    const { id, name } = person
    return note(transaction, projectId, personActor(person), { ...action, on: 'PERSON', id, name })
  }

  #roleIn(found: PersonInProject): Role | undefined {
    if (found.rules !== this.#options.rules || Date.parse(found.expiresAt) <= this.#now())
      return undefined
    return roleIn(found.grants, { id: found.projectId, name: found.projectName })
  }

  /** Requests for the same session share one look-up, and so continue in the order in which they came. */
  #find(id: string, projectId: string): Promise<PersonInProject | undefined> {
    const name = `${id} ${projectId}`
    const known = this.#found.get(name)
    if (known !== undefined) return forAsLong(known)
    // Others may wait for it: the time of the request that comes first is none of theirs.
    const search = withoutTimeLimit(() => findPersonInProject(this.#db, id, projectId))
    this.#found.set(name, search)
    search.catch(() => {
      if (this.#found.get(name) === search) this.#found.delete(name)
    })
    return forAsLong(search)
  }

  #read(text: string): PersonToken | undefined {
    const token = this.#tokens.read(text)
    return token !== undefined && token.expires * 1000 > this.#now() ? token : undefined
  }
}
