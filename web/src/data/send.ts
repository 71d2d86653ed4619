import { CombinedError } from 'urql'
import { at } from '../format/base.js'
import { projectHeader } from './current-project.js'
import { UnreadableAnswerError } from './fetch-answer.js'
import { toProblem } from './problem.js'
import { ProblemError } from './use-data.js'

/**
 * Sends JSON to a part of the service that is no GraphQL. Throws `ProblemError` when it is rejected or has no answer, and
 * what the browser throws when the signal aborts.
 */
export const send = async (path: string, body: object, signal?: AbortSignal): Promise<Response> => {
  const fail = (error: ConstructorParameters<typeof CombinedError>[0]): never => {
    throw new ProblemError(toProblem(new CombinedError(error)))
  }
  const response = await fetch(at(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...projectHeader() },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  }).catch((error: Error) => {
    if (signal?.aborted) throw error
    return fail({ networkError: error })
  })
  if (response.ok) return response
  const { errors }: { errors?: [] } = await response.json().catch(() => ({}))
  return errors === undefined
    ? fail({ networkError: new UnreadableAnswerError(response.status), response })
    : fail({ graphQLErrors: errors, response })
}
