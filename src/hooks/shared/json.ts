export { isJson, type Json, objectsOf, parsedOr, textOf } from '../../model-calls/json.js'

/** Returns a value as the text of JSON; a text as it is. */
export const jsonText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

/** Returns a copy without the members that are undefined. */
export const defined = <Value extends object>(value: Value): Value => {
  const copy = { ...value }
  for (const name of Object.keys(copy) as (keyof Value)[])
    if (copy[name] === undefined) delete copy[name]
  return copy
}
