// Writes the names of the fields of Query and Mutation that are never null, and which of them are lists: an answer without
// them is no service's.
import { isListType, isNonNullType } from 'graphql'

export const plugin = (schema) => {
  const fields = [schema.getQueryType(), schema.getMutationType()]
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ type }) => isNonNullType(type))
  const linesOf = (isList) =>
    fields
      .filter(({ type }) => isListType(type.ofType) === isList)
      .map(({ name }) => `  '${name}',\n`)
      .sort()
      .join('')
  return `/** Fields of Query and Mutation that are lists, and never null. */
export const LISTS: readonly string[] = [\n${linesOf(true)}]\n
/** Fields of Query and Mutation that are never null. */
export const NEVER_NULL: readonly string[] = [\n  ...LISTS,\n${linesOf(false)}]\n`
}
