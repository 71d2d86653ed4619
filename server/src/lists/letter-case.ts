import { EscapedText } from '../database/parameters.js'
import { cast } from '../database/rows/columns.js'
import { type Sql, sql } from '../database/rows/sql.js'

/** Returns a text without differences of case, also that of the Greek sigma at the end of a word. */
export const foldCase = (value: Sql): Sql<string> =>
  cast('text', sql`replace(lower((${value}) COLLATE "und-x-icu"), 'ς', 'σ')`)

/**
 * Folds the letters of ASCII only, and the two others whose lower case has one: the sign of Kelvin, and the capital I with
 * a dot. It takes a half of the time of `foldCase` on a server, and a third on the embedded engine.
 */
const foldAscii = (value: Sql): Sql<string> =>
  cast(
    'text',
    sql`replace(replace(lower((${value}) COLLATE "C"), '\u212a', 'k'), '\u0130', 'i\u0307')`,
  )

const IS_ASCII = /^[ -~\t\n\r]*$/

/** Tests if a text contains a piece, in any case of letters. */
export const contains = (text: Sql, piece: string | EscapedText): Sql => {
  const plain = piece instanceof EscapedText ? piece.text : piece
  return IS_ASCII.test(plain)
    ? sql`coalesce(strpos(${foldAscii(text)}, ${plain.toLowerCase()}::text) > 0, false)`
    : sql`coalesce(strpos(${foldCase(text)}, ${foldCase(sql`${piece}::text`)}) > 0, false)`
}

/**
 * Characters whose lower case is the same in every version of Unicode: those of scripts without cases, and of those with
 * two to which no letters are added. Other texts are left to the database, as only it knows its version.
 */
const SETTLED = [
  '\\0-\\u052f', // Latin, Greek, Cyrillic
  '\\u0590-\\u109f', // Hebrew, Arabic, the scripts of India and Southeast Asia
  '\\u1100-\\u139f', // Hangul, Ethiopic
  '\\u1e00-\\u2bff', // more Latin and Greek, punctuation, symbols
  '\\u2e00-\\ua4cf', // more punctuation, Chinese, Japanese, Yi
  '\\uac00-\\ud7a3', // syllables of Hangul
  '\\uf900-\\ufaff',
  '\\ufe00-\\ufe6f', // selectors of variants, more punctuation
  '\\uff00-\\uffef', // wide and narrow forms
  '\\u{1f000}-\\u{1faff}', // emoji
  '\\u{20000}-\\u{2ffff}', // more Chinese
]
const UNSETTLED = new RegExp(`[^${SETTLED.join('')}]`, 'u')

/** Does what `foldCase` does, in a fraction of its time. Returns undefined if only the database can tell. */
export const foldedHere = (text: string): string | undefined =>
  UNSETTLED.test(text) ? undefined : text.toLowerCase().replaceAll('ς', 'σ')
