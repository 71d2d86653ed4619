import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
  visit,
} from 'graphql'
import type { ErrorCode } from '../../generated/resolvers.js'
import { DomainError, shorten } from '../domain/errors.js'
import { onlyRecords } from '../domain/scopes.js'
import type { StepParts } from '../storage/steps.js'
import { checkAccess } from './access.js'
import { tooComplex } from './complexity.js'
import type { Context } from './context.js'

export interface GraphQLRequest {
  query: string
  variables: Record<string, unknown>
  operationName: string | undefined
}

export interface GraphQLAnswer {
  status: number
  body: { data?: unknown; errors?: { message: string; extensions: { code: ErrorCode } }[] }
}

const MOST_TOKENS = 400_000
const REMEMBERED_DOCUMENTS = 500
const LONGEST_REMEMBERED = 200_000

type Prepared = { document: DocumentNode } | { errors: readonly GraphQLError[] }

/** Answers GraphQL requests. Documents that were seen before are neither parsed nor validated again. */
export class GraphQLExecutor {
  readonly #schema: GraphQLSchema
  readonly #recordingSchema: GraphQLSchema
  readonly #report: (error: unknown) => void
  readonly #prepared = new Map<string, Prepared>()

  /** `recordingSchema` is executed for keys that may only record. */
  constructor(
    schema: GraphQLSchema,
    recordingSchema: GraphQLSchema,
    report: (error: unknown) => void,
  ) {
    this.#schema = schema
    this.#recordingSchema = recordingSchema
    this.#report = report
  }

  /** `context` is made for the operation: a query's may remember what it read, a mutation's must not. */
  async execute(
    { query, variables, operationName }: GraphQLRequest,
    context: (kind: { isMutation: boolean; parts: StepParts }) => Context,
  ): Promise<GraphQLAnswer> {
    const prepared = this.#prepare(query)
    if ('errors' in prepared) return this.#refuse(prepared.errors)
    const { document } = prepared
    const operation = getOperationAST(document, operationName)
    if (!operation)
      return this.#refuse([
        new GraphQLError(
          'operationName: expected the name of one of the operations in the document',
        ),
      ])
    if (operation.operation === 'subscription')
      return this.#refuse([new GraphQLError('the service has no subscriptions')])
    const isMutation = operation.operation === 'mutation'
    const contextValue = context({ isMutation, parts: isMutation ? 'all' : partsOf(document) })
    const { scopes } = contextValue.caller
    checkAccess(this.#schema, document, operation, scopes)
    const usable = contextValue.ingestion.plan(this.#schema, operation, variables)
    const result = await execute({
      schema: onlyRecords(scopes) ? this.#recordingSchema : this.#schema,
      document,
      contextValue,
      variableValues: usable,
      operationName: operationName ?? null,
    })
    const errors = result.errors?.map((error) => this.#show(error))
    // Without `data` nothing was executed: the variables did not fit.
    if (!('data' in result)) return { status: 400, body: { errors: errors ?? [] } }
    return { status: 200, body: { data: result.data, ...(errors?.length ? { errors } : {}) } }
  }

  #prepare(query: string): Prepared {
    const known = this.#prepared.get(query)
    if (known !== undefined) return known
    const prepared = this.#parse(query)
    if (query.length <= LONGEST_REMEMBERED) {
      const oldest = this.#prepared.keys().next().value
      if (this.#prepared.size >= REMEMBERED_DOCUMENTS && oldest !== undefined)
        this.#prepared.delete(oldest)
      this.#prepared.set(query, prepared)
    }
    return prepared
  }

  #parse(query: string): Prepared {
    try {
      const document = parse(query, { maxTokens: MOST_TOKENS })
      const complexity = tooComplex(this.#schema, document)
      if (complexity !== undefined) return { errors: [complexity] }
      const errors = validate(this.#schema, document)
      return errors.length > 0 ? { errors } : { document }
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] }
      // The parser is recursive, and a document of nothing but brackets exhausts its stack.
      if (error instanceof RangeError)
        return { errors: [new GraphQLError('the document nests too deeply')] }
      throw error
    }
  }

  #refuse(errors: readonly GraphQLError[]): GraphQLAnswer {
    return { status: 400, body: { errors: errors.map((error) => this.#show(error)) } }
  }

  /** What the caller sees of an error: refusals as they are, faults of the service masked. */
  #show(error: GraphQLError) {
    const { originalError } = error
    const shown = { ...error.toJSON(), message: shorten(error.message) }
    if (
      originalError === undefined ||
      originalError === null ||
      originalError.name === 'GraphQLError'
    )
      return { ...shown, extensions: { code: 'BAD_REQUEST' as const } }
    if (originalError instanceof DomainError)
      return { ...shown, extensions: { code: originalError.code } }
    this.#report(originalError)
    return {
      ...shown,
      message: 'the service failed; its log has the details',
      extensions: { code: 'INTERNAL' as const },
    }
  }
}

/** The fields of steps and generations that can be large. */
const PAYLOADS = new Set([
  'input',
  'output',
  'metadata',
  'prompt',
  'completion',
  'messages',
  'messageCompletion',
  'variables',
  'tools',
  'settings',
  'intermediarySteps',
])
const known = new WeakMap<DocumentNode, StepParts>()

/** What of steps a document asks for. A field of the same name elsewhere makes it read more, and never less. */
const partsOf = (document: DocumentNode): StepParts => {
  let parts = known.get(document)
  if (parts !== undefined) return parts
  parts = 'light'
  visit(document, {
    Field: ({ name }) => {
      if (PAYLOADS.has(name.value)) parts = 'all'
    },
  })
  known.set(document, parts)
  return parts
}
