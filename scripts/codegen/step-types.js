// Writes the types of steps as a list, in the order of the schema: skeletons of outlines name them by their place.
export const plugin = (schema) => {
  const names = schema
    .getType('StepType')
    .getValues()
    .map(({ name }) => `  '${name}',`)
  return `/** In the order of the schema's enum. */\nexport const STEP_TYPES = [\n${names.join('\n')}\n] as const\n`
}
