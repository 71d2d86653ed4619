/** A piece of a comparison of two texts. */
export interface Part {
  value: string
  added?: boolean
  removed?: boolean
}

/** A changed or shown piece, or one that is folded away because nothing changed in it. */
export type Folded = (Part & { kind: 'shown' }) | { kind: 'folded'; value: string; lines: number }

/** Lines of unchanged text that stay beside a change. */
const CONTEXT = 2

/** Folds unchanged text away, but for some lines around each change. Without a change, everything is folded. */
export const fold = (parts: readonly Part[]): Folded[] =>
  parts.flatMap((part, index): Folded[] => {
    if (part.added || part.removed) return [{ ...part, kind: 'shown' }]
    const lines = part.value.split(/(?<=\n)/)
    const before = index === 0 ? 0 : CONTEXT
    const after = index === parts.length - 1 ? 0 : CONTEXT
    // A fold that hides a single line would take as much room as the line.
    if (parts.length > 1 && lines.length <= before + after + 1) return [{ ...part, kind: 'shown' }]
    const [first, last] = [lines.slice(0, before), after === 0 ? [] : lines.slice(-after)]
    const hidden = lines.slice(before, lines.length - after)
    const shown = (value: string): Folded[] => (value === '' ? [] : [{ value, kind: 'shown' }])
    return [
      ...shown(first.join('')),
      { kind: 'folded', value: hidden.join(''), lines: hidden.length },
      ...shown(last.join('')),
    ]
  })

/** Shows all of a comparison. */
export const unfolded = (parts: readonly Part[]): Folded[] =>
  parts.map((part) => ({ ...part, kind: 'shown' }))
