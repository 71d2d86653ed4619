import { StepwellError } from '../../../errors.js'
import { Catalogue } from '../catalogue.js'
import type { Source, Stage, Work } from '../source.js'
import {
  type Fields,
  grouped,
  isFields,
  listOf,
  numberOf,
  present,
  textOf,
  toPayload,
} from '../values.js'
import { SourceError, type WebSource } from '../web-source.js'
import { isAnnotation, toScore } from './annotations.js'
import { sendSpans, toOtlp } from './spans.js'

const SPANS_OF_PAGE = 200
const ROWS_OF_PAGE = 100
/** Ids that are in the URL of one request. */
const IDS_AT_ONCE = 100

interface Page {
  records: Fields[]
  next: string | undefined
}

const noPage = (path: string) =>
  new StepwellError(`expected a page of ${path}; is the source Phoenix?`, { code: 'NETWORK' })

const pageOf = async (
  web: WebSource,
  path: string,
  query: Parameters<WebSource['get']>[1],
): Promise<Page> => {
  const answer = await web.get(path, query)
  if (!isFields(answer) || !Array.isArray(answer.data)) throw noPage(path)
  return { records: listOf(answer.data), next: textOf(answer.next_cursor) }
}

/** Walks over a list from a cursor. A source that repeats a page would never end. */
async function* pages(
  web: WebSource,
  path: string,
  query: Parameters<WebSource['get']>[1],
  from?: string,
): AsyncGenerator<Page> {
  let cursor = from
  for (;;) {
    const page = await pageOf(web, path, { ...query, ...(cursor === undefined ? {} : { cursor }) })
    if (page.next !== undefined && page.next === cursor)
      throw new StepwellError(`the source answers ${path} with the same page again`, {
        code: 'NETWORK',
      })
    yield page
    if (page.next === undefined) return
    cursor = page.next
  }
}

/** Reads a list as a whole; nothing when the source does not have it, as older versions. */
const all = async (web: WebSource, path: string, query: Parameters<WebSource['get']>[1] = {}) => {
  const found: Fields[] = []
  try {
    for await (const { records } of pages(web, path, query)) found.push(...records)
  } catch (error) {
    if (!(error instanceof SourceError) || ![404, 405].includes(error.status ?? 0)) throw error
  }
  return found
}

/** Reads Phoenix by its REST API. */
export const phoenixApi =
  (web: WebSource, names: readonly string[]): Source =>
  async (work) => {
    const catalogue = new Catalogue(work.target, 'phoenix')
    const projects: Fields[] = []
    const query = { limit: ROWS_OF_PAGE, include_experiment_projects: 'true' }
    for await (const { records } of pages(web, '/v1/projects', query)) projects.push(...records)
    for (const name of names)
      if (!projects.some((project) => project.name === name))
        throw new StepwellError(`--projects: the source has no project ${JSON.stringify(name)}`, {
          code: 'INVALID_ARGUMENT',
        })
    const chosen = projects.filter(({ name }) => names.length === 0 || names.includes(String(name)))
    return [
      ...chosen.map((project) =>
        spansOf(work, web, textOf(project.id) ?? '', String(project.name)),
      ),
      {
        name: 'datasets',
        run: async function* () {
          for (const dataset of await all(web, '/v1/datasets', { limit: ROWS_OF_PAGE })) {
            await storeDataset(work, web, catalogue, dataset)
            yield undefined
          }
        },
      },
      {
        name: 'prompts',
        run: async function* () {
          for (const prompt of await all(web, '/v1/prompts', { limit: ROWS_OF_PAGE })) {
            await storePrompt(work, web, catalogue, prompt)
            yield undefined
          }
        },
      },
    ]
  }

