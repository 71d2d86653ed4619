/** Keeps a rejected promise, returned by a function that should be synchronous, from ending the process. */
export const silenceRejection = (value: unknown): boolean => {
  const isThenable =
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  if (isThenable) (value as PromiseLike<unknown>).then(undefined, () => {})
  return isThenable
}
