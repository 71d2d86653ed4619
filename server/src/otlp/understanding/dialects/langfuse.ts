// Attributes that the SDK of Langfuse writes, beside the messages and tokens of its calls.
import { isObject } from '../../../domain/values.js'
import type { Attributes } from '../../encoding/schema.js'
import { firstText, structure } from '../attributes.js'

/** Returns the settings of a call. */
export const settingsOfLangfuse = (attributes: Attributes): Record<string, unknown> | undefined => {
  const settings = structure(attributes.get('langfuse.observation.model.parameters'))
  return isObject(settings) ? settings : undefined
}

/** Returns the message of a failure that is said in attributes only, and not in the status of the span. */
export const errorOfLangfuse = (attributes: Attributes): string | undefined =>
  attributes.get('langfuse.observation.level') === 'ERROR'
    ? (firstText(attributes, 'langfuse.observation.status_message') ?? 'failed')
    : undefined

const NANOSECONDS_IN_MS = 1_000_000n

/** Returns the milliseconds from the start of a call, in nanoseconds, to the first chunk of its answer. */
export const msToFirstChunkOfLangfuse = (
  attributes: Attributes,
  start: bigint,
): number | undefined => {
  // A text, that of Langfuse within JSON.
  const said = firstText(
    attributes,
    'langfuse.observation.completion_start_time',
    'mastra.completion_start_time',
  )
  const first = Date.parse(said?.replaceAll('"', '') ?? '')
  const ms = first - Number(start / NANOSECONDS_IN_MS)
  return Number.isNaN(ms) || ms < 0 ? undefined : ms
}
