import type { StatsFs } from 'node:fs'
import { broken, type Finding, ok, warning } from './check.js'

const BROKEN_BYTES = 100_000_000
const WARNING_BYTES = 1_000_000_000

/** Checks the space that is left on the disk of a folder. */
export const roomOf = (
  folder: string,
  what: string,
  { bavail, bsize }: Pick<StatsFs, 'bavail' | 'bsize'>,
): Finding => {
  const bytes = bavail * bsize
  const text = `${what} can be written; its disk has ${shownBytes(bytes)} left`
  const remedy = `make room on the disk of ${folder}: df -h ${folder}`
  if (bytes < BROKEN_BYTES) return broken(text, remedy)
  return bytes < WARNING_BYTES ? warning(text, remedy) : ok(text)
}

const shownBytes = (bytes: number): string =>
  bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${Math.floor(bytes / 1e9)} GB`
