import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { addressOf } from '../../model-calls/address.js'
import { pathOf } from '../../model-calls/recognise.js'
import type { AnsweringRecord } from './answer-from.js'
import { CLIENT_HEADER, faultOfService } from './past-the-relay.js'

/**
 * Watches the requests that pass by `fetch`: those of node:http are ended where the record should have answered, so that none is
 * sent unseen; those of the package undici are named.
 */
export const watchOthers = (record: AnsweringRecord): void => {
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { request: ClientRequest }
    const url = `${request.protocol}//${request.getHeader('host') ?? request.host}${request.path}`
    const error = checked(
      record,
      request.method,
      url,
      'node:http',
      request.getHeader(CLIENT_HEADER),
    )
    if (error !== undefined) request.destroy(error)
  })
  subscribe('undici:request:create', (message) => {
    const { request } = message as { request: { origin?: unknown; path: string; method: string } }
    const url = `${request.origin ?? ''}${request.path}`
    // `fetch` of Node is one of undici.
    if (!record.sending.has(url) && addressOf(url) !== undefined)
      checked(record, request.method, url, 'undici')
  })
}

const checked = (
  record: AnsweringRecord,
  method: string,
  url: string,
  by: string,
  client?: unknown,
): Error | undefined => {
  const shown = `${method} ${pathOf(url)}`
  const isOfModel = method === 'POST' && addressOf(url) !== undefined
  if (!isOfModel && by === 'node:http') {
    const fault = record.plan.isOffline
      ? `${shown} is no call of a model: --offline sends nothing`
      : faultOfService(record.plan, url, client)
    return fault === undefined ? undefined : record.refuse(fault)
  }
  if (!isOfModel) return undefined
  if (!record.isLive)
    return record.refuse(`${shown} is sent by ${by}, and the record answers requests by fetch`)
  record.noteLive(`${pathOf(url)} (by ${by})`)
  return undefined
}
