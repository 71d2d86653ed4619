import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * Frees memory at once. Commands that copy many rows make garbage faster than Node collects it on its own: it waits for
 * some hundred megabytes.
 */
export const collectGarbage = (): void => {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
