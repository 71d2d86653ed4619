// Datasets, experiments and prompts: of these the service chooses the ids, and an import finds again what it has made.
import { CreatePromptVersionDocument } from '../../../generated/operations.js'
import type { DatasetItemInput } from '../../api/datasets/items.js'
import type { ExperimentResultInput } from '../../api/leases.js'
import { StepwellError } from '../../errors.js'
import { withoutValue } from './report.js'
import { isOfContent, type Target } from './target.js'
import { isFields } from './values.js'

/** The member of an item's metadata that names its record in the source. */
const ORIGIN = 'imported'

interface NewDataset {
  id: string
  name: string
  description?: string | undefined
  metadata?: Record<string, unknown>
  type?: 'key_value' | 'generation'
}

interface NewItem extends Omit<DatasetItemInput, 'metadata'> {
  id: string
  metadata: Record<string, unknown>
}

const PAGE = 200
const MAX_RESULTS = 200
/** Failures of one item in a row; between them the service has answered. */
const MAX_FAILURES = 20
const LEASE_SECONDS = 600

export class Catalogue {
  readonly #target: Target
  readonly #product: string

  constructor(target: Target, product: string) {
    this.#target = target
    this.#product = product
  }

  /**
   * Returns the id of the dataset of a name, which is created when there is none, and a function that adds an item unless an
   * earlier import has: it returns the id of the item.
   */
  async dataset(dataset: NewDataset): Promise<
    | {
        id: string
        add: (item: NewItem) => Promise<string | undefined>
        itemOf: ReadonlyMap<string, string>
      }
    | undefined
  > {
    const { api, report } = this.#target
    const { id: source, ...rest } = dataset
    const find = async () => (await api.getDatasets()).find(({ name }) => name === dataset.name)
    const metadata = { ...dataset.metadata, [ORIGIN]: this.#origin(source) }
    const made =
      (await find()) ??
      (await this.#target.orDropped('datasets', source, () =>
        api.createDataset({ ...rest, metadata }).catch(async (error) => {
          // Created meanwhile: by a request whose answer was lost, or by another import.
          const found = await find()
          if (found === undefined) throw error
          return found
        }),
      ))
    if (made === undefined) return undefined
    report.kept('datasets')
    const datasetId = made.id
    const items = new Map<string, string>()
    const readItems = async () => {
      for await (const { id, metadata } of api.getDatasetItems.all({ datasetId, first: PAGE })) {
        const origin = isFields(metadata) ? metadata[ORIGIN] : undefined
        if (isFields(origin) && origin.from === this.#product && typeof origin.id === 'string')
          items.set(origin.id, id)
      }
    }
    await readItems()
    return {
      id: datasetId,
      itemOf: items,
      add: async ({ id: itemSource, ...item }) => {
        const metadata = { ...item.metadata, [ORIGIN]: this.#origin(itemSource) }
        for (let failures = 0; !items.has(itemSource); )
          try {
            const added = await this.#target.orDropped('dataset items', itemSource, () =>
              api.createDatasetItem(datasetId, { ...item, metadata }),
            )
            if (added === undefined) return undefined
            items.set(itemSource, added.id)
          } catch (error) {
            if (!StepwellError.is(error) || !error.retryable || ++failures > MAX_FAILURES)
              throw error
            // The service may have it, and its answer was lost: a repetition would be another item.
            await readItems()
          }
        report.kept('dataset items')
        return items.get(itemSource)
      },
    }
  }

  #origin(id: string) {
    return { from: this.#product, id }
  }

  /** Creates the experiment of a run unless an earlier import has, and returns its id. */
  async experiment(experiment: {
    id: string
    name: string
    datasetId: string | undefined
    params: Record<string, unknown>
  }): Promise<string | undefined> {
    const { id, ...rest } = experiment
    const made = await this.#target.orDropped('experiments', id, () =>
      this.#target.api.createExperiment({ ...rest, identity: `${this.#product}:${id}` }),
    )
    if (made !== undefined) this.#target.report.kept('experiments')
    return made?.id
  }

  /** Stores results of an experiment that it does not have, and returns the id of each by its key. */
  async results(
    datasetExperimentId: string,
    given: readonly ExperimentResultInput[],
  ): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>()
    const unique = [...new Map(given.map((result) => [result.key, result])).values()]
    for (let from = 0; from < unique.length; from += MAX_RESULTS)
      await this.#results(datasetExperimentId, unique.slice(from, from + MAX_RESULTS), ids)
    return ids
  }

  async #results(
    datasetExperimentId: string,
    items: readonly ExperimentResultInput[],
    ids: Map<string, string>,
  ): Promise<void> {
    const { api, report } = this.#target
    const holder = `import from ${this.#product}`
    const places = items.map(({ key, repetition }) => ({ key, repetition }))
    try {
      // The same holder each time: an import that was ended has no lease that keeps the next one out.
      await api.leaseExperimentItems({
        datasetExperimentId,
        holder,
        items: places,
        seconds: LEASE_SECONDS,
      })
      const { refusedScores } = await api.createExperimentItems({
        datasetExperimentId,
        holder,
        items,
      })
      const scores = items.reduce((sum, { scores }) => sum + (scores?.length ?? 0), 0)
      if (scores > 0) report.kept('experiment scores', scores - refusedScores.length)
      for (const { resultIndex, message } of refusedScores)
        report.dropped('experiment scores', withoutValue(message), items[resultIndex]?.key)
    } catch (error) {
      if (!isOfContent(error)) throw error
      const [only] = items
      if (items.length === 1 && only !== undefined) {
        report.dropped('experiment results', withoutValue(error.message), only.key)
        return
      }
      const middle = Math.ceil(items.length / 2)
      await this.#results(datasetExperimentId, items.slice(0, middle), ids)
      await this.#results(datasetExperimentId, items.slice(middle), ids)
      return
    }
    report.kept('experiment results', items.length)
    const { datasetExperiment } = await this.#target.query<
      {
        datasetExperiment: {
          items: { edges: { node: { id: string; key: string | null } }[] }
        } | null
      },
      { id: string; keys: string[] }
    >(RESULTS, { id: datasetExperimentId, keys: items.map(({ key }) => key) })
    for (const { node } of datasetExperiment?.items.edges ?? [])
      if (node.key !== null) ids.set(node.key, node.id)
  }

  /** Returns a prompt that versions are added to, from the oldest to the newest. */
  async prompt(name: string, description?: string): Promise<ImportedPrompt | undefined> {
    const lineage = await this.#target.orDropped('prompts', name, async () =>
      accepted(await this.#target.api.createPromptLineage(name, description), 'name'),
    )
    return lineage && new ImportedPrompt(this.#target, name, lineage.id)
  }
}

