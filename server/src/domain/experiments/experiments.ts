import { randomUUID } from 'node:crypto'
import type {
  MutationCreateDatasetExperimentArgs,
  MutationCreateDatasetExperimentItemArgs,
  MutationEndDatasetExperimentArgs,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid, notFound, show } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import type { PageRequest, Pages } from '../../lists/page.js'
import { keepDataset } from '../../storage/datasets.js'
import {
  deleteExperiment,
  type ExperimentItemRow,
  type ExperimentRow,
  endExperiment,
  experimentItemListing,
  experimentListing,
  findExperiment,
  findExperimentByIdentity,
  insertExperiment,
  insertExperimentItems,
  keepExperiment,
} from '../../storage/experiments.js'
import { noteFor } from '../audit/entry.js'
import { handOnFromResults } from '../erasure/handing-on.js'
import { Scores } from '../scores.js'
import { isObject, type Values } from '../values.js'
import { keepItems } from './kept-items.js'
import { readMeasures } from './measures.js'

/** Items that a request may name. */
const MAX_ITEM_IDS = 1000

export class Experiments {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, pages: Pages, values: Values, clock: Clock) {
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#clock = clock
  }

  list({ projectId }: Caller, request: PageRequest, datasetId: string | null | undefined) {
    return this.#pages.read(projectId, experimentListing, {
      ...request,
      filters: datasetId == null ? [] : [{ field: 'datasetId', operator: 'eq', value: datasetId }],
    })
  }

  async find({ projectId }: Caller, id: string): Promise<ExperimentRow | null> {
    return (await findExperiment(this.#db, projectId, id)) ?? null
  }

  /** Lists the results of an experiment, oldest first; those on some items alone when they are given. */
  listItems(
    { projectId }: Caller,
    experimentId: string,
    request: PageRequest,
    items: Readonly<
      Partial<Record<'datasetItemIds' | 'keys', readonly string[] | null | undefined>>
    > = {},
  ) {
    const only = (['datasetItemIds', 'keys'] as const).flatMap((field) => {
      const value = items[field]
      if (value == null) return []
      if (value.length > MAX_ITEM_IDS)
        throw invalid(`${field}: expected at most ${MAX_ITEM_IDS}, got ${value.length}`)
      return [{ field, operator: 'in' as const, value: [...value] }]
    })
    return this.#pages.read(projectId, experimentItemListing, {
      ...request,
      filters: [{ field: 'experimentId', operator: 'eq', value: experimentId }, ...only],
      orderBy: { column: 'createdAt', direction: 'ASC' },
    })
  }

  /** Lists the results of all experiments on an item of a dataset, newest first. */
  listResults({ projectId }: Caller, datasetItemId: string, request: PageRequest) {
    return this.#pages.read(projectId, experimentItemListing, {
      ...request,
      filters: [{ field: 'datasetItemId', operator: 'eq', value: datasetItemId }],
      orderBy: { column: 'createdAt', direction: 'DESC' },
    })
  }

  /** Notes the end of a run. Returns null when there is no such experiment. */
  async end(
    { projectId }: Caller,
    { id, status, problem }: MutationEndDatasetExperimentArgs,
  ): Promise<ExperimentRow | null> {
    const told = { id, status, problem: this.#values.text('problem', problem) ?? null }
    return (await endExperiment(this.#db, projectId, told)) ?? null
  }

  /** Returns null when there is no such experiment. */
  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    const { projectId } = caller
    return this.#db.transaction().execute(async (transaction) => {
      const deleted = await deleteExperiment(transaction, projectId, id)
      if (deleted === undefined) return null
      const { name, results } = deleted
      await handOnFromResults(transaction, projectId, results)
      await noteFor(transaction, caller, {
        action: 'DELETE_EXPERIMENT',
        on: 'EXPERIMENT',
        id,
        name,
        details: { results: results.length },
      })
      return { id }
    })
  }

  async create(
    caller: Caller,
    experiment: MutationCreateDatasetExperimentArgs,
  ): Promise<ExperimentRow> {
    const values = this.#values
    const datasetId = values.id('datasetId', experiment.datasetId) ?? null
    const { params } = experiment
    if (params !== null && params !== undefined && !isObject(params) && !Array.isArray(params))
      throw invalid(`params: expected an object or a list, got ${show(params)}`)
    const row = {
      id: randomUUID(),
      createdAt: this.#clock(),
      name: values.requiredText('name', experiment.name),
      datasetId,
      // Kept as it was sent: samples of the old platform send a version's id in place of a variant's.
      promptExperimentId:
        values.id('promptExperimentId', experiment.promptExperimentId) ??
        values.id('promptId', experiment.promptId) ??
        null,
      params: values.payload('params', params) ?? null,
      identity: values.id('identity', experiment.identity) ?? null,
      status: null,
      problem: null,
    }
    for (;;) {
      const isStored = await this.#db.transaction().execute(async (db) => {
        if (
          datasetId !== null &&
          (await keepDataset(db, caller.projectId, datasetId)) === undefined
        )
          throw notFound('dataset', datasetId)
        return insertExperiment(db, caller.projectId, row)
      })
      if (isStored || row.identity === null) return row
      const first = await findExperimentByIdentity(this.#db, caller.projectId, row.identity)
      if (first !== undefined) return first
      // The one that was first has been deleted meanwhile.
    }
  }

  async createItem(
    caller: Caller,
    item: MutationCreateDatasetExperimentItemArgs,
  ): Promise<ExperimentItemRow> {
    const values = this.#values
    const datasetItemId = values.id('datasetItemId', item.datasetItemId) ?? null
    const row = {
      id: randomUUID(),
      createdAt: this.#clock(),
      datasetExperimentId: item.datasetExperimentId,
      datasetItemId,
      // The run is stored after the item, so there is nothing to check it against.
      experimentRunId: values.id('experimentRunId', item.experimentRunId) ?? null,
      input: values.payload('input', item.input) ?? null,
      expectedOutput: null,
      output: values.payload('output', item.output) ?? null,
      key: null,
      repetition: null,
      error: values.text('error', item.error) ?? null,
      cluster: null,
      ...readMeasures('', item),
    }
    const scores = (item.scores ?? []).map((score, index) => {
      const { datasetExperimentItemId } = score
      if (datasetExperimentItemId != null && datasetExperimentItemId !== '')
        throw invalid(
          `scores[${index}].datasetExperimentItemId: expected nothing, as the item is new`,
        )
      return { ...score, datasetExperimentItemId: row.id }
    })
    await this.#db.transaction().execute(async (transaction) => {
      // Otherwise a result would stay that comes while its experiment is deleted.
      if (!(await keepExperiment(transaction, caller.projectId, row.datasetExperimentId)))
        throw notFound('experiment', row.datasetExperimentId)
      await keepItems(transaction, caller, [row])
      await insertExperimentItems(transaction, caller.projectId, [row])
      await new Scores(transaction, this.#pages, values, this.#clock).createAll(caller, scores)
    })
    return row
  }
}
