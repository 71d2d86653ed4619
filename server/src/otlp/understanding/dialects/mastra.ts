// Attributes of the exporter of Mastra for OpenTelemetry, whose names have the type of the span in them.
import type { Attributes } from '../../encoding/schema.js'
import { firstText } from '../attributes.js'

/** Returns the name of the attribute that has the input or the output of an agent, a workflow or a step of one. */
export const payloadNameOfMastra = (attributes: Attributes, field: 'input' | 'output'): string =>
  `mastra.${firstText(attributes, 'mastra.span.type')?.toLowerCase()}.${field}`
