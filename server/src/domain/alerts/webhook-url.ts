import { invalid } from '../../kernel/errors.js'
import { isAllowed, isPrivate } from '../models/base-url.js'

const MAX_LENGTH = 2000

/** Checks the URL of a webhook. No message repeats it, as that of some services is a secret. */
export const checkWebhookUrl = (given: string, allowed: readonly string[]): URL => {
  const expected = 'webhookUrl: expected a URL such as "https://hooks.example.org/alerts"'
  if (given.length > MAX_LENGTH || !URL.canParse(given)) throw invalid(expected)
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid(expected)
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalid(`${expected}, without a user or a fragment`)
  const fault = faultOf(url, allowed)
  if (fault !== undefined) throw invalid(`webhookUrl: ${fault}`)
  return url
}

/** Returns the reason for which a URL may not be called; undefined when it may. */
export const faultOf = (url: URL, allowed: readonly string[]): string | undefined => {
  if (isAllowed(url, allowed)) return undefined
  if (isPrivate(url)) return privateWebhook(url)
  return url.protocol === 'https:'
    ? undefined
    : `expected https; without TLS, the operator has to allow ${url.host} with --webhook-hosts`
}

export const privateWebhook = (url: URL): string =>
  `expected a public address; the operator can allow ${url.host} with --webhook-hosts`
