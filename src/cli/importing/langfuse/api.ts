import { StepwellError } from '../../../errors.js'
import type { Source, Stage } from '../source.js'
import { type Fields, isFields, listOf, numberOf, parsed, textOf } from '../values.js'
import { SourceError, type WebSource } from '../web-source.js'
import { Links } from './links.js'
import { LangfuseStore } from './stages.js'

type Query = Record<string, string | number | undefined>

interface Page {
  records: Fields[]
  next: Place | undefined
}

/** A place in a list: the number of records before it and the size of pages, or the cursor of a newer list. */
type Place = { offset: number; limit: number } | { cursor: string }

const PAGE = 50
/** Answers that a page which is too large may have. */
const HEAVY = new Set([413, 500, 502, 504, 524])
const GONE = new Set([403, 404, 405, 410])

/**
 * Reads Langfuse by its public API: by the lists of version 3, or where those are gone, by those of version 4. Lists end at the
 * begin of the import, as records that come while it runs would move the pages.
 */
export const langfuseApi =
  (web: WebSource): Source =>
  async (work) => {
    const until = new Date().toISOString()
    const links = new Links()
    const store = new LangfuseStore(work, links)
    const isNewer = await hasNoTraces(web)
    if (isNewer)
      work.report.changed(
        'traces',
        'the source lists no traces: their runs are made of what observations say',
      )

    const readPage = async (path: string, query: Query, place: Place): Promise<Page> => {
      const at =
        'cursor' in place
          ? { cursor: place.cursor, limit: PAGE }
          : { page: place.offset / place.limit + 1, limit: place.limit }
      let answer: unknown
      try {
        answer = await web.get(path, { ...query, ...at })
      } catch (error) {
        const isHeavy = error instanceof SourceError && HEAVY.has(error.status ?? 0)
        if (!isHeavy || !('limit' in place) || place.limit === 1) throw error
        // Halves keep the places of pages.
        const limit = place.limit % 2 === 0 ? place.limit / 2 : 1
        return readPage(path, query, { offset: place.offset, limit })
      }
      if (!isFields(answer) || !Array.isArray(answer.data))
        throw new StepwellError(`expected a page of ${path}; is the source Langfuse?`, {
          code: 'NETWORK',
        })
      const records = listOf(answer.data)
      const meta = isFields(answer.meta) ? answer.meta : {}
      if ('cursor' in place || textOf(meta.cursor) !== undefined) {
        const cursor = textOf(meta.cursor)
        return { records, next: cursor === undefined ? undefined : { cursor } }
      }
      const pages = numberOf(meta.totalPages)
      const isLast =
        pages === undefined ? records.length < place.limit : place.offset / place.limit + 1 >= pages
      return {
        records,
        next: isLast ? undefined : { offset: place.offset + place.limit, limit: place.limit },
      }
    }

    /** Walks over a list. A source that repeats a page would never end. */
    async function* pages(path: string, query: Query, from?: unknown) {
      let place: Place | undefined = isPlace(from) ? from : { offset: 0, limit: PAGE }
      let before = ''
      while (place !== undefined) {
        const { records, next }: Page = await readPage(path, query, place)
        const ids = JSON.stringify(
          records.map(({ id, traceId, name, versions }) => [id, traceId, name, versions]),
        )
        if (records.length > 0 && ids === before)
          throw new StepwellError(`the source answers ${path} with the same page again`, {
            code: 'NETWORK',
          })
        before = ids
        yield { records, next }
        place = records.length === 0 && next !== undefined && 'offset' in next ? undefined : next
      }
    }
    const all = async (path: string, query: Query = {}) => {
      const found: Fields[] = []
      for await (const { records } of pages(path, query)) found.push(...records)
      return found
    }
    /** A list that stages store page by page. */
    const stage = (
      name: string,
      path: string,
      query: Query,
      keep: (records: Fields[], place: Place) => Promise<void>,
    ): Stage => ({
      name,
      run: async function* (from) {
        let place: Place = isPlace(from) ? from : { offset: 0, limit: PAGE }
        for await (const { records, next } of pages(path, query, from)) {
          await keep(records, place)
          if (next === undefined) return
          place = next
          yield next
        }
      },
    })

    const catalogue: Stage = {
      name: 'prompts, datasets and runs',
      isAlways: true,
      run: async function* () {
        await store.scoreConfigs(await optional(all('/api/public/score-configs')))
        for await (const { records } of pages('/api/public/v2/prompts', {})) {
          for (const meta of records) await readPrompt(web, store, meta)
          yield undefined
        }
        for (const dataset of await all('/api/public/v2/datasets')) {
          await store.dataset(dataset)
          const datasetName = textOf(dataset.name) ?? ''
          for await (const { records } of pages('/api/public/dataset-items', { datasetName })) {
            await store.items(records)
            yield undefined
          }
          const runs = await optional(
            all(`/api/public/datasets/${encodeURIComponent(datasetName)}/runs`),
            () =>
              work.report.dropped(
                'experiments',
                'the source does not list runs of datasets any more',
                datasetName,
              ),
          )
          for (const run of runs) {
            const items = await all('/api/public/dataset-run-items', {
              datasetId: textOf(dataset.id),
              runName: textOf(run.name),
            })
            await store.run(run, items)
            yield undefined
          }
        }
      },
    }
    /** Reads the sessions of traces again, for observations that come after an interruption. */
    const sessions = async () => {
      for await (const { records } of pages('/api/public/traces', tracesUntil(until, 'core')))
        for (const { id, sessionId } of records)
          links.noteSession(textOf(id) ?? '', textOf(sessionId))
    }
    let areSessionsKnown = false
    const traces = stage(
      'traces',
      '/api/public/traces',
      tracesUntil(until, 'core,io,metrics'),
      (records) => store.traces(records),
    )
    return [
      catalogue,
      ...(isNewer
        ? [
            stage(
              'observations',
              '/api/public/v2/observations',
              { fields: ALL_FIELDS, toStartTime: until },
              async (records, place) => {
                const whole = await withMetadata(web, records, place, until)
                await store.observations(whole.map(withStructure), true)
              },
            ),
            stage(
              'scores',
              '/api/public/v3/scores',
              { fields: 'details,subject,annotation' },
              (records) => store.scores(records),
            ),
          ]
        : [
            {
              name: 'traces',
              run: async function* (from: unknown) {
                if (isPlace(from)) await sessions()
                areSessionsKnown = true
                yield* traces.run(from)
              },
            },
            stage(
              'observations',
              '/api/public/observations',
              { toStartTime: until },
              async (records) => {
                if (!areSessionsKnown) await sessions()
                areSessionsKnown = true
                await store.observations(records)
              },
            ),
            stage('scores', '/api/public/v2/scores', { toTimestamp: until }, (records) =>
              store.scores(records),
            ),
          ]),
    ]
  }

