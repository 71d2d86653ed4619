import { invalid } from '../../kernel/errors.js'

/** The measures of a result, as they are sent. */
interface Measures {
  durationMs?: number | null | undefined
  tokens?: number | null | undefined
  cost?: number | null | undefined
}

/** Reads the measures of a result. Rejects those below 0. */
export const readMeasures = (where: string, measures: Measures) => {
  const read = (name: keyof Measures): number | null => {
    const value = measures[name] ?? null
    if (value !== null && value < 0)
      throw invalid(`${where}${name}: expected 0 or more, got ${value}`)
    return value
  }
  return { durationMs: read('durationMs'), tokens: read('tokens'), cost: read('cost') }
}
