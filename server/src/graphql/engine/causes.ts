import type { GraphQLError } from 'graphql'

/**
 * Returns the first error of each cause below a field of the operation: a read that runs out of time fails each field of
 * each row with the same words, which would fill the answer and the log.
 */
export const byCause = (errors: readonly GraphQLError[]): GraphQLError[] => {
  const first = new Map<string, GraphQLError>()
  const others: GraphQLError[] = []
  for (const error of errors) {
    const [field] = error.path ?? []
    const cause = `${field} ${error.message}`
    if (field === undefined) others.push(error)
    else if (!first.has(cause)) first.set(cause, error)
  }
  return [...others, ...first.values()]
}
