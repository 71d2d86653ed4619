// Reads the filters and orders of each list from the schema.
import { getDirectiveValues, getNamedType } from 'graphql'

/** Returns a list for each field of Query that takes filters, in the order of the schema. */
export const listsOf = (schema) => {
  const { filterable, orderable } = Object.fromEntries(
    ['filterable', 'orderable'].map((name) => [name, schema.getDirective(name)]),
  )
  return Object.values(schema.getQueryType().getFields()).flatMap(({ name, args }) => {
    const given = (argument, directive) => {
      const input = args.find((one) => one.name === argument)
      return input === undefined ? [] : usesOf(getNamedType(input.type).astNode, directive)
    }
    const fields = given('filters', filterable)
    for (const { field, enum: type } of fields)
      if (type !== undefined && schema.getType(type) === undefined)
        throw new Error(`@filterable(field: "${field}") of ${name}: there is no enum ${type}`)
    if (!args.some((one) => one.name === 'filters')) return []
    if (fields.length === 0) throw new Error(`the filters of ${name} need @filterable`)
    const inputs = Object.fromEntries(
      args.map((argument) => [argument.name, getNamedType(argument.type)]),
    )
    return [
      {
        name,
        filterType: inputs.filters,
        orderType: inputs.orderBy,
        columns: given('orderBy', orderable).map(({ column }) => column),
        fields: fields.map(({ enum: type, values, ...field }) => ({
          ...field,
          type,
          values:
            type === undefined
              ? values
              : schema
                  .getType(type)
                  .getValues()
                  .map((one) => one.name),
        })),
      },
    ]
  })
}

/** Returns the arguments of each use of a directive that may be repeated. */
const usesOf = (node, directive) =>
  node.directives
    .filter(({ name }) => name.value === directive.name)
    .map((use) => getDirectiveValues(directive, { directives: [use] }))
