import { setTimeout as wait } from 'node:timers/promises'
import { isObject } from '../domain/values.js'
import type { Command, CommandResult } from '../operator/commands.js'
import { answer, answerAs } from './answers.js'

/** Less than the time after which the service closes a connection on which nothing is sent, and `fetch` gives an answer up. */
const BLANK_EVERY_MS = 15_000
const BLANK = new TextEncoder().encode(' ')

/** Reads an operator's command from a request's body. Members that are not text count as absent. */
export const readCommand = ({ noun, verb, subject, options }: Record<string, unknown>): Command => {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const given = isObject(options) ? options : {}
  return {
    noun: text(noun) ?? '',
    verb: text(verb) ?? '',
    subject: text(subject),
    options: Object.fromEntries(
      Object.entries(given).filter(([, value]) => typeof value === 'string'),
    ),
  }
}

/**
 * Answers a command, however long it takes. An answer that is late begins with blanks, as JSON may, so that its connection is
 * not idle; a failure after that is told by the body alone.
 */
export const answerCommand = async (
  work: Promise<CommandResult>,
  refuse: (error: unknown) => Response,
  everyMs = BLANK_EVERY_MS,
): Promise<Response> => {
  const patience = new AbortController()
  try {
    const late = wait(everyMs, undefined, { signal: patience.signal, ref: false })
    late.catch(() => undefined)
    const result = await Promise.race([work, late])
    if (result !== undefined) return answer(200, result)
  } finally {
    patience.abort()
  }
  let blanks: NodeJS.Timeout | undefined
  return answerAs(
    200,
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(BLANK)
        blanks = setInterval(() => controller.enqueue(BLANK), everyMs)
        const end = async () => {
          const text = await work.then(JSON.stringify, (error) => refuse(error).text())
          if (blanks === undefined) return
          clearInterval(blanks)
          controller.enqueue(new TextEncoder().encode(text))
          controller.close()
        }
        void end()
      },
      cancel() {
        clearInterval(blanks)
        blanks = undefined
      },
    }),
  )
}
