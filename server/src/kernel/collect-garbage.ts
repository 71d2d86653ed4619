import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Less garbage than this is not worth a collection, which reads all that is alive: a twentieth of a second. */
const WORTH_BYTES = 1_000_000

let collect: (() => void) | undefined
let garbageBytes = 0

/**
 * Frees memory once enough of it was copied since the last time. Commands that copy many rows make garbage faster than
 * Node collects it on its own: it waits for some hundred megabytes.
 *
 * @param bytes - The size of what was copied since the last call.
 */
export const collectGarbage = (bytes: number): void => {
  garbageBytes += bytes
  if (garbageBytes < WORTH_BYTES) return
  garbageBytes = 0
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
