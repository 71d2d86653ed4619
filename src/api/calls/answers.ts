import type { DocumentNode, FieldNode, SelectionNode } from 'graphql'
import { StepwellError } from '../../errors.js'

/** Matches the fields of Query and Mutation that are never null, by the schema or because their members are read. */
const NEVER_NULL =
  /s$|Id$|Book$|Data$|^project|etention|Api|^reprice$|LineageR|setSc|nsTo|(ate|test)(Alert|View)|eateParti|PromptExp/

/** Members that are read of every answer that has them. */
const READ = ['edges', 'pageInfo', 'isComplete', 'refused']

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
        if (
          (value ?? (NEVER_NULL.test(name) ? undefined : null)) === undefined ||
          (parts !== undefined && typeof value !== 'object')
        )
          throw incomplete(name)
        for (const part of READ)
          if (
            value !== null &&
            parts?.some((one) => nameOf(one) === part) &&
            !/^(object|boolean)$/.test(typeof (memberOf(value, part) ?? undefined))
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
