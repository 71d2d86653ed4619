import { broken, type Check, type Finding, skipped } from './check.js'

/** A finding with the check that made it. */
export interface Found extends Finding {
  check: string
}

const LIMIT_MS = 15_000
/** The time after which no further check begins. */
const TOTAL_MS = 40_000

/** Runs checks one after the other, and yields what each found at once. None of them can hold the others up: `onLate` is called when one did not end. */
export async function* runChecks(
  checks: readonly Check[],
  onLate: () => void = () => undefined,
  totalMs = TOTAL_MS,
): AsyncGenerator<Found, void, undefined> {
  const unfit = new Map<string, string>()
  const deadline = performance.now() + totalMs
  for (const check of checks) {
    const missing = check.needs?.find((name) => unfit.has(name))
    const isLate = performance.now() > deadline && check.isLast !== true
    const findings =
      missing !== undefined
        ? [skipped(`skipped, as ${missing} ${unfit.get(missing)}`)]
        : isLate
          ? [skipped(`skipped, as the other checks took ${Math.round(totalMs / 1000)} seconds`)]
          : [await within(check, onLate)].flat()
    if (findings.some(({ state }) => state === 'broken')) unfit.set(check.name, 'is broken')
    else if (findings.some(({ state }) => state === 'skipped')) unfit.set(check.name, 'was skipped')
    for (const finding of findings) yield { check: check.name, ...finding }
  }
}

const within = async (
  { run, limitMs = LIMIT_MS }: Check,
  onLate: () => void,
): Promise<Finding | readonly Finding[]> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      onLate()
      resolve(tooLate(limitMs))
    }, limitMs)
  })
  try {
    return await Promise.race([run(), late])
  } catch (error) {
    // Not its message, which may repeat anything.
    const { name, code } = error as NodeJS.ErrnoException
    return broken(
      `the check failed itself (${code ?? name})`,
      'run stepwell doctor again; report it, with these lines, when it stays so',
    )
  } finally {
    clearTimeout(timer)
  }
}

const tooLate = (limitMs: number): Finding =>
  broken(
    `no result within ${limitMs / 1000} seconds`,
    'look for what is busy: this machine, the network, or the service, by its log and its metrics',
  )
