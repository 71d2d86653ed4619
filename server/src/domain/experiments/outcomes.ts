import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import type { Pages } from '../../lists/page.js'
import {
  findGroupsOfItems,
  findOutcomeScores,
  type OutcomeRow,
  outcomeListing,
} from '../../storage/scores/outcomes.js'
import { dollarsOf } from '../prices/money.js'
import type { StepCosts } from '../prices/step-costs.js'

const MAX_SIZE = 1000

/** Results of experiments as far as runs are compared: without the values that only a reader of one result needs. */
export class Outcomes {
  readonly #db: Database
  readonly #pages: Pages
  readonly #stepCosts: StepCosts

  constructor(db: Database, pages: Pages, stepCosts: StepCosts) {
    this.#db = db
    this.#pages = pages
    this.#stepCosts = stepCosts
  }

  async list(
    caller: Caller,
    experimentId: string,
    {
      first,
      after,
      runCosts,
    }: {
      first?: number | null | undefined
      after?: string | null | undefined
      runCosts?: boolean | null | undefined
    },
  ) {
    const { projectId } = caller
    const page = await this.#pages.read(projectId, outcomeListing, {
      first: first ?? MAX_SIZE,
      after,
      filters: [{ field: 'experimentId', operator: 'eq', value: experimentId }],
      orderBy: { column: 'createdAt', direction: 'ASC' },
    })
    const ids = page.rows.map(({ id }) => id)
    const ungrouped = page.rows.filter(({ cluster }) => cluster === null)
    const items = [...new Set(ungrouped.flatMap(({ datasetItemId }) => datasetItemId ?? []))]
    const found = items.length === 0 ? [] : await findGroupsOfItems(this.#db, projectId, items)
    const groups = new Map(found.map(({ id, group }) => [id, group]))
    const scores = new Map<string, { name: string; value: number; scorer: string | null }[]>(
      ids.map((id) => [id, []]),
    )
    if (ids.length > 0)
      for (const { of, ...score } of await findOutcomeScores(this.#db, projectId, ids))
        scores.get(of)?.push(score)
    const costs = runCosts ? await this.#costsOfRuns(caller, page.rows) : undefined
    return {
      pageInfo: {
        startCursor: page.rows[0]?.cursor ?? null,
        endCursor: page.rows.at(-1)?.cursor ?? null,
        hasNextPage: page.hasNextPage,
        hasPreviousPage: page.hasPreviousPage,
      },
      rows: page.rows.map(({ id, createdAt: _, cursor: __, experimentRunId, cluster, ...row }) => ({
        ...row,
        ...(costs === undefined ? {} : { runCost: costs.get(experimentRunId ?? '') ?? null }),
        group: cluster ?? groups.get(row.datasetItemId ?? '') ?? null,
        scores: scores.get(id) ?? [],
      })),
    }
  }

  /** Returns the dollars of the runs of results without a cost of their own, where all calls have a price. */
  async #costsOfRuns(
    caller: Caller,
    rows: readonly OutcomeRow[],
  ): Promise<ReadonlyMap<string, number>> {
    const runs = rows.flatMap(({ cost, experimentRunId }) =>
      cost === null ? (experimentRunId ?? []) : [],
    )
    const costs = await this.#stepCosts.ofRuns(caller, [...new Set(runs)])
    return new Map(
      costs.flatMap(({ id, cost, unpriced }): [string, number][] =>
        cost === null || unpriced !== 0 ? [] : [[id, dollarsOf(cost)]],
      ),
    )
  }
}
