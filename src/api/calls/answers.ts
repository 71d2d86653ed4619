import type { DocumentNode, FieldNode, SelectionNode } from 'graphql'
import { StepwellError } from '../../errors.js'

/**
 * @internal Rejects an answer without the fields of its document, which no Stepwell service sends. Fields of rows are not
 * asked for: tests of applications answer with a part of them.
 */
export const refuseIncomplete = (document: DocumentNode, data: unknown): void => {
  for (const node of document.definitions)
    if (node.kind === 'OperationDefinition')
      for (const field of node.selectionSet.selections) {
        const name = nameOf(field)
        const value = memberOf(data, name)
        const parts = (field as FieldNode).selectionSet?.selections
        if (value === undefined || (parts !== undefined && typeof value !== 'object'))
          throw incomplete(name)
        // Both are read of every list.
        for (const part of ['edges', 'pageInfo'])
          if (
            parts?.some((one) => nameOf(one) === part) &&
            typeof memberOf(value, part) !== 'object'
          )
            throw incomplete(`${name}.${part}`)
      }
}

const nameOf = (node: SelectionNode): string =>
  node.kind === 'Field' ? (node.alias ?? node.name).value : ''

const memberOf = (value: unknown, name: string): unknown =>
  (value as Record<string, unknown> | null)?.[name]

const incomplete = (name: string): StepwellError =>
  new StepwellError(
    `expected ${name} in the service's answer; is apiUrl the URL of a Stepwell service?`,
    { code: 'NETWORK', status: 200, retryable: false },
  )
