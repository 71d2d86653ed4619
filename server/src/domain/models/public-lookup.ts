import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.js'

/** Less than a call of a webhook may take, with the second try, which waits twice as long. */
const PATIENCE = { timeout: 3000, tries: 2 }

/**
 * Looks a name up, and connects to public addresses only; `refusal` is the error for a name without one. The check is
 * part of the connection, as a name could lead to another address a moment later.
 *
 * Asks DNS itself. A lookup of the system holds one of the few threads that all lookups of the process share, for as long
 * as the servers of a name keep silent: some names of one project would delay the calls of all others.
 *
 * @param servers - DNS servers; those of the system when absent.
 */
export const publicLookup =
  (refusal: () => Error, servers?: readonly string[]): LookupFunction =>
  (hostname, { all, family }, done) => {
    find(hostname, family, servers).then(
      (addresses) => {
        const found = addresses.filter(({ address }) => isPublicAddress(address))
        const [first] = found
        if (first === undefined) done(refusal(), [])
        else if (all === true) done(null, found)
        else done(null, first.address, first.family)
      },
      (error) => done(error, []),
    )
  }

interface Address {
  address: string
  family: 4 | 6
}

/** Returns all addresses of a name; throws when it has none. */
const find = async (
  hostname: string,
  family: number | 'IPv4' | 'IPv6' | undefined,
  servers: readonly string[] | undefined,
): Promise<Address[]> => {
  const resolver = new Resolver(PATIENCE)
  if (servers !== undefined) resolver.setServers(servers)
  const of = async (version: 4 | 6, addresses: Promise<string[]>): Promise<Address[]> =>
    (await addresses).map((address) => ({ address, family: version }))
  const asked = [
    ...(family === 6 || family === 'IPv6' ? [] : [of(4, resolver.resolve4(hostname))]),
    ...(family === 4 || family === 'IPv4' ? [] : [of(6, resolver.resolve6(hostname))]),
  ]
  const answers = await Promise.allSettled(asked)
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  // Without an address of either version, the reason is that of the first.
  return found.length > 0 ? found : ((await asked[0]) ?? [])
}
