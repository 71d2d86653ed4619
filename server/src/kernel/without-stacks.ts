/**
 * Runs a synchronous function whose errors keep no stack. For errors that only tell a client what is wrong with its
 * input: taking a stack costs more than everything else about them, and one request may have a hundred thousand.
 */
export const withoutStacks = <Result>(work: () => Result): Result => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = limit
  }
}
