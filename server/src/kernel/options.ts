import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Reads options as Node does; the error of an unknown one names the option that was probably meant. */
export const readOptions = <Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> => {
  try {
    return parseArgs(config)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const [, given = ''] = /^Unknown option '--([^']*)'/.exec(message) ?? []
    const near = nearest(given, Object.keys(config.options ?? {}))
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && near !== undefined)
      (error as Error).message = `Unknown option '--${given}' (did you mean --${near}?)`
    throw error
  }
}

/** Returns the name that is few letters away from a misspelt one; undefined when none is. */
export const nearest = (given: string, names: readonly string[]): string | undefined => {
  const [best] = names
    .map((name) => ({ name, distance: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, name.length / 3))
    .sort((one, other) => one.distance - other.distance)
  return best?.name
}

/** Counts the letters to be put in, left out, replaced or swapped with the next one. */
const distance = (one: string, other: string): number => {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 2] === other[column - 1] && one[row - 1] === other[column - 2]
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, last] = [last, next]
  }
  return last[other.length] ?? 0
}
