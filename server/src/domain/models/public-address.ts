import { BlockList, isIP } from 'node:net'

/** Ranges of IPv4 that no server on the internet has. */
const RESERVED: readonly [address: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
const reserved = new BlockList()
for (const [address, prefix] of RESERVED) reserved.addSubnet(address, prefix)

/** The one range of IPv6 that is assigned to servers. */
const assigned = new BlockList()
assigned.addSubnet('2000::', 3, 'ipv6')
/** Parts of it that lead to IPv4 addresses, or to documentation and tests. */
const special = new BlockList()
for (const [address, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(address, prefix, 'ipv6')

/** Returns true for an IP address on the internet, rather than in a private network or on this machine. */
export const isPublicAddress = (address: string): boolean => {
  const version = isIP(address)
  if (version === 4) return !reserved.check(address)
  return version === 6 && assigned.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
