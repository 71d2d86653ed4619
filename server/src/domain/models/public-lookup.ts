import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.js'

/**
 * Looks a name up, and connects to public addresses only; `refusal` is the error for a name without one. The check is
 * part of the connection, as a name could lead to another address a moment later.
 */
export const publicLookup =
  (refusal: () => Error): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      const found = addresses.filter(({ address }) => isPublicAddress(address))
      const [first] = found
      if (first === undefined) return done(refusal(), [])
      if (options.all === true) done(null, found)
      else done(null, first.address, first.family)
    })
  }
