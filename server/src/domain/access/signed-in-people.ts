import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import { notFound } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import {
  deleteSessionsOfPerson,
  listPersonSessions,
  type PersonSessionRow,
} from '../../storage/access/person-sessions.js'
import { note, OPERATOR } from '../audit/entry.js'

/** The people who are signed in with the provider, for the operator. */
export class SignedInPeople {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Lists at most 1,000 sessions, the newest first. */
  list(): Promise<PersonSessionRow[]> {
    return listPersonSessions(this.#db, this.#clock())
  }

  /** Ends all sessions of a person, in each process within seconds. Returns their number. */
  async signOut(personId: string): Promise<number> {
    return inTransaction(this.#db, async (transaction) => {
      const ended = await deleteSessionsOfPerson(transaction, personId)
      const [person] = ended
      if (person === undefined) throw notFound('person who is signed in', personId)
      for (const projectId of new Set(ended.flatMap(({ entered }) => entered)))
        await note(transaction, projectId, OPERATOR, {
          action: 'SIGN_OUT',
          on: 'PERSON',
          id: personId,
          name: person.personName,
        })
      return ended.length
    })
  }
}
