/** Keeps a promise that nobody asked for, from a function that was to be synchronous, from ending the process. */
export const silenceRejection = (value: unknown): boolean => {
  const isThenable =
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  if (isThenable) (value as PromiseLike<unknown>).then(undefined, () => {})
  return isThenable
}
