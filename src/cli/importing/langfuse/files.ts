import { readFileSource } from '../file-source.js'
import type { Source, Stage } from '../source.js'
import { type Fields, grouped, listOf, textOf } from '../values.js'
import { Links } from './links.js'
import { inCamelCase } from './mapping.js'
import { LangfuseStore } from './stages.js'

const KINDS = [
  'configs',
  'prompts',
  'datasets',
  'items',
  'runs',
  'traces',
  'observations',
  'scores',
] as const
type Kind = (typeof KINDS)[number]

/** Tells the kind of a record by its fields, as exports have many forms. */
const kindOf = (record: Fields): Kind | undefined => {
  const has = (...names: string[]) => names.every((name) => name in record)
  if (has('prompt', 'version', 'name') && !has('traceId')) return 'prompts'
  if (has('datasetRunItems') || has('datasetRunName', 'datasetItemId')) return 'runs'
  if (has('expectedOutput', 'datasetId')) return 'items'
  if (has('traceId', 'startTime')) return 'observations'
  if (has('dataType', 'isArchived')) return 'configs'
  if (has('dataType', 'name') || (has('source', 'name') && has('value'))) return 'scores'
  if (has('timestamp', 'id')) return 'traces'
  if (has('startTime', 'id')) return 'observations'
  if (has('id', 'name', 'projectId', 'createdAt') || has('inputSchema')) return 'datasets'
  return undefined
}

/** A trace that was exported with all below it is several records. */
const partsOf = (given: Fields): Fields[] => {
  const record = inCamelCase(given)
  const observations = listOf(record.observations)
  const scores = listOf(record.scores)
  return [record, ...observations, ...scores]
}

const AT_ONCE = 100

/** Reads exports of Langfuse: of its UI, its buckets, or answers of its API that were saved. */
export const langfuseFiles =
  (path: string): Source =>
  (work) => {
    const links = new Links()
    const store = new LangfuseStore(work, links)
    const read = readFileSource(path, work.report)
    let areSessionsKnown = false
    const sessions = async () => {
      if (areSessionsKnown) return
      areSessionsKnown = true
      for await (const { record } of read.again())
        for (const part of partsOf(record))
          if (kindOf(part) === 'traces')
            links.noteSession(textOf(part.id) ?? '', textOf(part.sessionId))
    }
    const keep: Record<'traces' | 'observations' | 'scores', (records: Fields[]) => Promise<void>> =
      {
        traces: (records) => store.traces(records),
        observations: (records) => store.observations(records, !work.report.toJSON().kinds.traces),
        scores: (records) => store.scores(records),
      }
    const stage = (kind: keyof typeof keep): Stage => ({
      name: kind,
      run: async function* (from) {
        await sessions()
        const start = typeof from === 'number' ? from : 0
        let some: Fields[] = []
        let at = 0
        for await (const { record } of read.again()) {
          at++
          if (at <= start) continue
          some.push(...partsOf(record).filter((part) => kindOf(part) === kind))
          if (some.length < AT_ONCE) continue
          await keep[kind](some)
          some = []
          yield at
        }
        await keep[kind](some)
      },
    })
    const catalogue: Stage = {
      name: 'prompts, datasets and runs',
      isAlways: true,
      run: async function* () {
        const found = new Map<Kind, Fields[]>()
        for await (const { record, place } of read.first()) {
          const kind = kindOf(inCamelCase(record))
          if (kind === undefined) {
            work.report.read('other records')
            work.report.dropped('other records', 'no record of Langfuse that is known', place)
          } else if (kind in keep) yield undefined
          else found.set(kind, [...(found.get(kind) ?? []), record])
        }
        await store.scoreConfigs(found.get('configs') ?? [])
        const prompts = grouped(found.get('prompts') ?? [], ({ name }) => textOf(name) ?? '')
        for (const [name, versions] of prompts) await store.prompt(name, versions)
        for (const dataset of found.get('datasets') ?? []) await store.dataset(dataset)
        await store.items(found.get('items') ?? [])
        for (const run of found.get('runs') ?? [])
          if (Array.isArray(run.datasetRunItems)) await store.run(run, listOf(run.datasetRunItems))
        const loose = grouped(
          (found.get('runs') ?? []).filter(
            ({ datasetRunItems }) => !Array.isArray(datasetRunItems),
          ),
          ({ datasetRunId }) => textOf(datasetRunId) ?? '',
        )
        for (const [id, items] of loose)
          await store.run(
            { id, name: items[0]?.datasetRunName, datasetId: items[0]?.datasetId },
            items,
          )
      },
    }
    return [catalogue, stage('traces'), stage('observations'), stage('scores')]
  }
