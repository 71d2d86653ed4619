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
    try {
      const value = given?.[name]
      if (value !== undefined) fields[name] = value
    } catch (error) {
      complain(name, report, error)
    }
  return fields
}

/** Sets fields of a step or thread, which the application may have frozen. */
export const setFields = <Data extends object>(
  target: object,
  fields: Data,
  report: (message: string) => void,
): void => {
  for (const name in fields)
    try {
      ;(target as Data)[name] = fields[name]
    } catch (error) {
      complain(name, report, error)
    }
}

const complain = (name: PropertyKey, report: (message: string) => void, error: unknown): void =>
  report(`${String(name)} of a step or thread can't be read or set: ${reasonOf(error)}`)
