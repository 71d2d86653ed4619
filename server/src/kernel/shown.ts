/**
 * Returns an error in the form for logs: its message and stack, without members that libraries add, as those repeat
 * rows, parameters and bodies.
 */
export const shown = (error: unknown): unknown => {
  if (!(error instanceof Error)) return typeof error === 'object' ? 'an object was thrown' : error
  const { name, stack = '' } = error
  const code = 'code' in error && typeof error.code === 'string' ? ` [${error.code}]` : ''
  // The JSON parser quotes the text that it could not read.
  const text =
    error instanceof SyntaxError ? `${name}: not valid\n${framesOf(stack)}` : stack || String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${shown(error.cause)}`
  return `${text}${code}${cause}`
}

const framesOf = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
