// Writes the types of steps as a list to choose from. Nothing may depend on its order: it changes when a type is added.
export const plugin = (schema) => {
  const names = schema
    .getType('StepType')
    .getValues()
    .map(({ name }) => `  '${name}',`)
  return `/** The types of steps. The order means nothing, and changes when a type is added. */\nexport const STEP_TYPES = [\n${names.join('\n')}\n] as const\n`
}
