import { useState } from 'react'
import { moment } from '../../format/time.js'
import { RangeDialog } from './range-dialog.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/**
 * Ranges of time up to now, as addresses name them. Each ends with the unit that is running, which divides its buckets: the
 * service has measured whole units ahead, and a page repeats its request for a while.
 */
const RANGES: Record<string, { title: string; hours: number; unit: number }> = {
  '1h': { title: 'last hour', hours: 1, unit: MINUTE },
  '24h': { title: 'last 24 hours', hours: 24, unit: 10 * MINUTE },
  '7d': { title: 'last 7 days', hours: 24 * 7, unit: HOUR },
  '30d': { title: 'last 30 days', hours: 24 * 30, unit: HOUR },
  '90d': { title: 'last 90 days', hours: 24 * 90, unit: HOUR },
}

/** Returns the range of a name from an address; undefined for unknown names. */
export const rangeOf = (name: string) => (Object.hasOwn(RANGES, name) ? RANGES[name] : undefined)

/** Returns the start of a range with a name. */
export const rangeStart = (range: string, now = Date.now()): Date | undefined => {
  const known = rangeOf(range)
  if (known === undefined) return undefined
  const end = (Math.floor(now / known.unit) + 1) * known.unit
  return new Date(end - known.hours * HOUR)
}

/** The time that a range is about: that of what happened, or that of a creation in the service. */
export type RangeField = 'startedAt' | 'createdAt'

/** Clocks of clients that are ahead by less than this still count as now. */
const AHEAD = 2 * HOUR

/**
 * Returns the filter of a range: a name, or two moments separated by `..`. A range with a name ends now, so that no start
 * in another century is in it; `now` is the beginning of an hour or a minute.
 */
export const rangeFilter = (
  range: string | undefined,
  field: RangeField,
  now = Date.now(),
): object[] => {
  if (range === undefined) return []
  const start = rangeStart(range)
  if (start !== undefined)
    return [
      { field, operator: 'gte', value: start.toISOString() },
      ...(field === 'createdAt'
        ? []
        : [{ field, operator: 'lt', value: new Date(now + AHEAD).toISOString() }]),
    ]
  // A text that is none is noticed beside the rows of all time.
  if (!isRange(range)) return []
  const [from, to] = range.split('..')
  return [
    ...(from ? [{ field, operator: 'gte', value: new Date(from).toISOString() }] : []),
    ...(to ? [{ field, operator: 'lt', value: new Date(to).toISOString() }] : []),
  ]
}

/** Returns true for two moments of which one may be left out, in whichever order. */
const hasTwoEnds = (text: string): boolean => {
  const ends = text.split('..')
  return (
    ends.length === 2 &&
    ends.some((end) => end !== '') &&
    ends.every((end) => end === '' || !Number.isNaN(Date.parse(end)))
  )
}

/** Returns true for two moments with nothing between them: the second is not the later one. */
export const isReversed = (text: string): boolean => {
  const [from = '', to = ''] = text.split('..')
  return hasTwoEnds(text) && Date.parse(from) >= Date.parse(to)
}

/** Returns true for the text of a range, which may be open at one of its ends. */
export const isRange = (text: string): boolean =>
  rangeOf(text) !== undefined || (hasTwoEnds(text) && !isReversed(text))

const DAY = 24 * HOUR
const BETWEEN = ' between'

/** Returns the ends of a range to begin a choice with: those that it has, else the last day. */
const endsOf = (range: string | undefined, now = Date.now()): { from: Date; to: Date } => {
  const [first = '', last = ''] = range?.split('..') ?? []
  const to = new Date(Number.isNaN(Date.parse(last)) ? now : last)
  const start = rangeStart(range ?? '', now)
  if (start !== undefined) return { from: start, to }
  return { from: new Date(Number.isNaN(Date.parse(first)) ? to.getTime() - DAY : first), to }
}

/** Names a range, with its moments in the zone of shown times. */
export const rangeInWords = (range: string): string =>
  rangeOf(range)?.title ??
  range
    .split('..')
    .map((end) => (Number.isNaN(Date.parse(end)) ? end : moment(end)))
    .join(' to ')

export const RangeSelect = ({
  value,
  onChange,
  isBounded = false,
}: {
  value: string | undefined
  onChange: (value: string) => void
  /** Leaves out all time. */
  isBounded?: boolean
}) => {
  const [isChoosing, setChoosing] = useState(false)
  return (
    <>
      <select
        className="field"
        aria-label="Time range"
        value={value ?? ''}
        onChange={(event) =>
          event.target.value === BETWEEN ? setChoosing(true) : onChange(event.target.value)
        }
      >
        {!isBounded && <option value="">all time</option>}
        {Object.entries(RANGES).map(([name, { title }]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
        {value !== undefined && rangeOf(value) === undefined && (
          <option value={value}>{rangeInWords(value)}</option>
        )}
        <option value={BETWEEN}>between…</option>
      </select>
      {isChoosing && (
        <RangeDialog {...endsOf(value)} onChange={onChange} onClose={() => setChoosing(false)} />
      )}
    </>
  )
}