/** Returns what a service made; it answers null where it makes nothing. */
const accepted = <Made>(made: Made | null, field: string): Made => {
  if (made !== null) return made
  throw new StepwellError(`${field}: expected another one`, { code: 'INVALID_ARGUMENT' })
}

const RESULTS = `query ImportedResults($id: String!, $keys: [String!]!) {
  datasetExperiment(id: $id) { items(first: 1000, keys: $keys) { edges { node { id key } } } }
}`

/** A version of a prompt in the source. */
interface NewVersion {
  /** Its name in the source, such as its number. */
  name: string
  templateMessages: unknown
  settings?: Record<string, unknown> | undefined
  tools?: unknown
  versionDesc?: string | undefined
  variablesDefaultValues?: unknown
}

export class ImportedPrompt {
  readonly #target: Target
  readonly #name: string
  readonly #lineageId: string
  /** The versions here, by their names in the source. */
  readonly versions = new Map<string, { id: string; version: number }>()

  constructor(target: Target, name: string, lineageId: string) {
    this.#target = target
    this.#name = name
    this.#lineageId = lineageId
  }

  async add({
    name,
    ...version
  }: NewVersion): Promise<{ id: string; version: number } | undefined> {
    const { report } = this.#target
    const place = `${this.#name} ${name}`
    const stored = await this.#target.orDropped('prompt versions', place, async () => {
      const variables = { lineageId: this.#lineageId, ...version }
      const answer = await this.#target.query(CreatePromptVersionDocument, variables)
      return accepted(answer.createPromptVersion, 'prompt')
    })
    if (stored === undefined) return undefined
    const { id, version: number } = stored
    if ([...this.versions.values()].some((one) => one.id === id))
      report.changed(
        'prompt versions',
        'equal to an older version of the prompt: both are one',
        place,
      )
    else if (name !== String(number))
      report.changed('prompt versions', 'another number, as the service counts from 0', place)
    const made = { id, version: number }
    this.versions.set(name, made)
    report.kept('prompt versions')
    return made
  }

  /** Sets labels that the prompt does not have; those that it has may have been moved since. */
  async label(labels: ReadonlyMap<string, string>): Promise<void> {
    const { api, report } = this.#target
    const set = new Map(
      ((await api.getPromptLabels(this.#name)) ?? []).map(({ name, version }) => [name, version]),
    )
    for (const [label, name] of labels) {
      report.read('prompt labels')
      const target = this.versions.get(name)
      const place = `${this.#name} ${label}`
      const held = set.get(label)
      if (target === undefined) report.dropped('prompt labels', 'its version was dropped', place)
      else if (held !== undefined && held !== target.version)
        report.dropped('prompt labels', 'the prompt has it already, on another version', place)
      else {
        const isSet = await this.#target.orDropped('prompt labels', place, async () => {
          if (held === undefined)
            await api.setPromptLabel({ name: this.#name, label, version: target.version })
          return true
        })
        if (isSet) report.kept('prompt labels')
      }
    }
  }

  /** Sends the calls of a prompt to its versions by weights, unless its split was set before. */
  async split(rollouts: readonly { name: string; rollout: number }[]): Promise<void> {
    const { api, report } = this.#target
    const known = rollouts.flatMap(({ name, rollout }) => {
      const version = this.versions.get(name)
      return version === undefined ? [] : [{ version: version.version, rollout }]
    })
    if (known.length === 0) return
    const before = (await api.getPromptAbTesting(this.#name)) ?? []
    const isFirst = before.length === 0 || (before.length === 1 && before[0]?.version === 0)
    const same =
      JSON.stringify(before.map(({ version, rollout }) => ({ version, rollout }))) ===
      JSON.stringify(known)
    if (same) return
    if (!isFirst) {
      report.changed('prompts', 'its calls go where the service sends them already', this.#name)
      return
    }
    const sums = new Map<number, number>()
    for (const { version, rollout } of known) sums.set(version, (sums.get(version) ?? 0) + rollout)
    await api.updatePromptAbTesting(
      this.#name,
      [...sums].map(([version, rollout]) => ({ version, rollout })),
    )
  }
}
