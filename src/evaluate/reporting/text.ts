/** Writes a number with at most three digits that count, and a real minus. */
export const shown = (value: number): string => {
  if (!Number.isFinite(value)) return '–'
  const text =
    Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
  return text.replace('-', '−')
}

/** Writes a difference with its sign. */
export const signed = (value: number): string => (value > 0 ? `+${shown(value)}` : shown(value))

/** Writes a time of so many milliseconds. */
export const duration = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Writes rows as columns; all but the first are aligned to the right. */
export const columns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, place) =>
    Math.max(...rows.map((row) => [...(row[place] ?? '')].length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, place) => {
          const space = ' '.repeat((widths[place] ?? 0) - [...cell].length)
          return place === 0 ? cell + space : space + cell
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
