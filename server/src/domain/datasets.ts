import { randomUUID } from 'node:crypto'
import type {
  MutationAddGenerationsToDatasetArgs,
  MutationAddGenerationToDatasetArgs,
  MutationAddStepToDatasetArgs,
  MutationAddThreadToDatasetArgs,
  MutationCreateDatasetArgs,
  MutationCreateDatasetItemArgs,
  MutationUpdateDatasetArgs,
  MutationUpdateDatasetItemArgs,
} from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import { isTaken } from '../database/failures.js'
import { portionsOf, storeAllOrNone } from '../database/portions.js'
import type { Changes } from '../database/rows/writes.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, invalid, notFound, show } from '../kernel/errors.js'
import type { Clock } from '../kernel/instant.js'
import type { PageRequest, Pages } from '../lists/page.js'
import {
  type DatasetItemRow,
  type DatasetRow,
  datasetItemListing,
  datasetListing,
  deleteDataset,
  deleteDatasetItem,
  deleteDatasetItems,
  findDataset,
  findDatasetByName,
  findDatasetItem,
  findDatasetItems,
  insertDataset,
  insertDatasetItems,
  keepDataset,
  updateDataset,
  updateDatasetItem,
} from '../storage/datasets.js'
import { type GenerationRow, generationOf } from '../storage/generations.js'
import { holdOldData } from '../storage/retention/rules.js'
import { findDescendants, findSteps, type StepRow } from '../storage/steps.js'
import { findThreads } from '../storage/threads.js'
import { noteFor } from './audit/entry.js'
import { readConversation } from './conversations/conversation.js'
import { handOnFromItems, participantsOfCopies } from './erasure/handing-on.js'
import type { Values } from './values.js'

/** Generations that one transaction copies. */
const PORTION = { mostRows: 50, mostWeight: Number.POSITIVE_INFINITY }

type NewItem = Omit<DatasetItemRow, 'id' | 'createdAt'>

export class Datasets {
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

