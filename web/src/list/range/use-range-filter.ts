import { useEffect, useMemo, useState } from 'react'
import { type RangeField, rangeFilter } from './range-select.js'

const HOUR_MS = 3_600_000

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS)

/** Returns the filter of a range. It is another one each hour, as a named range ends with the hour that is running. */
export const useRangeFilter = (range: string | undefined, field: RangeField): object[] => {
  const [hour, setHour] = useState(() => hourOf(Date.now()))
  useEffect(() => {
    const timer = setInterval(() => setHour(hourOf(Date.now())), 60_000)
    return () => clearInterval(timer)
  }, [])
  return useMemo(() => rangeFilter(range, field, hour * HOUR_MS), [range, field, hour])
}
