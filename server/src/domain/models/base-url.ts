import { isIP } from 'node:net'
import { invalid, show } from '../../kernel/errors.js'
import { isPublicAddress } from './public-address.js'

const MAX_LENGTH = 2000

/** Returns the host of a URL as the address that it is connected to: IPv6 without brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Returns true for a host and port that the operator named: it may be private, and without TLS. */
export const isAllowed = (url: URL, allowed: readonly string[]): boolean =>
  allowed.includes(url.host) || allowed.includes(url.hostname)

/** Checks the base URL of an endpoint. Returns it without a slash at the end. */
export const checkBaseUrl = (given: string, allowed: readonly string[]): string => {
  const expected = 'baseUrl: expected a URL such as "https://api.openai.com/v1"'
  if (given.length > MAX_LENGTH || !URL.canParse(given))
    throw invalid(`${expected}, got ${show(given)}`)
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalid(`${expected}, got ${show(url.protocol)}`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid(`${expected}, without a user, a query or a fragment`)
  if (!isAllowed(url, allowed)) {
    if (isPrivate(url)) throw invalid(privateHost(url))
    if (url.protocol !== 'https:')
      throw invalid(`${expected}; without TLS, the operator has to allow ${show(url.host)}`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Returns true for a URL that says itself that it leads to a private network. */
export const isPrivate = (url: URL): boolean => {
  const host = hostOf(url)
  return /(^|\.)localhost\.?$/.test(host) || (isIP(host) !== 0 && !isPublicAddress(host))
}

export const privateHost = (url: URL): string =>
  `baseUrl: expected a public address; the operator can allow ${url.host} with --model-hosts`
