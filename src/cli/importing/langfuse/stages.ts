import type { ScoreKind } from '../../../../generated/schema.js'
import { Catalogue, type ImportedPrompt } from '../catalogue.js'
import type { Work } from '../source.js'
import { type Fields, isFields, listOf, numberOf, present, textOf, toPayload } from '../values.js'
import type { Links } from './links.js'
import { inCamelCase, LangfuseMapping, observationStepId } from './mapping.js'

const KINDS: ReadonlyMap<string, ScoreKind> = new Map<string, ScoreKind>([
  ['BOOLEAN', 'BOOLEAN'],
  ['CATEGORICAL', 'CATEGORY'],
])

/** Stores records of Langfuse, wherever they were read. */
export class LangfuseStore {
  readonly #work: Work
  readonly #links: Links
  readonly #mapping: LangfuseMapping
  readonly #catalogue: Catalogue
  readonly #datasets = new Map<string, Awaited<ReturnType<Catalogue['dataset']>>>()

  constructor(work: Work, links: Links) {
    this.#work = work
    this.#links = links
    this.#mapping = new LangfuseMapping(work.report, links)
    this.#catalogue = new Catalogue(work.target, 'langfuse')
  }

  async traces(traces: readonly Fields[]): Promise<void> {
    await this.#store(traces.map((trace) => this.#mapping.trace(inCamelCase(trace))))
  }

  /** Stores observations; those of a source without traces say what their traces are. */
  async observations(observations: readonly Fields[], tellTraces = false): Promise<void> {
    const all = observations.map(inCamelCase)
    if (tellTraces) await this.#store(all.map((one) => this.#mapping.traceOf(one)))
    await this.#store(all.map((one) => this.#mapping.observation(one)))
  }

