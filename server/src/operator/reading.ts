import { type Database, type DatabaseLocation, openEngine } from '../database/database.js'
import { Keys } from '../domain/access/keys.js'
import { SignedInPeople } from '../domain/access/signed-in-people.js'
import { Audit } from '../domain/audit/audit.js'
import { Projects } from '../domain/projects.js'
import { createClock } from '../kernel/instant.js'
import { DEFAULT_LIMITS } from '../kernel/limits.js'
import { Pages } from '../lists/page.js'
import { type Command, type CommandResult, perform } from './commands.js'

const LOOK_MS = 10_000
/** A table or a column that an older version did not have. */
const MISSING = new Set(['42P01', '42703'])

/** Returns true when a command changes nothing. */
export const isReading = ({ verb }: Pick<Command, 'verb'>): boolean => verb === 'list'

/**
 * Executes a command that changes nothing, in a transaction that can change nothing. The database is not brought up to
 * date either: an older version of the service may be using it.
 */
export const performReading = async (
  location: DatabaseLocation,
  command: Command,
): Promise<CommandResult> => {
  const engine = await openEngine(location)
  try {
    const db = engine.connect(LOOK_MS)
    try {
      return await db
        .transaction()
        .setAccessMode('read only')
        .execute((transaction) => performOn(transaction, command))
    } finally {
      await db.destroy()
    }
  } catch (error) {
    if (!MISSING.has(String((error as NodeJS.ErrnoException).code))) throw error
    throw new Error(
      'the database is of an older version of Stepwell; start this version of the service on it first',
      { cause: error },
    )
  } finally {
    await engine.close()
  }
}

const performOn = (db: Database, command: Command): Promise<CommandResult> => {
  const clock = createClock()
  const none = () => {
    throw new Error(`${command.noun} ${command.verb} changes nothing`)
  }
  return perform(
    {
      projects: new Projects(db, clock),
      keys: new Keys(db, clock, none),
      audit: new Audit(db, new Pages(db, DEFAULT_LIMITS)),
      signedInPeople: new SignedInPeople(db, clock),
    },
    { removeAll: none },
    { signInLink: none, snapshot: none, continueImport: none, mover: undefined },
    command,
    () => true,
  )
}
