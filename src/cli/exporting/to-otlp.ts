import { StepwellClient } from '../../client.js'
import { TraceIds } from '../../otlp/stored/ids.js'
import { writeSpan } from '../../otlp/stored/protobuf.js'
import { toStoredSpan } from '../../otlp/stored/stored-span.js'
import { attributesOf, type KeyValue } from '../../otlp/values.js'
import { missingKey, readConnection } from '../../settings.js'
import { Checkpoint } from '../importing/checkpoint.js'
import { pacedFetch } from '../importing/pacing.js'
import { Report } from '../importing/report.js'
import { writeOut } from '../write-out.js'
import { type ExportSettings, readExportSettings } from './settings.js'
import { type SentSpan, SpanTarget } from './span-target.js'
import { placesOf, type StoredPage, storedSteps } from './stored-steps.js'

const STAGE = 'steps'
const LINE_MS = 2000
/** Longer than a request of the service that is repeated may take. */
const CALL_MS = 130_000

/** Sends the steps of a project to another backend, as spans. Returns the exit code. */
export const exportToOtlp = async (args: readonly string[]): Promise<number> => {
  const settings = readExportSettings(args)
  if (settings === undefined) return 0
  const { apiKey, apiUrl } = readConnection({})
  if (apiKey === undefined) throw missingKey()
  const say = (line: string) => {
    if (!settings.isQuiet) process.stderr.write(`${line}\n`)
  }
  const fetch = pacedFetch({ patienceMs: settings.patienceMs, onWait: say })
  const client = new StepwellClient({
    disabled: true,
    timeoutMs: settings.patienceMs + CALL_MS,
    fetch: (url, init) => fetch(url, init as RequestInit),
  })
  const { url, headers, query, filters, hasContent } = settings
  const checkpoint = new Checkpoint(
    settings.resume,
    JSON.stringify([apiUrl, url, query ?? null, filters ?? null, hasContent]),
    'export',
  )
  // An export that has ended goes on with what came since, which is counted for itself.
  const report = new Report(checkpoint.isDone(STAGE) ? undefined : checkpoint.report)
  const target = new SpanTarget({ url, headers, fetch, report })
  const from = checkpoint.placeIn(STAGE)
  const place = await run(client, settings, target, report, {
    from: typeof from === 'string' ? from : undefined,
    onPlace: (at) => checkpoint.save([], STAGE, at, report.toJSON()),
    say,
  })
  checkpoint.save([STAGE], STAGE, place, report.toJSON())
  if (settings.report !== undefined)
    writeOut(settings.report, `${JSON.stringify({ to: url, ...report.toJSON() }, null, 2)}\n`)
  process.stdout.write(
    `${report.toText()}\nnot sent: contents of files, scores of threads, threads without steps, and all that is no step\n`,
  )
  return report.hasDropped ? 1 : 0
}

interface Going {
  from: string | undefined
  onPlace: (place: string | undefined) => void
  say: (line: string) => void
}

/** Sends page by page; the next one is read meanwhile. Returns the place from which the next export goes on. */
const run = async (
  client: StepwellClient,
  settings: ExportSettings,
  target: SpanTarget,
  report: Report,
  { from, onPlace, say }: Going,
): Promise<string | undefined> => {
  const toSpans = spansOf(client, settings, report)
  const pages = storedSteps(client, settings, from)[Symbol.asyncIterator]()
  let place = from
  let last = Date.now()
  let next = pages.next()
  for (;;) {
    const { done, value: page } = await next
    if (done) return place
    const readAt = Date.now()
    next = pages.next()
    // Its failure is that of the next turn, after this page was sent.
    next.catch(() => undefined)
    await target.send(await toSpans(page))
    place = settledPlace(page, readAt - settings.settleMs) ?? place
    onPlace(place)
    if (Date.now() - last < LINE_MS) continue
    last = Date.now()
    say(`steps: ${(report.toJSON().kinds[STAGE]?.read ?? 0).toLocaleString('en')} read`)
  }
}

/** Returns the place after the last step before which none can arrive any more: steps of two requests at once may be stored in another order than they arrived in. */
const settledPlace = ({ steps, cursors }: StoredPage, before: number): string | undefined =>
  cursors[steps.findLastIndex(({ createdAt }) => Date.parse(String(createdAt)) <= before)]

/** Returns a function that makes the spans of a page, and counts its steps as read. */
const spansOf = (
  client: StepwellClient,
  { resource, hasContent }: ExportSettings,
  report: Report,
): ((page: StoredPage) => Promise<SentSpan[]>) => {
  const traceIds = new TraceIds((ids) => placesOf(client, ids))
  const resources = new Map<unknown, KeyValue[]>()
  const resourceOf = (environment: unknown): KeyValue[] => {
    const known = resources.get(environment)
    if (known !== undefined) return known
    const made = attributesOf({ ...resource, 'deployment.environment.name': environment })
    resources.set(environment, made)
    return made
  }
  return async ({ steps }) => {
    const ids = await traceIds.of(steps)
    report.read(STAGE, steps.length)
    return steps.map((step, index) => {
      const traceId = ids[index] as string
      const { span, changes } = toStoredSpan(step, traceId, hasContent)
      for (const change of changes) report.changed(STAGE, change, step.id)
      return {
        stepId: step.id,
        resource: resourceOf(step.environment ?? undefined),
        bytes: writeSpan(span),
        ...(hasContent
          ? { withoutContent: () => writeSpan(toStoredSpan(step, traceId, false).span) }
          : {}),
      }
    })
  }
}
