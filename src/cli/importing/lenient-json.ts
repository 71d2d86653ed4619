import { StepwellError } from '../../errors.js'

/** Texts of JSON, and the numbers that Python writes beside them though JSON has none. */
const NO_JSON = /"(?:[^"\\]|\\[\s\S])*"|-?\b(?:NaN|Infinity)\b/g

/** Reads JSON. Numbers that JSON can't have, as Python's NaN, are null; says whether there were any. */
export const readJson = (text: string): { value: unknown; hasNoNumber: boolean } => {
  try {
    return { value: JSON.parse(text), hasNoNumber: false }
  } catch (error) {
    const mended = text.replace(NO_JSON, (token) => (token.startsWith('"') ? token : 'null'))
    if (mended === text) throw error
    return { value: JSON.parse(mended), hasNoNumber: true }
  }
}

/** Reads JSON of an answer. The error has none of it. */
export const readAnswer = (text: string, origin: string): unknown => {
  try {
    return readJson(text).value
  } catch {
    throw new StepwellError(`expected JSON from ${origin}`, { code: 'NETWORK' })
  }
}
