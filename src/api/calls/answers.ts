import type { DocumentNode, FieldNode, SelectionNode } from 'graphql'
import { LISTS, NEVER_NULL } from '../../../generated/never-null.js'
import { StepwellError } from '../../errors.js'

/** Fields that the schema allows to be null, and whose members are read. */
const READ_AT_ONCE = ['createParticipant', 'createPromptExperiment']

/** Members that are read of every object that has them. */
const READ = [
  'edges',
  'pageInfo',
  'isComplete',
  'refused',
  'skeleton',
  'names',
  'types',
  'versions',
]

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
        if (
          value === undefined ||
          (value === null && [...NEVER_NULL, ...READ_AT_ONCE].includes(name)) ||
          (partsOf(field).length > 0 && typeof value !== 'object') ||
          (LISTS.includes(name) && !Array.isArray(value))
        )
          throw incomplete(name)
        if (value !== null && !LISTS.includes(name)) refuseUnread(name, value, field)
      }
}

/**
 * Rejects an object without what is read of it, and a list with a place without an item: by the document, as values that
 * users store may have any members.
 */
const refuseUnread = (path: string, value: unknown, node: SelectionNode): void => {
  for (const part of partsOf(node)) {
    const name = nameOf(part)
    const place = `${path}.${name}`
    const member = memberOf(value, name) ?? undefined
    const isPage = partsOf(part).some((one) => nameOf(one) === 'edges')
    if ((isPage || READ.includes(name)) && !isReadable(name, member)) throw incomplete(place)
    if (member !== undefined && !Array.isArray(member)) refuseUnread(place, member, part)
  }
}

const isReadable = (name: string, member: unknown): boolean => {
  if (name === 'edges' || name === 'versions')
    return (
      Array.isArray(member) &&
      member.every((one) => isObject(name === 'edges' ? memberOf(one, 'node') : one))
    )
  return isObject(member) || typeof member === 'boolean'
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const partsOf = (node: SelectionNode): readonly SelectionNode[] =>
  (node as FieldNode).selectionSet?.selections ?? []

const nameOf = (node: SelectionNode): string =>
  node.kind === 'Field' ? (node.alias ?? node.name).value : ''

const memberOf = (value: unknown, name: string): unknown =>
  (value as Record<string, unknown> | null)?.[name]

const incomplete = (name: string): StepwellError =>
  new StepwellError(
    `expected ${name} in the service's answer; is apiUrl the URL of a Stepwell service?`,
    { code: 'NETWORK', status: 200, retryable: false },
  )
