// Writes the scopes of the schema's fields as a table. Fails for a root field without any.
import { getDirectiveValues } from 'graphql'

export const plugin = (schema) => {
  const directive = schema.getDirective('scope')
  const roots = [schema.getQueryType(), schema.getMutationType()]
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => 'getFields' in type && 'isTypeOf' in type && !type.name.startsWith('__'),
  )
  const parts = types.flatMap((type) => {
    const fields = Object.values(type.getFields()).flatMap((field) => {
      const given = field.astNode && getDirectiveValues(directive, field.astNode)
      if (given !== undefined) return [`    ${field.name}: ${listed(given.any)},`]
      if (!roots.includes(type)) return []
      throw new Error(
        `${type.name}.${field.name} needs @scope: the schema says of each field at the root which keys may ask for it`,
      )
    })
    return fields.length === 0 ? [] : [`  ${type.name}: {\n${fields.join('\n')}\n  },`]
  })
  return `/** The scopes of which a key must have one, by type and field. */\nexport const FIELD_SCOPES = {\n${parts.join('\n')}\n} as const\n`
}

const listed = (scopes) => `[${scopes.map((scope) => `'${scope}'`).join(', ')}]`
