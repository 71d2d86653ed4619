import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Turn } from '../../kernel/sharing/turns.js'
import { tooComplex } from './limits/complexity.js'
import { conflictIn } from './mergeable.js'

/** Characters of a document. Values belong in the variables, which have the limit of the request. */
const MAX_LENGTH = 8_000_000
/**
 * A token takes some 200 bytes of document, so the limit grows with the size of the request; any request may have the
 * tokens of some hundred aliased steps.
 */
const MIN_TOKENS_ALLOWED = 60_000
const MAX_TOKENS = 200_000
const BYTES_A_TOKEN = 10
const MAX_COMMENTS = 10_000
const MAX_ERRORS = 10
/** Lines of a document, those in its texts included. */
const MAX_LINES = 1_000_000

/** Documents with more tokens are validated in parts, and without suggestions for misspelt names. */
const LARGE_TOKENS = 5000
const RULES_AT_ONCE = 3

const MAX_REMEMBERED = 500
const MAX_REMEMBERED_LENGTH = 200_000
const MAX_REMEMBERED_BYTES = 32_000_000
const BYTES_OF_A_TOKEN = 250

export type Prepared = { document: DocumentNode } | { errors: readonly GraphQLError[] }

const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

/** Parses and validates GraphQL documents. Valid ones are cached. */
export class Documents {
  readonly #schema: GraphQLSchema
  readonly #remembered = new LRUCache<string, { document: DocumentNode }>({
    max: MAX_REMEMBERED,
    maxSize: MAX_REMEMBERED_BYTES,
  })

  constructor(schema: GraphQLSchema) {
    this.#schema = schema
  }

  /** Estimates the memory of the cached documents. */
  get bytes(): number {
    return this.#remembered.calculatedSize
  }

  /** `requestBytes` is the size of the whole request, variables included. */
  prepare(query: string, requestBytes: number, turn: Turn): Prepared | Promise<Prepared> {
    return this.#remembered.get(query) ?? this.#read(query, requestBytes, turn)
  }

  async #read(query: string, requestBytes: number, turn: Turn): Promise<Prepared> {
    try {
      const limits = {
        maxTokens: Math.min(MAX_TOKENS, Math.max(MIN_TOKENS_ALLOWED, requestBytes / BYTES_A_TOKEN)),
        maxComments: MAX_COMMENTS,
        maxSourceLength: MAX_LENGTH,
      }
      if (hasTooManyLines(query))
        return { errors: [new GraphQLError(`the document has more than ${MAX_LINES} lines`)] }
      const document = parse(query, { ...limits, noLocation: true })
      const tokens = tokensOf(document)
      if (tokens > LARGE_TOKENS) await turn()
      const complexity = tooComplex(this.#schema, document)
      if (complexity !== undefined) return { errors: [complexity] }
      const errors = await this.#validate(document, tokens, turn)
      // Places would double what remembered documents take, so that they are looked up for those that are refused.
      if (errors.length > 0 && tokens <= LARGE_TOKENS && query.length <= MAX_REMEMBERED_LENGTH)
        return { errors: await this.#validate(parse(query, limits), tokens, turn) }
      if (errors.length > 0) return { errors }
      this.#remember(query, document, tokens)
      return { document }
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [error] }
      // The parser is recursive, and a document of nothing but brackets exhausts its stack.
      if (error instanceof RangeError)
        return { errors: [new GraphQLError('the document nests too deeply')] }
      throw error
    }
  }

  async #validate(
    document: DocumentNode,
    tokens: number,
    turn: Turn,
  ): Promise<readonly GraphQLError[]> {
    const isLarge = tokens > LARGE_TOKENS
    const check = (rules: readonly ValidationRule[]) =>
      validate(this.#schema, document, rules, { maxErrors: MAX_ERRORS, hideSuggestions: isLarge })
    const atOnce = isLarge ? RULES_AT_ONCE : RULES.length
    for (let from = 0; from < RULES.length; from += atOnce) {
      const errors = check(RULES.slice(from, from + atOnce))
      if (errors.length > 0) return errors
      if (isLarge) await turn()
    }
    const conflict = conflictIn(document)
    return conflict === undefined ? [] : [conflict]
  }

  #remember(query: string, document: DocumentNode, tokens: number): void {
    if (query.length > MAX_REMEMBERED_LENGTH) return
    // A character takes a byte or two, and the document's texts are slices of the query.
    const size = query.length * 2 + tokens * BYTES_OF_A_TOKEN
    this.#remembered.set(query, { document }, { size })
  }
}

/** Returns true for a text of so many lines that block texts, which are read line by line, would take long. */
const hasTooManyLines = (query: string): boolean => {
  let lines = 0
  for (let at = query.indexOf('\n'); at >= 0; at = query.indexOf('\n', at + 1))
    if (++lines > MAX_LINES) return true
  return false
}

const tokensOf = (document: DocumentNode): number =>
  (document as { tokenCount?: number }).tokenCount ?? 0