  async scores(scores: readonly Fields[]): Promise<void> {
    const sent = scores.map((score) => this.#mapping.score(inCamelCase(score)))
    await this.#work.target.sendScores(sent.filter((score) => score !== undefined))
  }

  async #store(mapped: readonly ReturnType<LangfuseMapping['trace']>[]): Promise<void> {
    const all = mapped.filter((one) => one !== undefined)
    await this.#work.target.send({
      threads: all.flatMap(({ threads }) => threads),
      steps: all.flatMap(({ steps }) => steps),
    })
  }

  /** Defines scores that the project has no definition of. */
  async scoreConfigs(configs: readonly Fields[]): Promise<void> {
    const { report, target } = this.#work
    const defined = new Set((await target.api.getScoreDefinitions()).map(({ name }) => name))
    for (const config of configs) {
      report.read('score definitions')
      const name = textOf(config.name)
      const dataType = textOf(config.dataType)
      if (name === undefined || dataType === 'TEXT') {
        report.dropped(
          'score definitions',
          name === undefined ? 'name: expected a text' : 'dataType TEXT: a score has a number',
          textOf(config.id),
        )
        continue
      }
      const labels = listOf(config.categories).flatMap((category) => {
        const label = textOf(category.label)
        const value = numberOf(category.value)
        return label === undefined || value === undefined ? [] : [{ label, value }]
      })
      for (const { label, value } of labels) this.#links.noteValue(name, label, value)
      if (config.isArchived === true) {
        report.dropped('score definitions', 'archived', name)
        continue
      }
      const isKept =
        defined.has(name) ||
        (await target.orDropped('score definitions', name, () =>
          target.api.setScoreDefinition({
            name,
            kind: KINDS.get(dataType ?? '') ?? 'NUMBER',
            ...present({
              description: textOf(config.description),
              min: numberOf(config.minValue),
              max: numberOf(config.maxValue),
              labels: dataType === 'CATEGORICAL' ? labels : undefined,
            }),
          }),
        )) !== undefined
      if (isKept) report.kept('score definitions')
    }
  }

  /** Stores the versions of a prompt, from the oldest to the newest, with its labels. */
  async prompt(name: string, versions: readonly Fields[]): Promise<void> {
    const { report } = this.#work
    report.read('prompts')
    const prompt = await this.#catalogue.prompt(name)
    if (prompt === undefined) return
    report.kept('prompts')
    const sorted = versions.toSorted(
      (a, b) => (numberOf(a.version) ?? 0) - (numberOf(b.version) ?? 0),
    )
    const labels = new Map<string, string>()
    for (const version of sorted) {
      await this.#version(prompt, name, version)
      for (const label of Array.isArray(version.labels) ? version.labels : [])
        if (typeof label === 'string') labels.set(label, String(version.version))
    }
    const newest = String(sorted.at(-1)?.version)
    const production = labels.get('production') ?? newest
    // Langfuse moves it by itself to each new version.
    if (labels.delete('latest'))
      report.changed('prompts', 'latest: no label, as it would stay behind the next version', name)
    await prompt.label(labels)
    await prompt.split([{ name: production, rollout: 1 }])
  }

  async #version(prompt: ImportedPrompt, name: string, version: Fields): Promise<void> {
    const { report } = this.#work
    report.read('prompt versions')
    const number = numberOf(version.version)
    const place = `${name} ${String(version.version)}`
    if (number === undefined) {
      report.dropped('prompt versions', 'version: expected a number', place)
      return
    }
    const given = version.prompt
    const isText = typeof given === 'string'
    if (!isText && !Array.isArray(given)) {
      report.dropped('prompt versions', 'prompt: expected a text or messages', place)
      return
    }
    if (isText) report.changed('prompt versions', 'a text: one message of the user', place)
    const messages = isText
      ? [{ role: 'user', content: given }]
      : listOf(given).map((message) => placed(message))
    if (!isText && listOf(given).some(isPlaceholder))
      report.changed(
        'prompt versions',
        'a placeholder of messages: a message with its name as a variable',
        place,
      )
    if (Object.keys(present({ tags: version.tags })).length > 0)
      report.changed('prompt versions', 'tags: left out, as prompts have none', place)
    const made = await prompt.add({
      name: String(number),
      templateMessages: messages,
      settings: isFields(version.config) ? { ...version.config } : undefined,
      versionDesc: textOf(version.commitMessage),
    })
    if (made !== undefined) this.#links.notePrompt(name, number, made.id)
  }

  /** Stores a dataset and returns a function that stores items of it. */
  async dataset(dataset: Fields): Promise<void> {
    const { report } = this.#work
    report.read('datasets')
    const name = textOf(dataset.name)
    const id = textOf(dataset.id)
    if (name === undefined || id === undefined) {
      report.dropped('datasets', 'id, name: expected texts', id)
      return
    }
    for (const field of ['inputSchema', 'expectedOutputSchema'])
      if (dataset[field]) report.changed('datasets', `${field}: kept as metadata.${field}`, id)
    const { inputSchema, expectedOutputSchema } = dataset
    const made = await this.#catalogue.dataset({
      id,
      name,
      ...present({ description: textOf(dataset.description) }),
      metadata: {
        ...toPayload(dataset.metadata),
        ...present({ inputSchema, expectedOutputSchema }),
      },
    })
    this.#datasets.set(id, made)
  }

  async items(items: readonly Fields[]): Promise<void> {
    const { report } = this.#work
    for (const item of items) {
      report.read('dataset items')
      const id = textOf(item.id)
      const dataset = this.#datasets.get(textOf(item.datasetId) ?? '')
      if (id === undefined || dataset === undefined) {
        report.dropped(
          'dataset items',
          id === undefined
            ? 'id: expected a text'
            : 'its dataset is not in the source, or was dropped',
          id,
        )
        continue
      }
      for (const part of ['input', 'expectedOutput'] as const)
        if (item[part] !== undefined && item[part] !== null && !isFields(item[part]))
          report.changed('dataset items', `${part}: no object, so {content} or {value}`, id)
      const { sourceTraceId, sourceObservationId, status } = item
      await dataset.add({
        id,
        input: toPayload(item.input) ?? {},
        expectedOutput: toPayload(item.expectedOutput) ?? null,
        metadata: {
          ...toPayload(item.metadata),
          ...present({
            sourceTraceId,
            sourceObservationId,
            status: status === 'ACTIVE' ? undefined : status,
          }),
        },
      })
    }
  }

  /** Stores a run of a dataset with its items. */
  async run(run: Fields, items: readonly Fields[]): Promise<void> {
    const { report } = this.#work
    report.read('experiments')
    const id = textOf(run.id)
    if (id === undefined) {
      report.dropped('experiments', 'id: expected a text')
      return
    }
    const dataset = this.#datasets.get(textOf(run.datasetId) ?? '')
    const experimentId = await this.#catalogue.experiment({
      id,
      name: textOf(run.name) ?? id,
      datasetId: dataset?.id,
      params: present({
        ...toPayload(run.metadata),
        description: run.description,
        createdAt: run.createdAt,
      }),
    })
    if (experimentId === undefined) return
    const steps = new Map<string, string>()
    const results = items.flatMap((item) => {
      report.read('experiment results')
      const key = textOf(item.id)
      const traceId = textOf(item.traceId)
      if (key === undefined || traceId === undefined) {
        report.dropped('experiment results', 'id, traceId: expected texts', key)
        return []
      }
      const observationId = textOf(item.observationId)
      steps.set(
        key,
        observationId === undefined ? traceId : observationStepId(traceId, observationId),
      )
      return [
        {
          key,
          repetition: 1,
          experimentRunId: steps.get(key),
          datasetItemId: dataset?.itemOf.get(textOf(item.datasetItemId) ?? ''),
        },
      ]
    })
    for (const [key, resultId] of await this.#catalogue.results(experimentId, results)) {
      const step = steps.get(key)
      if (step !== undefined) this.#links.noteResult(step, resultId)
    }
  }
}

const isPlaceholder = ({ type, role }: Fields): boolean =>
  type === 'placeholder' || role === undefined

/** Returns a message; a place for messages is a message with a variable of its name. */
const placed = (message: Fields): Record<string, unknown> => {
  if (isPlaceholder(message))
    return { role: 'user', content: `{{${textOf(message.name) ?? 'messages'}}}` }
  const { type: _, ...rest } = message
  return rest
}
