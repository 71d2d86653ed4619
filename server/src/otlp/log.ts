import { isObject } from '../domain/values.js'
import type { Decoded, ExportLogsRequest, LOG_RECORD } from './encoding/schema.js'
import { Origin, ResourceOrigin } from './keeping/origin.js'

/** A log record of OpenTelemetry with its origin, in either encoding. Missing times are 0. */
export interface Log extends Decoded<typeof LOG_RECORD> {
  origin: Origin
  /** The name of its event; empty when it is no event. */
  name: string
}

/** Returns the log records of a request. */
export const logsOf = ({ resourceLogs }: ExportLogsRequest): Log[] =>
  resourceLogs.flatMap((ofResource) => {
    const resource = new ResourceOrigin(ofResource)
    return ofResource.scopeLogs.flatMap((ofScope) => {
      const origin = new Origin(resource, ofScope)
      // No copies: with those of a large request, the memory of it would be twice as much.
      return ofScope.logRecords.map((log) => Object.assign(log, { origin, name: nameOf(log) }))
    })
  })

/** Exporters of before the field existed write the name into an attribute. */
const nameOf = ({ eventName, attributes, body }: Decoded<typeof LOG_RECORD>): string => {
  if (eventName !== '') return eventName
  const named = attributes.get('event.name')
  if (typeof named === 'string') return named
  return isObject(body) && typeof body['event.name'] === 'string' ? body['event.name'] : ''
}
