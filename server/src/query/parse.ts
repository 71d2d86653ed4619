import { type Condition, type Field, isGroup, type Language, type Node } from './condition.js'
import { readCondition } from './read-condition.js'
import { MistakeError, Reader } from './reader.js'

export interface Mistake {
  /** The place in the text. */
  at: number
  message: string
}

export interface Parsed<Of extends Field = Field> {
  /** All of them must hold. */
  nodes: Node<Of>[]
  mistakes: Mistake[]
}

/** Limits of a text, so that its cost is bounded whatever it says. */
const MAX_CHARACTERS = 100_000
const MAX_CONDITIONS = 100
const MAX_DEPTH = 20
const MAX_MISTAKES = 20

/** Reads a filter. Reading goes on after a mistake, so that the rest is known. */
export const parseFilter = <Of extends Field>(text: string, language: Language<Of>): Parsed<Of> => {
  if (text.length > MAX_CHARACTERS) {
    const message = `expected at most ${MAX_CHARACTERS.toLocaleString('en')} characters, got ${text.length.toLocaleString('en')}`
    return { nodes: [], mistakes: [{ at: MAX_CHARACTERS, message }] }
  }
  return new Parser(text, language).read()
}

class Parser<Of extends Field> {
  readonly #reader: Reader
  readonly #language: Language<Of>
  readonly #mistakes: Mistake[] = []
  #conditions = 0
  #isStopped = false

  constructor(text: string, language: Language<Of>) {
    this.#reader = new Reader(text)
    this.#language = language
  }

  read(): Parsed<Of> {
    const nodes = this.#members(this.#language)
    return { nodes, mistakes: this.#mistakes }
  }

  #note(at: number, message: string): void {
    if (this.#isStopped) return
    this.#mistakes.push({ at, message })
    if (this.#mistakes.length >= MAX_MISTAKES) this.#stop()
  }

  #stop(): void {
    this.#isStopped = true
    this.#reader.at = this.#reader.text.length
  }

  /** Reads up to the end, or up to the bracket that closes the group. Returns what must all hold. */
  #members(language: Language<Of>): Node<Of>[] {
    const reader = this.#reader
    const alternatives: Node<Of>[][] = []
    let current: Node<Of>[] = []
    let joint: { word: string; at: number } | undefined
    // A condition with a mistake counts too, so that only the mistake itself is told.
    let isFirst = true
    for (;;) {
      reader.skipSpace()
      if (reader.isDone || reader.isClosing) break
      const at = reader.at
      const word = reader.skipKeyword('OR') ? 'OR' : reader.skipKeyword('AND') ? 'AND' : undefined
      if (word !== undefined) {
        if (isFirst || joint !== undefined) this.#note(at, `expected a condition before ${word}`)
        joint = { word, at }
        if (word === 'OR') {
          if (current.length > 0) alternatives.push(current)
          current = []
        }
        continue
      }
      isFirst = false
      joint = undefined
      try {
        const node = this.#term(language)
        // Brackets around conditions that must all hold change nothing here.
        if (isGroup(node) && node.join === 'and') current.push(...node.of)
        else current.push(node)
      } catch (error) {
        if (!(error instanceof MistakeError)) throw error
        this.#note(error.at ?? at, error.message)
        reader.skipWord()
      }
    }
    if (joint !== undefined) this.#note(joint.at, `expected a condition after ${joint.word}`)
    if (alternatives.length === 0) return current
    if (current.length > 0) alternatives.push(current)
    const of = alternatives
      .map(allOf)
      .flatMap((node) => (isGroup(node) && node.join === 'or' ? node.of : [node]))
    return of.length === 1 ? of : [{ join: 'or', of }]
  }

  #term(language: Language<Of>): Node<Of> {
    const reader = this.#reader
    let isNegated = false
    // In a loop, as a text may say NOT more often than calls fit on the stack.
    for (let at = reader.at; reader.skipKeyword('NOT'); at = reader.at) {
      reader.skipSpace()
      if (reader.isDone || reader.isClosing)
        throw new MistakeError('expected a condition after NOT', at)
      isNegated = !isNegated
    }
    if (reader.skipMinus()) isNegated = !isNegated
    const isBracketed = reader.peek === '('
    const node = this.#plain(language)
    return isNegated ? negated(node, isBracketed) : node
  }

  #plain(language: Language<Of>): Node<Of> {
    const reader = this.#reader
    const at = reader.at
    if (reader.match(/\(/y) !== undefined) return allOf(this.#group(at, language))
    if (reader.match(/any\(/y) !== undefined) {
      const { some } = language
      if (some === undefined)
        throw new MistakeError('any(…) asks for one step of a thread: only threads take it', at)
      return { join: 'some', of: this.#group(at, some.language) }
    }
    if (++this.#conditions > MAX_CONDITIONS) {
      this.#note(at, `expected at most ${MAX_CONDITIONS} conditions`)
      this.#stop()
    }
    return readCondition(reader, language)
  }

  /** Reads a group behind its opening bracket. */
  #group(at: number, language: Language<Of>): Node<Of>[] {
    const reader = this.#reader
    if (reader.depth >= MAX_DEPTH)
      throw new MistakeError(`expected at most ${MAX_DEPTH} brackets inside of one another`, at)
    reader.depth++
    const known = this.#mistakes.length
    const nodes = this.#members(language)
    const isClosed = reader.isClosing
    if (isClosed) reader.at++
    reader.depth--
    if (!isClosed) this.#note(at, 'expected a closing )')
    else if (nodes.length === 0 && this.#mistakes.length === known)
      this.#note(at, 'expected a condition inside the brackets')
    return nodes
  }
}

/** Joins conditions that must all hold to one node. */
const allOf = <Of extends Field>(of: readonly Node<Of>[]): Node<Of> => {
  const [first] = of
  return of.length === 1 && first !== undefined ? first : { join: 'and', of }
}

const NEGATIONS: Record<Condition['sign'], Condition['sign']> = {
  '=': '!=',
  '!=': '=',
  '~': '!~',
  '!~': '~',
  ':': '!:',
  '!:': ':',
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
}

/**
 * Negates a condition by its operator, and a group as a whole. Brackets around a single condition make a group of it: the
 * opposite of brackets holds for all items that they leave out, those without a value too.
 */
const negated = <Of extends Field>(node: Node<Of>, isBracketed: boolean): Node<Of> =>
  isGroup(node) || isBracketed
    ? { join: 'not', of: [node] }
    : { ...node, sign: NEGATIONS[node.sign] }
