const EVERY_MS = 2000

/** Creates a function that prints a line about what is under way, at most every two seconds. */
export const progressLines = (isQuiet: boolean): ((line: () => string) => void) => {
  let printed = performance.now()
  return (line) => {
    if (isQuiet || performance.now() - printed < EVERY_MS) return
    printed = performance.now()
    process.stderr.write(`stepwell: ${line()}\n`)
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
