import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  visit,
} from 'graphql'
import type { ErrorCode } from '../../../generated/resolvers.js'
import { whileAwaited } from '../../database/task.js'
import { DomainError, shorten } from '../../kernel/errors.js'
import { onlyRecords } from '../../kernel/scopes.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import { noteRefusal } from '../../kernel/watching/current-request.js'
import type { StepParts } from '../../storage/steps.js'
import { checkAccess } from './access.js'
import { byCause } from './causes.js'
import type { Context } from './context.js'
import { Documents } from './documents.js'
import { asksTooMuch } from './limits/answer-values.js'

export interface GraphQLRequest {
  query: string
  variables: Record<string, unknown>
  operationName: string | undefined
  /** The size of the whole request, unpacked. */
  bytes: number
  /** Returns false once nobody waits for the answer: a query is not read on then. Default: it is always awaited. */
  isAwaited?: (() => boolean) | undefined
}

export interface GraphQLAnswer {
  status: number
  body: { data?: unknown; errors?: { message: string; extensions: { code: ErrorCode } }[] }
}

/** Executes GraphQL requests. */
export class GraphQLExecutor {
  readonly #schema: GraphQLSchema
  readonly #createRecordingSchema: () => GraphQLSchema
  #recordingSchema: GraphQLSchema | undefined
  readonly #report: (error: unknown) => void
  readonly #failed: (error: unknown) => void
  readonly #documents: Documents

  /** `createRecordingSchema` is called once a key that may only record sends a request; its schema is executed then. */
  constructor(
    schema: GraphQLSchema,
    createRecordingSchema: () => GraphQLSchema,
    report: (error: unknown) => void,
    /** Receives fields that failed though nothing is wrong with them. */
    failed: (error: unknown) => void = () => undefined,
  ) {
    this.#schema = schema
    this.#createRecordingSchema = createRecordingSchema
    this.#report = report
    this.#failed = failed
    this.#documents = new Documents(schema)
  }

  /** The schema of keys that may read. */
  get schema(): GraphQLSchema {
    return this.#schema
  }

  /** `context` is created for the operation: a query may cache rows, a mutation must not. */
  async execute(
    { query, variables, operationName, bytes, isAwaited }: GraphQLRequest,
    turn: Turn,
    context: (kind: { isMutation: boolean; parts: StepParts }) => Context,
  ): Promise<GraphQLAnswer> {
    const prepared = await this.#documents.prepare(query, bytes, turn)
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
    const excess = isMutation
      ? undefined
      : asksTooMuch({ schema: this.#schema, document, operation, variables })
    if (excess !== undefined) return this.#refuse([excess])
    await turn()
    const usable = await contextValue.ingestion.plan(this.#schema, operation, variables)
    const run = () =>
      execute({
        schema: onlyRecords(scopes) ? this.#forRecording() : this.#schema,
        document,
        contextValue,
        variableValues: usable,
        operationName: operationName ?? null,
      })
    const result = await (isMutation ? run() : whileAwaited(isAwaited, run))
    const errors = byCause(result.errors ?? []).map((error) => this.#show(error))
    // Without `data` nothing was executed: the variables were invalid.
    if (!('data' in result)) return { status: 400, body: { errors } }
    return { status: 200, body: { data: result.data, ...(errors.length > 0 ? { errors } : {}) } }
  }

  #forRecording(): GraphQLSchema {
    this.#recordingSchema ??= this.#createRecordingSchema()
    return this.#recordingSchema
  }

  #refuse(errors: readonly GraphQLError[]): GraphQLAnswer {
    return { status: 400, body: { errors: errors.map((error) => this.#show(error)) } }
  }

  /** Returns an error as the caller sees it: refusals unchanged, faults of the service masked. */
  #show(error: GraphQLError) {
    const { originalError } = error
    const shown = { ...error.toJSON(), message: shorten(error.message) }
    if (
      originalError === undefined ||
      originalError === null ||
      originalError.name === 'GraphQLError'
    )
      return this.#coded(shown, 'BAD_REQUEST')
    if (originalError instanceof DomainError) {
      if (originalError.code === 'UNAVAILABLE') this.#failed(originalError)
      return this.#coded(shown, originalError.code)
    }
    this.#report(originalError)
    return this.#coded(
      { ...shown, message: 'the service failed; its log has the details' },
      'INTERNAL',
    )
  }

  #coded<Shown>(shown: Shown, code: ErrorCode): Shown & { extensions: { code: ErrorCode } } {
    noteRefusal('field', code)
    return { ...shown, extensions: { code } }
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

/**
 * Returns the parts of steps that a document asks for. A field of the same name on another type makes it read more, and
 * never less.
 */
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