  async create(caller: Caller, dataset: MutationCreateDatasetArgs): Promise<DatasetRow> {
    const created = await insertDataset(this.#db, caller.projectId, {
      id: randomUUID(),
      createdAt: this.#clock(),
      name: this.#values.requiredText('name', dataset.name),
      description: this.#values.text('description', dataset.description) ?? null,
      metadata: this.#values.metadata('metadata', dataset.metadata) ?? {},
      type: dataset.type ?? 'key_value',
    })
    if (created === undefined) throw taken(dataset.name)
    return created
  }

  async update(
    caller: Caller,
    { id, name, description, metadata }: MutationUpdateDatasetArgs,
  ): Promise<DatasetRow> {
    if (name === null) throw invalid('name: expected a text, got null')
    if (name !== undefined) this.#values.requiredText('name', name)
    const changes: Changes<'datasets'> = {
      name,
      description: this.#values.text('description', description),
      metadata:
        metadata === undefined ? undefined : (this.#values.metadata('metadata', metadata) ?? {}),
    }
    const dataset = await updateDataset(this.#db, caller.projectId, id, changes).catch((error) => {
      throw isTaken(error) ? taken(String(name)) : error
    })
    if (dataset === undefined) throw notFound('dataset', id)
    return dataset
  }

  /** Returns the dataset with the id, or else with the name, and all its items; null when there is none. */
  async export(
    caller: Caller,
    { id, name }: { id?: string | undefined; name?: string | undefined },
  ): Promise<(DatasetRow & { items: DatasetItemRow[] }) | null> {
    const dataset = id
      ? await findDataset(this.#db, caller.projectId, id)
      : await findDatasetByName(this.#db, caller.projectId, name ?? '')
    if (dataset === undefined) return null
    const items = await findDatasetItems(this.#db, caller.projectId, dataset.id)
    // One that was deleted meanwhile took items with it.
    const isThere = (await findDataset(this.#db, caller.projectId, dataset.id)) !== undefined
    return isThere ? { ...dataset, items } : null
  }

  list(caller: Caller, request: PageRequest) {
    return this.#pages.read(caller.projectId, datasetListing, request)
  }

  /** Returns the dataset with the id, or else with the name; null when there is none. */
  async find(
    { projectId }: Caller,
    { id, name }: { id?: string | null | undefined; name?: string | null | undefined },
  ): Promise<DatasetRow | null> {
    if (!id && !name) throw invalid('id, name: expected one of them, got neither')
    const dataset = id
      ? await findDataset(this.#db, projectId, id)
      : await findDatasetByName(this.#db, projectId, name ?? '')
    return dataset ?? null
  }

  /** Lists the items of a dataset, oldest first. */
  listItems({ projectId }: Caller, datasetId: string, request: PageRequest) {
    return this.#pages.read(projectId, datasetItemListing, {
      ...request,
      filters: [{ field: 'datasetId', operator: 'eq', value: datasetId }],
      orderBy: { column: 'createdAt', direction: 'ASC' },
    })
  }

  async updateItem(
    { projectId }: Caller,
    { id, input, expectedOutput, metadata }: MutationUpdateDatasetItemArgs,
  ): Promise<DatasetItemRow> {
    const values = this.#values
    if (input === null) throw invalid('input: expected an object, got null')
    const item = await updateDatasetItem(this.#db, projectId, id, {
      input: input === undefined ? undefined : values.payload('input', input),
      expectedOutput:
        expectedOutput === undefined
          ? undefined
          : (values.payload('expectedOutput', expectedOutput) ?? null),
      metadata: metadata === undefined ? undefined : (values.metadata('metadata', metadata) ?? {}),
    })
    if (item === undefined) throw notFound('dataset item', id)
    return item
  }

  async delete(caller: Caller, id: string): Promise<DatasetRow> {
    return this.#db.transaction().execute(async (transaction) => {
      const deleted = await deleteDataset(transaction, caller.projectId, id)
      if (deleted === undefined) throw notFound('dataset', id)
      await handOnFromItems(transaction, caller.projectId, deleted.items)
      await noteFor(transaction, caller, {
        action: 'DELETE_DATASET',
        on: 'DATASET',
        id,
        name: deleted.dataset.name,
        details: { items: deleted.items.length },
      })
      return deleted.dataset
    })
  }

  async createItem(caller: Caller, item: MutationCreateDatasetItemArgs): Promise<DatasetItemRow> {
    const dataset = await this.#dataset(caller, item.datasetId)
    return this.#insert(caller, {
      datasetId: dataset.id,
      stepId: this.#values.id('generationId', item.generationId) ?? null,
      metadata: this.#values.metadata('metadata', item.metadata) ?? {},
      input: this.#values.payload('input', item.input),
      expectedOutput: this.#values.payload('expectedOutput', item.expectedOutput) ?? null,
      intermediarySteps: [],
    })
  }

  async addStep(
    caller: Caller,
    { datasetId, stepId, metadata }: MutationAddStepToDatasetArgs,
  ): Promise<DatasetItemRow> {
    const dataset = await this.#dataset(caller, datasetId)
    if (dataset.type === 'generation')
      throw invalid(
        `datasetId: ${show(dataset.name)} takes generations only; expected a key_value dataset`,
      )
    const step = await this.#step(caller, 'stepId', stepId)
    const below = await findDescendants(this.#db, caller.projectId, stepId)
    const item = {
      datasetId: dataset.id,
      stepId,
      metadata: this.#values.metadata('metadata', metadata) ?? {},
      input: step.input ?? {},
      expectedOutput: step.output,
      intermediarySteps: below.map(({ id, parentId, name, type, input, output }) => ({
        id,
        parentId,
        name,
        type,
        input,
        output,
      })),
    }
    return this.#insert(caller, item, [stepId, ...below.map(({ id }) => id)])
  }

  async addThread(
    caller: Caller,
    { datasetId, threadId, upToStepId, metadata }: MutationAddThreadToDatasetArgs,
  ): Promise<DatasetItemRow> {
    const { projectId } = caller
    const dataset = await this.#dataset(caller, datasetId)
    const [thread] = await findThreads(this.#db, projectId, [threadId])
    if (thread === undefined)
      throw new DomainError('NOT_FOUND', `threadId: no thread has the id ${show(threadId)}`)
    const { messages, answer, stepId, stepIds } = await readConversation(
      this.#db,
      projectId,
      { threadId, upToStepId: this.#values.id('upToStepId', upToStepId) },
      this.#values.limits.payloadBytes,
    )
    const item = {
      datasetId: dataset.id,
      stepId,
      metadata: { threadId, group: threadId, ...this.#values.metadata('metadata', metadata) },
      input: { messages },
      expectedOutput: answer,
      intermediarySteps: [],
    }
    return this.#insert(caller, item, stepIds)
  }

  async addGeneration(
    caller: Caller,
    added: MutationAddGenerationToDatasetArgs,
  ): Promise<DatasetItemRow> {
    const dataset = await this.#dataset(caller, added.datasetId)
    const step = await this.#step(caller, 'generationId', added.generationId)
    const item = itemOf(caller, dataset.id, step)
    const metadata = { ...item.metadata, ...this.#values.metadata('metadata', added.metadata) }
    return this.#insert(caller, { ...item, metadata }, [step.id])
  }

  /**
   * Adds all generations, or none when one of them cannot be added: a portion at a time, so that others take turns, and
   * when one fails, those before it are removed.
   */
  async addGenerations(
    caller: Caller,
    { datasetId, generationIds }: MutationAddGenerationsToDatasetArgs,
  ): Promise<DatasetItemRow[]> {
    const { projectId } = caller
    await this.#dataset(caller, datasetId)
    const wanted = generationIds.map((id, index) => ({ id, place: `generationIds[${index}]` }))
    return storeAllOrNone(
      portionsOf(wanted, PORTION),
      async (portion) => {
        const found = await findSteps(
          this.#db,
          projectId,
          portion.map(({ id }) => id),
        )
        const steps = new Map(found.map((step) => [step.id, step]))
        const copies = portion.map(({ id, place }) => {
          const step = steps.get(id)
          if (step === undefined) throw noStep(place, id)
          return { item: itemOf(caller, datasetId, step), copied: [id] }
        })
        return this.#insertAll(caller, datasetId, copies)
      },
      (added) =>
        this.#db.transaction().execute(async (transaction) => {
          const ids = added.map(({ id }) => id)
          await handOnFromItems(
            transaction,
            projectId,
            await deleteDatasetItems(transaction, projectId, ids),
          )
        }),
    )
  }

  async findItem(caller: Caller, id: string): Promise<DatasetItemRow | null> {
    return (await findDatasetItem(this.#db, caller.projectId, id)) ?? null
  }

  async deleteItem(caller: Caller, id: string): Promise<DatasetItemRow> {
    return this.#db.transaction().execute(async (transaction) => {
      const item = await deleteDatasetItem(transaction, caller.projectId, id)
      if (item === undefined) throw notFound('dataset item', id)
      await handOnFromItems(transaction, caller.projectId, [item])
      await noteFor(transaction, caller, {
        action: 'DELETE_DATASET_ITEM',
        on: 'DATASET_ITEM',
        id,
        details: { dataset: item.datasetId },
      })
      return item
    })
  }

  async #insert(
    caller: Caller,
    item: NewItem,
    copied: readonly string[] = [],
  ): Promise<DatasetItemRow> {
    const [row] = await this.#insertAll(caller, item.datasetId, [{ item, copied }])
    return row as DatasetItemRow
  }

  /** Stores items of a dataset, each with the participants of the steps that it is a copy of. */
  async #insertAll(
    { projectId }: Caller,
    datasetId: string,
    copies: readonly { item: NewItem; copied: readonly string[] }[],
  ): Promise<DatasetItemRow[]> {
    const rows = copies.map(({ item }) => ({
      ...item,
      id: randomUUID(),
      createdAt: this.#clock(),
    }))
    await this.#db.transaction().execute(async (db) => {
      await holdOldData(db, projectId)
      // Otherwise an item would stay that is added while its dataset is deleted.
      if ((await keepDataset(db, projectId, datasetId)) === undefined)
        throw notFound('dataset', datasetId)
      const copied = copies.map((copy) => copy.copied)
      const participants = await participantsOfCopies(db, projectId, copied)
      await insertDatasetItems(
        db,
        projectId,
        rows.map((row, index) => ({ ...row, participants: participants[index] ?? [] })),
      )
    })
    return rows
  }

  async #dataset(caller: Caller, id: string): Promise<DatasetRow> {
    const dataset = await findDataset(this.#db, caller.projectId, id)
    if (dataset === undefined) throw notFound('dataset', id)
    return dataset
  }

  async #step(caller: Caller, field: string, id: string): Promise<StepRow> {
    const [step] = await findSteps(this.#db, caller.projectId, [id])
    if (step === undefined) throw noStep(field, id)
    return step
  }
}

const noStep = (field: string, id: string) =>
  new DomainError('NOT_FOUND', `${field}: no step has the id ${show(id)}`)

const itemOf = ({ projectId }: Caller, datasetId: string, step: StepRow) => {
  const generation = generationOf(projectId, step)
  if (generation === null) throw notFound('generation', step.id)
  return {
    datasetId,
    stepId: step.id,
    metadata: describe(generation),
    ...asExample(generation),
    intermediarySteps: [],
  } satisfies NewItem
}

const taken = (name: string) =>
  new DomainError(
    'CONFLICT',
    `name: a dataset with the name ${show(name)} exists already; expected another name`,
  )

const asExample = (generation: GenerationRow) =>
  generation.type === 'CHAT'
    ? {
        input: { messages: generation.messages ?? [] },
        expectedOutput: generation.messageCompletion ?? {},
      }
    : {
        input: { prompt: generation.prompt },
        expectedOutput: generation.completion === null ? {} : { content: generation.completion },
      }

const describe = ({ type, variables, model, provider, settings, tools }: GenerationRow) => ({
  promptType: type,
  ...Object.fromEntries(
    Object.entries({ variables, model, provider, settings, tools }).filter(
      ([, value]) => value !== null,
    ),
  ),
})
