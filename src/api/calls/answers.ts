import type { DocumentNode, FieldNode, SelectionNode } from 'graphql'
import { NEVER_NULL } from '../../../generated/never-null.js'
import { StepwellError } from '../../errors.js'

/** Fields that the schema allows to be null, and whose members are read. */
const READ_AT_ONCE = ['createParticipant', 'createPromptExperiment']

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
          value === undefined ||
          (value === null && [...NEVER_NULL, ...READ_AT_ONCE].includes(name)) ||
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
        refuseEmptyEdges(name, value, field)
      }
}

/** Rejects a list with a place without an item: by the document, as values that users store may have any members. */
const refuseEmptyEdges = (path: string, value: unknown, node: SelectionNode): void => {
  for (const part of (node as FieldNode).selectionSet?.selections ?? []) {
    const name = nameOf(part)
    const member = memberOf(value, name)
    if (member === undefined || member === null) continue
    if (name !== 'edges') refuseEmptyEdges(`${path}.${name}`, member, part)
    else if (
      !Array.isArray(member) ||
      member.some((edge) => typeof (memberOf(edge, 'node') ?? undefined) !== 'object')
    )
      throw incomplete(`${path}.edges`)
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
