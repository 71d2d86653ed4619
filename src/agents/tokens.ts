import { COMMON_WORDS } from './common-words.js'

/** Tokens of a letter in a word that is not common: random letters need 0.55, words of a language a half of that. */
const LETTER = 0.56
/** Digits come in groups of one to three, by vocabulary. */
const DIGIT = 0.5
const SIGN = 0.75
/** For what the parts above do not know, such as base64, whose short pieces join badly. */
const MARGIN = 1.12

/** Tokens of one character by its code point: of random texts of each block, the most of three vocabularies. */
const BLOCKS: readonly (readonly [end: number, tokens: number])[] = [
  [0xff, 1.4],
  [0x24f, 1.95],
  [0x36f, 2],
  [0x3ff, 1.75],
  [0x45f, 1.2],
  [0x58f, 2],
  [0x5ff, 1.5],
  [0x6ff, 1.5],
  [0xfff, 2],
  [0x10ff, 2.4],
  [0x1fff, 3],
  [0x206f, 1.8],
  [0x303f, 3],
  [0x30ff, 1.65],
  [0x4dbf, 3],
  [0x9fff, 2.45],
  [0xd7a3, 2.65],
  [0xffff, 3],
]
const ASTRAL = 4

const PIECES =
  /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|\s+|[^A-Za-z0-9\s\u{80}-\u{10ffff}]+|[\u{80}-\u{10ffff}]/gu
const SUFFIX = /(?:s|es|d|ed|ing|ly|er|ers|'s)$/

/**
 * Returns a number of tokens that a text has at most, for the vocabularies in use: on average a third above the real
 * number for English and JSON, up to three times for other scripts. A budget that holds by it holds.
 */
export const maxTokens = (text: string): number => {
  let sum = 0
  let previous = ''
  for (const [piece] of text.matchAll(PIECES)) {
    sum += tokensOf(piece, previous)
    previous = piece
  }
  return Math.ceil(sum * MARGIN)
}

const tokensOf = (piece: string, previous: string): number => {
  const code = piece.codePointAt(0) ?? 0
  if (code >= 0x80) return BLOCKS.find(([end]) => code <= end)?.[1] ?? ASTRAL
  if (/[A-Za-z]/.test(piece)) return ofLetters(piece.toLowerCase())
  if (/[0-9]/.test(piece)) return Math.max(1, piece.length * DIGIT) + (previous === ' ' ? 1 : 0)
  // A single space belongs to the word after it.
  if (piece === ' ') return 0
  if (/\s/.test(piece)) return changesIn(piece) * SIGN + 1 + piece.length / 16
  return Math.max(1, piece.length * SIGN)
}

const ofLetters = (word: string): number => {
  if (word.length < 3 || COMMON_WORDS.has(word)) return 1
  const stem = word.replace(SUFFIX, '')
  if (stem !== word && COMMON_WORDS.has(stem)) return 2
  return Math.max(1.5, word.length * LETTER)
}

const changesIn = (piece: string): number => {
  let changes = 0
  for (let at = 1; at < piece.length; at++) if (piece[at] !== piece[at - 1]) changes++
  return changes
}
