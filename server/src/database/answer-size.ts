import { DomainError } from '../kernel/errors.js'
import { parsers } from './types.js'

/**
 * Readers of the values of one answer, which give up once its texts and payloads are larger than that, before the rest is
 * held: a thousand steps may hold gigabytes.
 *
 * @param exceeded - Called when they give up.
 */
export const boundedParsers = (mostBytes: number, exceeded = () => {}): typeof parsers => {
  let size = 0
  const counted =
    <Value>(parse: (text: string) => Value) =>
    (text: string): Value => {
      size += text.length
      if (size > mostBytes) {
        exceeded()
        throw new DomainError(
          'TOO_LARGE',
          `the rows of the answer take more than ${Math.round(mostBytes / 1e6)} MB; ask for fewer rows, for example with first`,
        )
      }
      return parse(text)
    }
  return { ...parsers, 25: counted(parsers[25]), 114: counted(parsers[114]) }
}
