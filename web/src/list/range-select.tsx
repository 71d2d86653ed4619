/** Ranges of time up to now, as addresses name them. */
const RANGES: Record<string, { title: string; hours: number }> = {
  '1h': { title: 'last hour', hours: 1 },
  '24h': { title: 'last 24 hours', hours: 24 },
  '7d': { title: 'last 7 days', hours: 24 * 7 },
  '30d': { title: 'last 30 days', hours: 24 * 30 },
  '90d': { title: 'last 90 days', hours: 24 * 90 },
}

const MINUTE = 60_000

/** Returns the range of a name from an address; undefined for unknown names. */
export const rangeOf = (name: string) => (Object.hasOwn(RANGES, name) ? RANGES[name] : undefined)

/** Returns the start of a range, to the minute, so that a page repeats its request for a while. */
export const rangeStart = (range: string, now = Date.now()): Date | undefined => {
  const known = rangeOf(range)
  if (known === undefined) return undefined
  return new Date(Math.floor(now / MINUTE) * MINUTE - known.hours * 60 * MINUTE)
}

/** The time that a range is about: that of what happened, or that of a creation in the service. */
export type RangeField = 'startedAt' | 'createdAt'

/** Clocks of clients that are ahead by less than this still count as now. */
const AHEAD = 2 * 60 * MINUTE

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
  const [from, to] = range.split('..')
  return [
    ...(from && !Number.isNaN(Date.parse(from))
      ? [{ field, operator: 'gte', value: new Date(from).toISOString() }]
      : []),
    ...(to && !Number.isNaN(Date.parse(to))
      ? [{ field, operator: 'lt', value: new Date(to).toISOString() }]
      : []),
  ]
}

export const RangeSelect = ({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (value: string) => void
}) => (
  <select
    className="field"
    aria-label="Time range"
    value={value ?? ''}
    onChange={(event) => onChange(event.target.value)}
  >
    <option value="">all time</option>
    {Object.entries(RANGES).map(([name, { title }]) => (
      <option key={name} value={name}>
        {title}
      </option>
    ))}
    {value !== undefined && rangeOf(value) === undefined && (
      <option value={value}>{value.replace('..', ' to ').replace(/:\d\d(\.\d+)?Z/g, '')}</option>
    )}
  </select>
)
