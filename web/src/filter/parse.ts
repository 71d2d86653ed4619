import { BY_KIND, type Condition, type Field, type Sign, signsOf } from './condition.js'
import { MistakeError, Reader } from './reader.js'

interface Mistake {
  /** The place in the text. */
  at: number
  message: string
}

export interface Parsed {
  conditions: Condition[]
  mistakes: Mistake[]
}

/** Reads a filter. Bare words become conditions on the field `words`. */
export const parseFilter = (text: string, fields: readonly Field[], words?: Field): Parsed => {
  const reader = new Reader(text)
  const conditions: Condition[] = []
  const mistakes: Mistake[] = []
  for (;;) {
    reader.skipSpace()
    if (reader.isDone) return { conditions, mistakes }
    const at = reader.at
    try {
      conditions.push(readCondition(reader, fields, words))
    } catch (error) {
      if (!(error instanceof MistakeError)) throw error
      mistakes.push({ at: error.at ?? at, message: error.message })
      reader.skipWord()
    }
  }
}

const NEGATIONS: Record<Sign, Sign> = {
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

/** Reads a condition; a minus before it, or before a word, negates it. */
const readCondition = (reader: Reader, fields: readonly Field[], words?: Field): Condition => {
  if (!reader.skipMinus()) return readPlain(reader, fields, words)
  const condition = readPlain(reader, fields, words)
  return { ...condition, sign: NEGATIONS[condition.sign] }
}

const readPlain = (reader: Reader, fields: readonly Field[], words?: Field): Condition => {
  const start = reader.at
  const head = reader.peek === '"' ? undefined : reader.match(/[A-Za-z]\w*/y)
  const path = head === undefined || reader.peek !== '[' ? undefined : reader.bracketed()
  const sign = head === undefined ? undefined : reader.sign()
  if (head === undefined || sign === undefined) {
    if (path !== undefined)
      throw new MistakeError(`expected an operator after ${head}[${path}]`, reader.at)
    reader.at = start
    const word = reader.value(false)
    if (words === undefined)
      throw new MistakeError(
        `expected a condition such as ${fields[0]?.name}=…, got "${word}"`,
        start,
      )
    return { field: words, path: undefined, sign: '~', values: [word] }
  }
  const field = fields.find(({ name }) => name === head)
  if (field === undefined)
    throw new MistakeError(
      `${head} is no field of this list; expected one of ${fields.map(({ name }) => name).join(', ')}`,
      start,
    )
  if (path !== undefined && !field.hasPath) throw new MistakeError(`${head} takes no [path]`, start)
  if (!BY_KIND[field.kind].includes(sign))
    throw new MistakeError(`${head} takes ${signsOf(field).join(' ')}, not ${sign}`, start)
  const at = reader.at
  const isList = sign === ':' || sign === '!:'
  const isQuoted = reader.peek === '"'
  const values = [reader.value(isList)]
  while (isList && reader.peek === ',') {
    reader.at++
    values.push(reader.value(true))
  }
  const [first = ''] = values
  if (isList && !isQuoted && values.length === 1 && (first === 'none' || first === 'any')) {
    if (!field.isNullable) throw new MistakeError(`${head} is never without a value`, at)
    const isNone = (first === 'none') === (sign === ':')
    return { field, path, sign: isNone ? ':' : '!:', values: null }
  }
  if (isList && field.kind !== 'list') {
    if (values.length > 1 || !BY_KIND[field.kind].includes('='))
      throw new MistakeError(
        `${head}${sign} takes none or any here; compare by ${signsOf(field).join(' ')}`,
        at,
      )
    return { field, path, sign: sign === ':' ? '=' : '!=', values: checked(field, values, at) }
  }
  const listed = field.kind === 'list' ? (sign === '=' ? ':' : sign === '!=' ? '!:' : sign) : sign
  const isWhole = sign !== '~' && sign !== '!~'
  return { field, path, sign: listed, values: checked(field, values, at, isWhole) }
}

/** Returns the values if they can be compared with those of the field; a part of one can be any text. */
const checked = (
  field: Field,
  values: readonly string[],
  at: number,
  isWhole = true,
): readonly string[] => {
  for (const value of values) {
    if (field.kind === 'number' && (value === '' || !Number.isFinite(Number(value))))
      throw new MistakeError(`${field.name}: expected a number, got "${value}"`, at)
    if (field.kind === 'instant' && Number.isNaN(Date.parse(value)))
      throw new MistakeError(
        `${field.name}: expected a date or timestamp such as 2026-11-21, got "${value}"`,
        at,
      )
    if (isWhole && field.values !== undefined && !field.values.includes(value))
      throw new MistakeError(
        `${field.name}: expected ${field.values.join(', ')}, got "${value}"`,
        at,
      )
  }
  return values
}
