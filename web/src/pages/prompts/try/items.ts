/** The values of a prompt's variables for one trial. */
export interface TrialItem {
  id: string
  title: string
  variables: Record<string, unknown>
  /** When it was recorded. */
  at?: string | undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Members in which a recorded input has its text. */
const TEXTS = ['content', 'question', 'input', 'text', 'value']

/**
 * Returns the values that a recorded input has for variables: its own members of their names, those of its `variables`,
 * or, for a prompt with a single variable, its one text.
 */
export const variablesOf = (input: unknown, names: readonly string[]): Record<string, unknown> => {
  if (!isObject(input)) return names[0] === undefined ? {} : { [names[0]]: input }
  const given = isObject(input.variables) ? { ...input, ...input.variables } : input
  const found = names.filter((name) => Object.hasOwn(given, name))
  if (found.length > 0) return Object.fromEntries(found.map((name) => [name, given[name]]))
  const [only, ...others] = names
  const text = TEXTS.find((name) => typeof given[name] === 'string')
  return only === undefined || others.length > 0 || text === undefined
    ? {}
    : { [only]: given[text] }
}

/** Returns a short title of values. */
export const titleOf = (variables: Record<string, unknown>): string =>
  Object.values(variables)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' · ')
    .slice(0, 200)
