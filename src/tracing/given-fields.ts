import { reasonOf } from '../values/capture.js'

/**
 * Returns the fields of some names that were given: not those that are undefined, nor those that can't be read, which are
 * reported.
 */
export const givenFields = <Data extends object>(
  given: Data | null | undefined,
  names: readonly (keyof Data)[],
  report: (message: string) => void,
): Partial<Data> => {
  const fields: Partial<Data> = {}
  for (const name of names)
    attempt(name, report, () => {
      const value = given?.[name]
      if (value !== undefined) fields[name] = value
    })
  return fields
}

/** Sets fields of a step or thread, which the application may have frozen. */
export const setFields = <Data extends object>(
  target: object,
  fields: Data,
  report: (message: string) => void,
): void => {
  for (const name in fields)
    attempt(name, report, () => {
      ;(target as Data)[name] = fields[name]
    })
}

const attempt = (name: PropertyKey, report: (message: string) => void, work: () => void): void => {
  try {
    work()
  } catch (error) {
    report(`${String(name)} of a step or thread can't be read or set: ${reasonOf(error)}`)
  }
}
