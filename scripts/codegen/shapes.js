// Writes which fields of each type hold an object of the schema and which hold the user's own JSON. Renaming between
// camelCase and snake_case uses it, so that it never changes a user's JSON.
import { getNamedType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'

export const plugin = (schema) => {
  const shapes = {}
  for (const type of Object.values(schema.getTypeMap())) {
    if (
      type.name.startsWith('__') ||
      type === schema.getQueryType() ||
      type === schema.getMutationType()
    )
      continue
    if (!(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type))) continue
    const nested = {}
    for (const field of Object.values(type.getFields())) {
      const inner = getNamedType(field.type)
      if (isObjectType(inner) || isInputObjectType(inner)) nested[field.name] = inner.name
    }
    shapes[type.name] = nested
  }
  return [
    `export const shapes = ${JSON.stringify(shapes, null, 2)} as const`,
    '',
    'export type ShapeName = keyof typeof shapes',
    '',
  ].join('\n')
}
