import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { StepwellClient } from '../client.js'

/** Where the verbs read: a client of the service, or whatever runs documents as one does. */
export type Source = Pick<StepwellClient, 'query'>

/** Runs a document of the verbs. */
export const ask = <Data, Variables extends object>(
  source: Source,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> =>
  (source.query as (document: unknown, variables: Variables) => Promise<Data>)(document, variables)
