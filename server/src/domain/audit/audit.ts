import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
import type { PageRequest, Pages } from '../../lists/page.js'
import { auditEntryListing } from '../../storage/audit/entries.js'
import { note, OPERATOR } from './entry.js'
import { concludeQuietRuns } from './runs.js'

/** The log of who did what. Those who do something note it, each in its own transaction. */
export class Audit {
  readonly #db: Database
  readonly #pages: Pages

  constructor(db: Database, pages: Pages) {
    this.#db = db
    this.#pages = pages
  }

  list({ projectId }: Pick<Caller, 'projectId'>, request: PageRequest) {
    return this.#pages.read(projectId, auditEntryListing, request)
  }

  /** Notes that the operator begins to copy the data of projects out of the service. */
  async noteCopying(
    action: 'EXPORT_PROJECT' | 'BACK_UP',
    projects: readonly { id: string; name: string }[],
  ): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      for (const { id, name } of projects)
        await note(transaction, id, OPERATOR, { action, on: 'PROJECT', id, name })
    })
  }

  /** Notes what the operator did while the service was stopped, in each project. */
  async noteLate(
    done: readonly { action: 'BACK_UP' | 'RESTORE'; at: string }[],
    projects: readonly { id: string; name: string }[],
  ): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      for (const { action, at } of done)
        for (const { id, name } of projects)
          await note(transaction, id, OPERATOR, {
            action,
            on: 'PROJECT',
            id,
            name,
            details: { at },
          })
    })
  }

  /** Notes what runs have done whose processes ended before. Returns false when nothing was to do. */
  work(): Promise<boolean> {
    return concludeQuietRuns(this.#db)
  }
}
