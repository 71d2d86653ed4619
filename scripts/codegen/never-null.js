// Writes the names of the fields of Query and Mutation that are never null: an answer without them is no service's.
import { isNonNullType } from 'graphql'

export const plugin = (schema) => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type.getFields()),
  )
  const names = fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => `  '${name}',`)
  return `/** Fields of Query and Mutation that are never null. */\nexport const NEVER_NULL: readonly string[] = [\n${names.sort().join('\n')}\n]\n`
}