/** The spans of a project with the annotations of each page. */
const spansOf = (work: Work, web: WebSource, id: string, name: string): Stage => ({
  name: `spans of ${name}`,
  run: async function* (from) {
    const path = `/v1/projects/${encodeURIComponent(id)}`
    const asked = new Set<string>()
    for await (const { records, next } of pages(
      web,
      `${path}/spans`,
      { limit: SPANS_OF_PAGE },
      textOf(from),
    )) {
      work.report.read('spans', records.length)
      const spans = records.map((record) => toOtlp(record, work))
      await sendSpans(work, spans)
      const traces = new Map(spans.map(({ spanId, traceId }) => [spanId, traceId]))
      // Annotations of a trace come with its root.
      const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
      const sessions = new Map<string, string>()
      for (const record of records) {
        const session = textOf(
          isFields(record.attributes) ? record.attributes['session.id'] : undefined,
        )
        const { trace_id: traceId } = isFields(record.context) ? record.context : ({} as Fields)
        if (session !== undefined) sessions.set(String(traceId), session)
      }
      const newSessions = [...new Set(sessions.values())].filter((session) => !asked.has(session))
      for (const session of newSessions) asked.add(session)
      const annotations = [
        ...(await annotationsOf(web, path, 'span', [...traces.keys()])),
        ...(await annotationsOf(
          web,
          path,
          'trace',
          roots.map(({ traceId }) => traceId),
        )),
        ...(await annotationsOf(web, path, 'session', newSessions)),
      ]
      const scores = annotations.filter(isAnnotation).map((annotation) =>
        toScore(annotation, work, {
          traceOf: (spanId) => traces.get(spanId),
          threadOf: (traceId) => sessions.get(traceId) ?? traceId,
        }),
      )
      await work.target.sendScores(scores.filter((score) => score !== undefined))
      if (next !== undefined) yield next
    }
  },
})

const annotationsOf = async (
  web: WebSource,
  project: string,
  kind: 'span' | 'trace' | 'session',
  ids: readonly string[],
): Promise<Fields[]> => {
  const found: Fields[] = []
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE)
    const query = { [`${kind}_ids`]: some, limit: ROWS_OF_PAGE }
    found.push(...(await all(web, `${project}/${kind}_annotations`, query)))
  }
  return found
}

const storeDataset = async (
  { report }: Work,
  web: WebSource,
  catalogue: Catalogue,
  dataset: Fields,
): Promise<void> => {
  report.read('datasets')
  const id = textOf(dataset.id)
  const name = textOf(dataset.name)
  if (id === undefined || name === undefined) {
    report.dropped('datasets', 'id, name: expected texts', id)
    return
  }
  const made = await catalogue.dataset({
    id,
    name,
    ...present({ description: textOf(dataset.description) }),
    metadata: toPayload(dataset.metadata) ?? {},
  })
  if (made === undefined) return
  const path = `/v1/datasets/${encodeURIComponent(id)}`
  const answer = await web.get(`${path}/examples`)
  const data = isFields(answer) && isFields(answer.data) ? answer.data : {}
  if (!Array.isArray(data.examples)) throw noPage(`${path}/examples`)
  if (textOf(data.version_id) !== undefined)
    report.changed('datasets', 'older versions of its examples: left out', name)
  for (const example of listOf(data.examples)) {
    report.read('dataset items')
    const exampleId = textOf(example.id)
    if (exampleId === undefined) {
      report.dropped('dataset items', 'id: expected a text')
      continue
    }
    const { source } = example
    await made.add({
      id: exampleId,
      input: toPayload(example.input) ?? {},
      expectedOutput: toPayload(example.output) ?? null,
      metadata: {
        ...toPayload(example.metadata),
        ...present({ sourceSpanId: isFields(source) ? source.span_id : undefined }),
      },
    })
  }
  for (const experiment of await all(web, `${path}/experiments`, { limit: ROWS_OF_PAGE }))
    await storeExperiment(report, web, catalogue, experiment, made)
}

const storeExperiment = async (
  report: Work['report'],
  web: WebSource,
  catalogue: Catalogue,
  experiment: Fields,
  dataset: { id: string; itemOf: ReadonlyMap<string, string> },
): Promise<void> => {
  report.read('experiments')
  const id = textOf(experiment.id)
  if (id === undefined) {
    report.dropped('experiments', 'id: expected a text')
    return
  }
  const name = textOf(experiment.name) ?? id
  const { description, created_at: createdAt } = experiment
  const made = await catalogue.experiment({
    id,
    name,
    datasetId: dataset.id,
    params: present({ ...toPayload(experiment.metadata), description, createdAt }),
  })
  if (made === undefined) return
  let rows: unknown
  try {
    rows = await web.get(`/v1/experiments/${encodeURIComponent(id)}/json`)
  } catch (error) {
    // Phoenix says so of an experiment without runs.
    if (!(error instanceof SourceError) || error.status !== 404) throw error
  }
  const results = listOf(rows).flatMap((row) => {
    report.read('experiment results')
    const example = textOf(row.example_id)
    if (example === undefined) {
      report.dropped('experiment results', 'example_id: expected a text')
      return []
    }
    const repetition = numberOf(row.repetition_number) ?? 1
    const tokens = [row.prompt_token_count, row.completion_token_count]
      .map(numberOf)
      .filter((one) => one !== undefined)
    return [
      {
        key: example,
        repetition,
        ...present({
          datasetItemId: dataset.itemOf.get(example),
          input: toPayload(row.input),
          output: toPayload(row.output),
          error: textOf(row.error),
          durationMs: numberOf(row.latency_ms),
          tokens: tokens.length === 0 ? undefined : tokens.reduce((one, other) => one + other, 0),
          scores: scoresOf(report, row, id),
        }),
      },
    ]
  })
  const traces = listOf(rows).filter(
    ({ trace_id: traceId }) => textOf(traceId) !== undefined,
  ).length
  if (traces > 0)
    report.changed('experiments', 'trace_id of results: left out, as results name a step', id)
  // In one request a key comes once.
  for (const some of grouped(results, ({ repetition }) => String(repetition)).values())
    await catalogue.results(made, some)
}

