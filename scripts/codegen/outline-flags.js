// Writes the numbers of the flags of outlines, from the schema, as a table: the same for all who write or read them.
import { getDirectiveValues } from 'graphql'

export const plugin = (schema) => {
  const bit = schema.getDirective('bit')
  const flags = schema
    .getType('OutlineFlag')
    .getValues()
    .map(({ name, astNode }) => ({ name, value: getDirectiveValues(bit, astNode)?.value }))
  for (const { name, value } of flags)
    if (value === undefined || Math.log2(value) % 1 !== 0)
      throw new Error(`OutlineFlag.${name} needs @bit with a power of two`)
  if (new Set(flags.map(({ value }) => value)).size < flags.length)
    throw new Error('OutlineFlag: two flags have one number')
  const lines = flags.map(({ name, value }) => `  ${camelName(name)}: ${value},`)
  return `/** The flags of a step in an outline, by their numbers. */\nexport const FLAG = {\n${lines.join('\n')}\n} as const\n`
}

const camelName = (name) =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
