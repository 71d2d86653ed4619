/** Runs something in the next turn of the event loop. */
export const nextTurn = (work: () => void): void => {
  if (typeof setImmediate === 'function') setImmediate(work)
  else setTimeout(work, 0)
}

/** Runs something later, unless the process has nothing else to do. Gives a way to call it off. */
export const later = (work: () => void, milliseconds: number): (() => void) => {
  const timer: unknown = setTimeout(work, milliseconds)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer)
    (timer as { unref(): void }).unref()
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
}
