import type { Api } from './apis/api.js'
import { hostOf, knownProvider, withoutUser } from './providers.js'
import { apisAt, pathOf } from './recognise.js'

/** An address at which models may be asked. */
export interface Address {
  /** Without its query. */
  path: string
  /** Without the name and password that it may have. */
  shown: string
  host: string
  /** Undefined for a host that is not known. */
  provider: string | undefined
  /** The APIs that the path may lead to. */
  apis: readonly Api[]
}

/** Addresses that are remembered: an application asks at a few, again and again. */
const MAX_REMEMBERED = 100

const remembered = new Map<string, Address>()

/** Returns an address by its URL; undefined for one at which no model is asked. */
export const addressOf = (url: string): Address | undefined => {
  const known = remembered.get(url)
  if (known !== undefined) return known
  const path = pathOf(url)
  const apis = apisAt(path)
  if (apis.length === 0) return undefined
  const host = hostOf(path)
  const address = { path, shown: withoutUser(path), host, provider: knownProvider(host), apis }
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(url, address)
  return address
}