const isPlace = (value: unknown): value is Place =>
  isFields(value) && ('offset' in value || 'cursor' in value)

const tracesUntil = (until: string, fields: string): Query => ({
  fields,
  orderBy: 'timestamp.asc',
  toTimestamp: until,
})

const hasNoTraces = async (web: WebSource): Promise<boolean> => {
  try {
    await web.get('/api/public/traces', { limit: 1, fields: 'core' })
    return false
  } catch (error) {
    if (!(error instanceof SourceError) || !GONE.has(error.status ?? 0)) throw error
    await web.get('/api/public/v2/observations', { limit: 1 })
    return true
  }
}

/** Returns nothing for a list that a source does not have. */
const optional = async (
  records: Promise<Fields[]>,
  note: () => void = () => undefined,
): Promise<Fields[]> => {
  try {
    return await records
  } catch (error) {
    if (!(error instanceof SourceError) || !GONE.has(error.status ?? 0)) throw error
    note()
    return []
  }
}

const readPrompt = async (web: WebSource, store: LangfuseStore, meta: Fields): Promise<void> => {
  const name = textOf(meta.name)
  if (name === undefined) return
  const numbers = Array.isArray(meta.versions)
    ? meta.versions.filter((one) => typeof one === 'number')
    : []
  const versions: Fields[] = []
  for (const version of numbers) {
    const path = `/api/public/v2/prompts/${encodeURIComponent(name)}`
    // As it is written: `resolve` would put other prompts into it.
    const prompt = await web.get(path, { version, resolve: 'false' })
    if (isFields(prompt)) versions.push(prompt)
  }
  await store.prompt(name, versions)
}

const ALL_FIELDS = 'core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context'
/** Values of metadata that may have been cut. */
const CUT = 200

/** Reads a page again with the whole of the metadata that it had cut. */
const withMetadata = async (
  web: WebSource,
  records: readonly Fields[],
  place: Place,
  until: string,
): Promise<readonly Fields[]> => {
  const cut = new Set<string>()
  for (const { metadata } of records)
    if (isFields(metadata))
      for (const [name, value] of Object.entries(metadata))
        if (typeof value === 'string' && value.length >= CUT) cut.add(name)
  if (cut.size === 0) return records
  const answer = await web.get('/api/public/v2/observations', {
    fields: ALL_FIELDS,
    toStartTime: until,
    expandMetadata: [...cut].join(','),
    limit: PAGE,
    ...('cursor' in place ? { cursor: place.cursor } : {}),
  })
  return isFields(answer) && Array.isArray(answer.data) ? listOf(answer.data) : records
}

/** The newer list has payloads as texts. */
const withStructure = (observation: Fields): Fields => ({
  ...observation,
  input: parsed(observation.input),
  output: parsed(observation.output),
})
