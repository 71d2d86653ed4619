import {
  type Condition,
  type Field,
  type Language,
  readableSigns,
  type Sign,
  signsOf,
} from './condition.js'
import { isInstant } from './instants.js'
import { MistakeError, type Reader } from './reader.js'

/** Reads a condition, or a word to search for. */
export const readCondition = <Of extends Field>(
  reader: Reader,
  { fields, words }: Language<Of>,
): Condition<Of> => {
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
  const field = fieldNamed(fields, head)
  if (field === undefined)
    throw new MistakeError(
      `${head} is no field of this list; expected one of ${fields.map(({ name }) => name).join(', ')}`,
      start,
    )
  if (path !== undefined && !field.hasPath) throw new MistakeError(`${head} takes no [path]`, start)
  if (!readableSigns(field).includes(sign))
    throw new MistakeError(`${head} takes ${signsOf(field).join(' ')}, not ${sign}`, start)
  return { field, path, ...readValues(reader, field, head, sign) }
}

/** Fields have a short name; that of the contract works too. */
const fieldNamed = <Of extends Field>(fields: readonly Of[], head: string): Of | undefined =>
  fields.find(({ name }) => name === head) ?? fields.find(({ filter }) => filter === head)

const readValues = (
  reader: Reader,
  field: Field,
  head: string,
  sign: Sign,
): Pick<Condition, 'sign' | 'values'> => {
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
    return { sign: isNone ? ':' : '!:', values: null }
  }
  if (isList && field.kind !== 'list') {
    if (values.length > 1 || !readableSigns(field).includes('='))
      throw new MistakeError(
        `${head}${sign} takes none or any here; compare by ${signsOf(field).join(' ')}`,
        at,
      )
    return { sign: sign === ':' ? '=' : '!=', values: checked(field, values, at) }
  }
  const listed = field.kind === 'list' ? (sign === '=' ? ':' : sign === '!=' ? '!:' : sign) : sign
  return {
    sign: listed,
    values: sign === '~' || sign === '!~' ? values : checked(field, values, at),
  }
}

/** Returns the values if they can be compared with those of the field. */
const checked = (field: Field, values: readonly string[], at: number): readonly string[] => {
  for (const value of values) {
    if (field.kind === 'number' && (value === '' || !Number.isFinite(Number(value))))
      throw new MistakeError(`${field.name}: expected a number, got "${value}"`, at)
    if (field.kind === 'instant' && !isInstant(value))
      throw new MistakeError(
        `${field.name}: expected a date or timestamp such as 2026-11-21, got "${value}"`,
        at,
      )
    if (field.values !== undefined && !field.values.includes(value))
      throw new MistakeError(
        `${field.name}: expected ${field.values.join(', ')}, got "${value}"`,
        at,
      )
  }
  return values
}
