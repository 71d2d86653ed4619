import type { Withheld } from '../../values/fit.js'
import { silenceRejection } from '../../values/silence-rejection.js'

/** The values of a step that can hold what people wrote. Its name, type, tags and ids are labels, and not masked. */
export type MaskedField =
  | 'input'
  | 'output'
  | 'metadata'
  | 'error'
  | 'generation'
  | 'scores'
  | 'attachments'
  | 'threadName'
  | 'threadMetadata'

/** Returns what may leave the process in place of a value: the copy it got, changed or not, or a new one. Not asynchronous. */
export type Mask = (value: unknown, field: MaskedField) => unknown

const FAILED = 'the mask failed'
const WITHHELD = `[withheld: ${FAILED}]`

/** @internal Masks a value. When the mask fails, the content is left out: a gap is better than a leaked secret. */
export const masked = (
  mask: Mask,
  value: unknown,
  field: MaskedField,
  withheld: Withheld,
): unknown => {
  try {
    const shown = mask(value, field)
    if (!silenceRejection(shown)) return shown
  } catch {
    // Treated as if it had returned a promise.
  }
  // A list has no place for the reason.
  if (field === 'scores' || field === 'attachments') withheld[field] = FAILED
  return inPlaceOf(field)
}

/** Returns the mark of a withheld value, in the form of its field. */
const inPlaceOf = (field: MaskedField): unknown => {
  switch (field) {
    case 'error':
    case 'threadName':
      return WITHHELD
    case 'scores':
    case 'attachments':
      return []
    case 'generation':
      return { error: WITHHELD }
    default:
      return { withheld: WITHHELD }
  }
}
