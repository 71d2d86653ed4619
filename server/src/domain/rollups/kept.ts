import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import type { SeriesItem } from '../../storage/rollups/cells.js'
import {
  findKept,
  findKeptSpans,
  type HourFigures,
  type KeptSpan,
  storeKeptSpans,
} from '../../storage/rollups/kept.js'
import { after, DAY, HOUR, type Span, spanStart } from '../../storage/rollups/spans.js'
import { MAX_SERIES } from '../../storage/rollups/write.js'
import { bucketOf, bucketOfStart } from './cover.js'
import { type Asked, dimensionFor, type Part, partsOf } from './parts.js'
import { SeriesSums } from './series-sums.js'

/**
 * Adds the figures of rows to the kept ones, for their hours and days. Needs the transaction that deletes the rows, and the
 * reservation of the project's old data.
 */
export const keepFigures = async (
  db: Database,
  projectId: string,
  figures: readonly HourFigures[],
): Promise<void> => {
  if (figures.length === 0) return
  const added = new Map<string, { span: KeptKey; series: SeriesItem[] }>()
  for (const { subject, dimension, start, series } of figures)
    for (const seconds of [HOUR, DAY]) {
      const span = { subject, dimension, seconds, start: spanStart(start, seconds) }
      const found = added.get(nameOf(span))
      if (found === undefined) added.set(nameOf(span), { span, series: [...series] })
      else found.series.push(...series)
    }
  const changed = [...added.values()]
  const spans = changed.map(({ span }) => span)
  const kept = await findKeptSpans(db, projectId, spans)
  const before = new Map(kept.map((span) => [nameOf(span), span]))
  await storeKeptSpans(
    db,
    projectId,
    changed.map(({ span, series }) => ({ ...span, ...addedTo(before.get(nameOf(span)), series) })),
  )
}

type KeptKey = Pick<KeptSpan, 'subject' | 'dimension' | 'seconds' | 'start'>

const nameOf = ({ subject, dimension, seconds, start }: KeptKey) =>
  `${subject} ${dimension} ${seconds} ${start}`

const addedTo = (
  before: KeptSpan | undefined,
  added: readonly SeriesItem[],
): Pick<KeptSpan, 'series' | 'rest'> => {
  const [told, rest] = [new SeriesSums(), new SeriesSums()]
  for (const item of before?.series ?? []) told.add(item)
  for (const item of before?.rest ?? []) rest.add(item)
  for (const item of added)
    if (told.has(item) || told.size < MAX_SERIES) told.add(item)
    else rest.add(item.with(1, null) as SeriesItem)
  return { series: told.items(), rest: rest.items() }
}

/**
 * Finds the kept figures of the buckets of a range: from whole days, and from the hours beside them. An hour counts where it
 * begins. Values past the most that are told apart are of the rest. `isAny` is true when the range has some, of whatever
 * environment.
 */
export const findKeptParts = async (
  db: Database,
  asked: Asked,
): Promise<{ parts: Part[]; isAny: boolean }> => {
  const { projectId, subject, range, only } = asked
  const kept = { projectId, subject, dimension: dimensionFor(asked), only: only?.value }
  const first = spanStart(range.from, DAY)
  const isLong = range.bucketSeconds >= DAY
  const days = isLong ? await findKept(db, kept, DAY, [{ from: first, to: range.to }]) : []
  const parts: Part[] = []
  const add = ({ series, rest }: Pick<KeptSpan, 'series' | 'rest'>, bucket: number) => {
    parts.push(...partsOf(series, bucket, asked))
    if (only === undefined)
      for (const part of partsOf(rest, bucket, asked)) parts.push({ ...part, isRest: true })
  }
  let isAny = false
  // Days that a limit of the range or of a bucket cuts: their hours are read.
  const cut: Span[] = []
  for (const day of days) {
    const bucket = bucketOf(day.start, DAY, range)
    if (bucket === undefined) cut.push(within(day.start, range))
    else add(day, bucket)
    isAny ||= bucket !== undefined
  }
  const hours = await findKept(db, kept, HOUR, isLong ? cut : [range])
  for (const hour of hours) add(hour, bucketOfStart(hour.start, range))
  return { parts, isAny: isAny || hours.length > 0 }
}

/** Returns the part of a day that is in a range. */
const within = (day: Instant, { from, to }: Span): Span => {
  const end = after(day, DAY)
  return { from: day < from ? from : day, to: end < to ? end : to }
}
