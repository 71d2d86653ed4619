const grouped = new Intl.NumberFormat('en')

const rounded = (value: number): number => Number(value.toPrecision(3))

/** Numbers from here on are beyond all letters, and are written with a power of ten. */
const VAST = 1e15

/** Writes a number with a true minus; one that overflowed is ∞. */
const written = (text: string): string => text.replaceAll('-', '−').replaceAll('Infinity', '∞')

/** Formats a count: exact to 9,999, then three digits: `18.3 k`, `1.24 M`. Unknown is `–`, never 0. */
export const count = (value: number | null | undefined): string => {
  if (value == null) return '–'
  const size = Math.abs(value)
  if (size < 10_000) return grouped.format(value)
  if (size >= VAST) return written(rounded(value).toExponential())
  for (const [unit, letter] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const)
    if (size >= unit * 0.9995) return `${rounded(value / unit)} ${letter}`
  return grouped.format(value)
}

/** Formats a score with three significant digits, and its whole part with all of them: 1234 is no 1230. */
export const score = (value: number | null | undefined): string => {
  if (value == null) return '–'
  const size = Math.abs(value)
  const isLong = size >= 999.5 && size < VAST
  return written(isLong ? grouped.format(Math.round(value)) : String(rounded(value)))
}

export const signed = (value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${score(Math.abs(value))}`

/** Formats a share: three digits, two below a tenth, and as many below all as tell it from all. */
export const percent = (share: number | null | undefined): string => {
  if (share == null) return '–'
  const digits = share >= 0.999 && share < 1 ? 1 - Math.ceil(Math.log10(1 - share)) : 3
  return `${Number((share * 100).toPrecision(share >= 0.1 || share === 0 ? digits : 2))} %`
}

export const bytes = (size: number | null | undefined): string => {
  if (size == null) return '–'
  if (size < 1000) return `${size} B`
  if (size < 1e6) return `${Number((size / 1e3).toPrecision(3))} kB`
  return `${Number((size / 1e6).toPrecision(3))} MB`
}

/** Returns the noun that fits a number. */
export const nounOf = (value: number, one: string, many = `${one}s`): string =>
  value === 1 ? one : many

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${grouped.format(value)} ${nounOf(value, one, many)}`

/** Formats the number of rows: exact to 10,000, approximate beyond. */
export const total = (value: number | null | undefined, one: string, many = `${one}s`): string =>
  value == null ? '' : value > 10_000 ? `≈ ${count(value)} ${many}` : plural(value, one, many)
