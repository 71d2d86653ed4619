// Lists of OpenInference that are not messages: documents of a retrieval, and texts that become vectors.
import type { Attributes } from '../encoding/schema.js'
import { elementsOf, structure } from './attributes.js'

type Payload = Record<string, unknown>

/** Returns `{documents}`; undefined when there are none. */
export const openInferenceDocuments = (
  attributes: Attributes,
  beginning: string,
): Payload | undefined => {
  const documents = elementsOf(attributes, beginning, 'document').map((members) =>
    Object.fromEntries([...members].map(([name, value]) => [name, structure(value)])),
  )
  return documents.length === 0 ? undefined : { documents }
}

/** Returns `{texts}`, without the vectors, which are in the metadata only; undefined when there are none. */
export const embeddedTexts = (attributes: Attributes): Payload | undefined => {
  const elements = elementsOf(attributes, 'embedding.embeddings', 'embedding')
  const texts = elements.flatMap((members) => (members.has('text') ? [members.get('text')] : []))
  return texts.length === 0 ? undefined : { texts }
}
