// Finds the scopes that an operation of the SDK needs, from the documents and routes that its code names.
import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql'
import ts from 'typescript'
import { scopesFor } from '../server/src/graphql/engine/access.js'
import { ROUTE_SCOPES } from '../server/src/http/route-scopes.js'
import { readOperations } from '../test/support/schema.js'

type Scopes = readonly string[]

const routes: Readonly<Record<string, Scopes>> = ROUTE_SCOPES
const UPLOAD = '/api/upload/file'

/** Returns the scopes of each root field of a document. */
const scopesOfOperation = ({ operation, selectionSet }: OperationDefinitionNode): Scopes[] =>
  selectionSet.selections.flatMap((node) =>
    node.kind === Kind.FIELD ? [scopesFor(operation, node.name.value)] : [],
  )

const operationsOf = ({ definitions }: DocumentNode): Map<string, OperationDefinitionNode> =>
  new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION ? [[`${node.name?.value}Document`, node]] : [],
    ),
  )

const operations = operationsOf(readOperations())

const EVERY_KEY = 4
/** Its caller decides on the fields that it asks for. */
const BY_QUERY = /^get_?[pP]rompt_?[wW]ith_?[qQ]uery$/

/** Says which scopes a key must have for an operation: "`read`, and `ingest` or `write`". */
export const scopesInWords = (checker: ts.TypeChecker, method: ts.Symbol): string => {
  if (BY_QUERY.test(method.name)) return 'that of the query'
  const needed = scopesOfMethod(checker, method).filter((scopes) => scopes.length < EVERY_KEY)
  const all = needed
    // A key that has one of fewer scopes has one of more.
    .filter((scopes) => !needed.some((other) => isPart(other, scopes)))
    .map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' or '))
  return all.length === 0 ? 'any' : all.sort().join(', and ')
}

const isPart = (part: Scopes, scopes: Scopes): boolean =>
  part.length < scopes.length && part.every((scope) => scopes.includes(scope))

/** All that the code of a method asks for: one scope of each list. */
const scopesOfMethod = (checker: ts.TypeChecker, method: ts.Symbol): Scopes[] => {
  const found = new Map<string, Scopes>()
  const seen = new Set<ts.Node>()
  const need = (scopes: Scopes) => found.set(scopes.join(), scopes)

  const follow = (symbol: ts.Symbol | undefined): void => {
    for (const declaration of symbol?.declarations ?? []) {
      if (seen.has(declaration)) continue
      seen.add(declaration)
      if (!/\/src\/(api|pagination)/.test(declaration.getSourceFile().fileName)) continue
      if (ts.isBindingElement(declaration)) {
        const { text } = (declaration.propertyName ?? declaration.name) as ts.Identifier
        follow(checker.getTypeAtLocation(declaration.parent).getProperty(text))
      } else if (ts.isShorthandPropertyAssignment(declaration))
        follow(checker.getShorthandAssignmentValueSymbol(declaration))
      else if (!ts.isTypeNode(declaration)) look(declaration)
    }
  }
  const look = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    if (ts.isStringLiteral(node)) {
      const scopes = routes[node.text]
      if (scopes !== undefined) need(scopes)
    } else if (ts.isIdentifier(node)) {
      const operation = operations.get(node.text)
      if (operation !== undefined) for (const scopes of scopesOfOperation(operation)) need(scopes)
      else if (node.text === 'upload') need(routes[UPLOAD] as Scopes)
      else follow(checker.getSymbolAtLocation(node))
    }
    ts.forEachChild(node, look)
  }
  follow(method)
  return [...found.values()]
}
