import { DomainError } from '../kernel/errors.js'
import type { Task } from './task.js'
import { parsers } from './types.js'

const BEGINNING = 'the rows of the answer'

/** Characters that are taken from the memory for answers at once. */
const PORTION = 65_536

/** Returns true for the message of an answer whose rows were too large, of which fewer may be read. */
export const isAnswerTooLarge = (message: string): boolean => message.startsWith(BEGINNING)

/**
 * Creates parsers for the values of one answer. They give up once its texts and payloads exceed the limit, before the
 * rest is in memory: a thousand steps may hold gigabytes.
 *
 * @param exceeded - Called when the limit, or that of the memory, is exceeded.
 */
export const boundedParsers = (
  mostBytes: number,
  exceeded = () => {},
  task?: Task,
  pause: (until: Promise<void>) => void = () => {},
): typeof parsers => {
  const memory = task?.answers
  let size = 0
  let taken = 0
  const counted =
    <Value>(parse: (text: string) => Value) =>
    (text: string): Value => {
      size += text.length
      if (task !== undefined) task.characters += text.length
      if (size > mostBytes) {
        exceeded()
        throw new DomainError(
          'TOO_LARGE',
          `${BEGINNING} take more than ${Math.round(mostBytes / 1e6)} MB; ask for fewer rows, for example with first`,
        )
      }
      if (memory !== undefined && size - taken >= PORTION) {
        const portion = size - taken
        taken = size
        try {
          memory.take(portion)
          const turn = memory.turn()
          if (turn !== undefined) pause(turn)
        } catch (error) {
          exceeded()
          throw error
        }
      }
      return parse(text)
    }
  return { ...parsers, 25: counted(parsers[25]), 114: counted(parsers[114]) }
}
