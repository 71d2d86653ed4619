import type { ShownField, ShownLanguage } from './fields.js'
import type { Sign } from './language.js'

/** The part of a filter at the caret: what may stand there follows. */
export type Place =
  | { part: 'field'; from: number; word: string; language: ShownLanguage }
  | { part: 'path'; from: number; word: string; field: ShownField }
  | { part: 'value'; from: number; word: string; field: ShownField; sign: Sign }

/** Finds the beginning of the condition at the caret, and the language of the brackets around it. */
const conditionAt = (text: string, caret: number, language: ShownLanguage) => {
  const languages = [language]
  let start = 0
  let open = 0
  let isQuoted = false
  for (let at = 0; at < caret; at++) {
    const sign = text[at] ?? ''
    if (isQuoted) {
      if (sign === '\\') at++
      else if (sign === '"') isQuoted = false
      continue
    }
    const head = text.slice(start, at)
    const current = languages.at(-1) ?? language
    if (sign === '"') isQuoted = true
    else if (/\s/.test(sign)) [start, open] = [at + 1, 0]
    else if (sign === '-' && head === '') start = at + 1
    else if (sign === '(' && (head === '' || head === 'any')) {
      languages.push(head === '' ? current : (current.some?.language ?? current))
      start = at + 1
    } else if (sign === '(') open++
    else if (sign === ')' && open > 0) open--
    else if (sign === ')' && languages.length > 1) {
      languages.pop()
      start = at + 1
    }
  }
  return { start, language: languages.at(-1) ?? language }
}

const CONDITION =
  /^([A-Za-z]\w*)(?:\[(?:"((?:\\.|[^"\\])*)("?)|([^\]"]*))(\])?)?(!=|!~|!:|>=|<=|=|~|:|>|<)?/

/** Returns the part at the caret; undefined where nothing can be offered, as for a name that is no field. */
export const placeAt = (
  text: string,
  caret: number,
  language: ShownLanguage,
): Place | undefined => {
  const { start, language: current } = conditionAt(text, caret, language)
  const token = text.slice(start, caret)
  const match = CONDITION.exec(token)
  if (match === null)
    return token === '' ? { part: 'field', from: start, word: '', language: current } : undefined
  const [whole, name = '', quoted, , bare, closing, sign] = match
  const path = quoted ?? bare
  if (path === undefined && sign === undefined)
    return whole === token
      ? { part: 'field', from: start, word: name, language: current }
      : undefined
  const field = current.fields.find((one) => one.name === name || one.filter === name)
  if (field === undefined) return undefined
  if (path !== undefined && closing === undefined)
    return { part: 'path', from: start + name.length + 1, word: path, field }
  if (sign === undefined) return undefined
  const isListed = sign === ':' || sign === '!:'
  const given = token.slice(whole.length)
  // The last of several values that have no quotes.
  const skipped = isListed && !given.includes('"') ? given.lastIndexOf(',') + 1 : 0
  return {
    part: 'value',
    from: start + whole.length + skipped,
    word: given.slice(skipped).replace(/^"/, ''),
    field,
    sign: sign as Sign,
  }
}
