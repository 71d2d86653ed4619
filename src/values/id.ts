import { builtin } from '../builtin.js'

/** A random UUID. Node's own function is asked directly, which takes half as long as by way of the web's. */
export const newId: () => string =
  builtin('node:crypto')?.randomUUID ?? (() => globalThis.crypto.randomUUID())
