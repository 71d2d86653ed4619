import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { invalidArgument } from '../errors.js'

const STRICT = /^(SetConversationEnd|CreateApiKey)$/

/**
 * Picks the variables of a document: callers may pass an object that was read, with more members. Rejects a name that is a
 * variable's in another spelling, unless that is given too, as its value would be lost. A query rejects any unknown name:
 * without a filter that is misspelt, it would find what it should not. So do mutations in which what is left out has a
 * meaning: it would clear a rule, or make a key without an end.
 */
export const variablesFor = <Variables>(
  document: TypedDocumentNode<unknown, Variables>,
  given: Variables & object,
): Variables => {
  const names: string[] = []
  let isStrict = false
  for (const node of document.definitions)
    if (node.kind === 'OperationDefinition') {
      isStrict = node.operation === 'query' || STRICT.test(node.name?.value ?? '')
      for (const { variable } of node.variableDefinitions ?? []) names.push(variable.name.value)
    }
  const own = Object.entries(given ?? {})
  const picked = own.filter(([name, value]) => {
    if (names.includes(name)) return true
    const near = names.find((known) => lettersOf(known) === lettersOf(name))
    if (value && (near ? !own.some(([other]) => other === near) : isStrict))
      throw invalidArgument(`${name}: expected ${near ?? `one of ${names.join(', ')}`}`)
    return false
  })
  return Object.fromEntries(picked) as Variables
}

const lettersOf = (name: string): string => name.replace(/_/g, '').toLowerCase()
