import { builtin } from '../builtin.js'

/** Returns a random UUID. Calls Node's own function directly, which takes half as long as the web's. */
export const newId: () => string =
  builtin('node:crypto')?.randomUUID ?? (() => globalThis.crypto.randomUUID())
