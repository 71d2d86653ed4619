import type { ChartProps } from './chart-props.js'

/** Spreadsheets run a cell that begins like this as a formula, unless an apostrophe comes first. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const textCell = (text: string): string => {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes the figures of a chart as CSV: a line for each bucket, times in UTC, no rounding, empty where nothing was measured. */
export const csvOf = ({
  starts,
  bucketSeconds,
  lines,
}: Pick<ChartProps, 'starts' | 'bucketSeconds' | 'lines'>): string => {
  const time = (seconds: number) => new Date(seconds * 1000).toISOString()
  const rows = starts.map((start, index) => [
    time(start),
    time(start + bucketSeconds),
    ...lines.flatMap(({ values, counts }) => [
      String(values[index] ?? ''),
      ...(counts === undefined ? [] : [String(counts[index] ?? '')]),
    ]),
  ])
  const head = [
    'from',
    'to',
    ...lines.flatMap(({ name, counts }) => [
      name,
      ...(counts === undefined ? [] : [`${name}, number of rows`]),
    ]),
  ]
  return [head.map(textCell), ...rows].map((cells) => `${cells.join(',')}\r\n`).join('')
}
