import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import type { Pages } from '../../lists/page.js'
import {
  findGroupsOfItems,
  findOutcomeScores,
  outcomeListing,
} from '../../storage/scores/outcomes.js'

const MAX_SIZE = 1000

/** Results of experiments as far as runs are compared: without the values that only a reader of one result needs. */
export class Outcomes {
  readonly #db: Database
  readonly #pages: Pages

  constructor(db: Database, pages: Pages) {
    this.#db = db
    this.#pages = pages
  }

  async list(
    { projectId }: Caller,
    experimentId: string,
    { first, after }: { first?: number | null | undefined; after?: string | null | undefined },
  ) {
    const page = await this.#pages.read(projectId, outcomeListing, {
      first: first ?? MAX_SIZE,
      after,
      filters: [{ field: 'experimentId', operator: 'eq', value: experimentId }],
      orderBy: { column: 'createdAt', direction: 'ASC' },
    })
    const ids = page.rows.map(({ id }) => id)
    const items = [...new Set(page.rows.flatMap(({ datasetItemId }) => datasetItemId ?? []))]
    const found = items.length === 0 ? [] : await findGroupsOfItems(this.#db, projectId, items)
    const groups = new Map(found.map(({ id, group }) => [id, group]))
    const scores = new Map<string, { name: string; value: number; scorer: string | null }[]>(
      ids.map((id) => [id, []]),
    )
    if (ids.length > 0)
      for (const { of, ...score } of await findOutcomeScores(this.#db, projectId, ids))
        scores.get(of)?.push(score)
    return {
      pageInfo: {
        startCursor: page.rows[0]?.cursor ?? null,
        endCursor: page.rows.at(-1)?.cursor ?? null,
        hasNextPage: page.hasNextPage,
        hasPreviousPage: page.hasPreviousPage,
      },
      rows: page.rows.map(({ id, createdAt: _, cursor: __, ...row }) => ({
        ...row,
        group: groups.get(row.datasetItemId ?? '') ?? null,
        scores: scores.get(id) ?? [],
      })),
    }
  }
}
