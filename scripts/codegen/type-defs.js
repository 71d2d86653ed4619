// Writes the schema as a TypeScript string, so that the server carries its contract without reading files.
import { buildSchema, printSchema } from 'graphql'
import { listsOf } from './lists.js'

// A string, as its declaration would have the whole text again.
export const plugin = (schema) =>
  `export const typeDefs: string = ${JSON.stringify(printSchema(described(schema)))}\n`

/** Returns a copy with the directives' meaning in descriptions, as an introspection shows no use of a directive. */
const described = (schema) => {
  const copy = buildSchema(printSchema(schema))
  const listed = (names) => names.map((name) => `\`${name}\``).join(' ')
  for (const { filterType, orderType, fields, columns } of listsOf(schema)) {
    const names = fields.map(({ field }) => field)
    copy
      .getType(filterType.name)
      .getFields().field.description = `The field to compare: ${listed(names)}.`
    if (orderType !== undefined)
      copy
        .getType(orderType.name)
        .getFields().column.description = `The column to order by: ${listed(columns)}.`
  }
  return copy
}