const scoresOf = (report: Work['report'], row: Fields, id: string) =>
  listOf(row.annotations).flatMap((annotation) => {
    report.read('experiment scores')
    const name = textOf(annotation.name)
    const value = numberOf(annotation.score)
    if (name === undefined || value === undefined) {
      report.dropped('experiment scores', 'name, score: expected them', id)
      return []
    }
    const kind = annotation.annotator_kind
    return [
      {
        name,
        value,
        type:
          kind === 'HUMAN'
            ? ('HUMAN' as const)
            : kind === 'CODE'
              ? ('CODE' as const)
              : ('AI' as const),
        ...present({ label: textOf(annotation.label), comment: textOf(annotation.explanation) }),
      },
    ]
  })

const storePrompt = async (
  { report }: Work,
  web: WebSource,
  catalogue: Catalogue,
  given: Fields,
): Promise<void> => {
  report.read('prompts')
  const name = textOf(given.name)
  if (name === undefined) {
    report.dropped('prompts', 'name: expected a text', textOf(given.id))
    return
  }
  const prompt = await catalogue.prompt(name, textOf(given.description))
  if (prompt === undefined) return
  report.kept('prompts')
  const versions = await all(web, `/v1/prompts/${encodeURIComponent(name)}/versions`, {
    limit: ROWS_OF_PAGE,
  })
  const labels = new Map<string, string>()
  for (const version of versions.toReversed()) {
    report.read('prompt versions')
    const id = textOf(version.id) ?? ''
    const messages = messagesOf(version.template)
    if (messages === undefined || version.template_format === 'F_STRING') {
      report.dropped(
        'prompt versions',
        messages === undefined
          ? 'template: expected a text, or messages of texts'
          : 'template_format F_STRING: templates are Mustache',
        `${name} ${id}`,
      )
      continue
    }
    if (version.response_format)
      report.changed('prompt versions', 'response_format: left out', `${name} ${id}`)
    await prompt.add({
      name: id,
      templateMessages: messages,
      settings: settingsOf(version),
      tools: isFields(version.tools) ? listOf(version.tools.tools) : undefined,
      versionDesc: textOf(version.description),
    })
    for (const tag of await all(web, `/v1/prompt_versions/${encodeURIComponent(id)}/tags`))
      if (textOf(tag.name) !== undefined) labels.set(String(tag.name), id)
  }
  await prompt.label(labels)
  const newest = textOf(versions[0]?.id)
  const production = labels.get('production') ?? newest
  if (production !== undefined) await prompt.split([{ name: production, rollout: 1 }])
}

/** Returns the messages of a template; undefined when they have parts other than texts. */
const messagesOf = (template: unknown): Record<string, unknown>[] | undefined => {
  if (!isFields(template)) return undefined
  if (typeof template.template === 'string') return [{ role: 'user', content: template.template }]
  const messages = listOf(template.messages).map(({ role, content }) => ({
    role: textOf(role)?.toLowerCase() ?? 'user',
    content: typeof content === 'string' ? content : textOfParts(content),
  }))
  return messages.length === 0 || messages.some(({ content }) => content === undefined)
    ? undefined
    : messages
}

const textOfParts = (parts: unknown): string | undefined => {
  const texts = listOf(parts).map(({ type, text }) => (type === 'text' ? textOf(text) : undefined))
  return texts.length === 0 || texts.some((text) => text === undefined)
    ? undefined
    : texts.join('\n')
}

const settingsOf = (version: Fields): Record<string, unknown> => {
  const parameters = isFields(version.invocation_parameters) ? version.invocation_parameters : {}
  const own = parameters[String(parameters.type)]
  return present({
    ...(isFields(own) ? own : {}),
    provider: textOf(version.model_provider)?.toLowerCase(),
    model: textOf(version.model_name),
  })
}
