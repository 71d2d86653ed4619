import type { FacetField } from '../../../generated/schema.js'

/**
 * The language of filters: conditions that must all hold, separated by spaces, each `field operator value`, for example
 * `name~refund user:ada,bob tags!:test duration>30 output[content]~"lost bag" score[quality]<0.5 error:none`. Words
 * without an operator look inside what steps gave out. A minus before one turns it round: `-error:any -lost`. Each condition
 * is one filter of the contract.
 */
export type Kind = 'string' | 'number' | 'instant' | 'json' | 'list'
export type Sign = '=' | '!=' | '~' | '!~' | ':' | '!:' | '>' | '>=' | '<' | '<='

export interface Field {
  /** What it is called in the language. */
  name: string
  /** What it is for. */
  title: string
  kind: Kind
  /** Whether it can be said to have none. */
  isNullable: boolean
  /** Whether it takes a path: the key inside JSON, or the name of a score. */
  hasPath?: boolean
  /** The filter of the contract; where it is not the plain one, `toFilter` makes it. */
  filter: string
  toFilter?: (condition: Condition) => Filter | undefined
  /** The values that there are, where they are few and known. */
  values?: readonly string[]
  /** Where the values that occur can be asked for. */
  facet?: FacetField
}

export interface Condition {
  field: Field
  path: string | undefined
  sign: Sign
  /** Several for `:` and `!:`; null says that it has none, with `!:` that it has one. */
  values: readonly string[] | null
}

export interface Filter {
  field: string
  operator: string
  value: unknown
  path?: string
}

interface Mistake {
  /** Where in the text. */
  at: number
  message: string
}

export interface Parsed {
  conditions: Condition[]
  mistakes: Mistake[]
}

const SIGNS: readonly Sign[] = ['!=', '!~', '!:', '>=', '<=', '=', '~', ':', '>', '<']
const BY_KIND: Record<Kind, readonly Sign[]> = {
  string: ['=', '!=', '~', '!~', ':', '!:'],
  json: ['=', '!=', '~', '!~', ':', '!:'],
  number: ['=', '!=', '>', '>=', '<', '<=', ':', '!:'],
  instant: ['>', '>=', '<', '<=', ':', '!:'],
  list: [':', '!:', '=', '!='],
}
const OPERATORS: Record<Sign, string> = {
  '=': 'eq',
  '!=': 'neq',
  '~': 'ilike',
  '!~': 'nilike',
  ':': 'in',
  '!:': 'nin',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
}

export const signsOf = (field: Field): readonly Sign[] =>
  BY_KIND[field.kind].filter(
    (sign) => (sign !== ':' && sign !== '!:') || field.kind === 'list' || field.isNullable,
  )

/** Reads a filter. Bare words become conditions on `words`, the field that they look into. */
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
      if (!(error instanceof Wrong)) throw error
      mistakes.push({ at: error.at ?? at, message: error.message })
      reader.skipWord()
    }
  }
}

class Wrong extends Error {
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.at = at
  }
}

const OPPOSITES: Record<Sign, Sign> = {
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

/** A minus before a condition, or before a word, turns it round. */
const readCondition = (reader: Reader, fields: readonly Field[], words?: Field): Condition => {
  if (!reader.skipMinus()) return readPlain(reader, fields, words)
  const condition = readPlain(reader, fields, words)
  return { ...condition, sign: OPPOSITES[condition.sign] }
}

const readPlain = (reader: Reader, fields: readonly Field[], words?: Field): Condition => {
  const start = reader.at
  const head = reader.peek === '"' ? undefined : reader.match(/[A-Za-z]\w*/y)
  const path = head === undefined || reader.peek !== '[' ? undefined : reader.bracketed()
  const sign = head === undefined ? undefined : reader.sign()
  if (head === undefined || sign === undefined) {
    if (path !== undefined)
      throw new Wrong(`expected an operator after ${head}[${path}]`, reader.at)
    reader.at = start
    const word = reader.value(false)
    if (words === undefined)
      throw new Wrong(`expected a condition such as ${fields[0]?.name}=…, got "${word}"`, start)
    return { field: words, path: undefined, sign: '~', values: [word] }
  }
  const field = fields.find(({ name }) => name === head)
  if (field === undefined)
    throw new Wrong(
      `nothing here is called ${head}; there are ${fields.map(({ name }) => name).join(', ')}`,
      start,
    )
  if (path !== undefined && !field.hasPath) throw new Wrong(`${head} takes no [path]`, start)
  if (!BY_KIND[field.kind].includes(sign))
    throw new Wrong(`${head} takes ${signsOf(field).join(' ')}, not ${sign}`, start)
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
    if (!field.isNullable) throw new Wrong(`${head} is never without a value`, at)
    const isNone = (first === 'none') === (sign === ':')
    return { field, path, sign: isNone ? ':' : '!:', values: null }
  }
  if (isList && field.kind !== 'list') {
    if (values.length > 1 || !BY_KIND[field.kind].includes('='))
      throw new Wrong(
        `${head}${sign} takes none or any here; compare by ${signsOf(field).join(' ')}`,
        at,
      )
    return { field, path, sign: sign === ':' ? '=' : '!=', values: check(field, values, at) }
  }
  const listed = field.kind === 'list' ? (sign === '=' ? ':' : sign === '!=' ? '!:' : sign) : sign
  const isWhole = sign !== '~' && sign !== '!~'
  return { field, path, sign: listed, values: check(field, values, at, isWhole) }
}

/** Whether values can be compared with those of the field; a part of one can be any text. */
const check = (
  field: Field,
  values: readonly string[],
  at: number,
  isWhole = true,
): readonly string[] => {
  for (const value of values) {
    if (field.kind === 'number' && (value === '' || !Number.isFinite(Number(value))))
      throw new Wrong(`${field.name}: expected a number, got "${value}"`, at)
    if (field.kind === 'instant' && Number.isNaN(Date.parse(value)))
      throw new Wrong(
        `${field.name}: expected a day or moment such as 2026-11-21, got "${value}"`,
        at,
      )
    if (isWhole && field.values !== undefined && !field.values.includes(value))
      throw new Wrong(`${field.name}: expected ${field.values.join(', ')}, got "${value}"`, at)
  }
  return values
}

class Reader {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  get isDone(): boolean {
    return this.at >= this.text.length
  }

  get peek(): string | undefined {
    return this.text[this.at]
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }

  skipSpace(): void {
    this.match(/\s*/y)
  }

  /** To the next space outside of quotes: what follows a mistake is read by itself. */
  skipWord(): void {
    this.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])*/y)
  }

  /** A minus by itself is a word. */
  skipMinus(): boolean {
    return this.match(/-(?=\S)/y) !== undefined
  }

  sign(): Sign | undefined {
    const sign = SIGNS.find((one) => this.text.startsWith(one, this.at))
    if (sign !== undefined) this.at += sign.length
    return sign
  }

  bracketed(): string {
    const start = this.at
    this.at++
    const text = this.peek === '"' ? this.quoted() : (this.match(/[^\]]*/y) ?? '')
    if (this.peek !== ']') throw new Wrong('expected ] after the path', start)
    this.at++
    if (text === '') throw new Wrong('expected a path inside [ ]', start)
    return text
  }

  value(isListed: boolean): string {
    if (this.peek === '"') {
      const text = this.quoted()
      if (!this.isDone && !/[\s,]/.test(this.peek ?? ' '))
        throw new Wrong('expected a space after the closing "', this.at)
      return text
    }
    const text = this.match(isListed ? /[^\s,"]+/y : /[^\s"]+/y)
    if (text === undefined) throw new Wrong('expected a value', this.at)
    return text
  }

  quoted(): string {
    const start = this.at
    const found = this.match(/"(?:\\[\s\S]|[^"\\])*"/y)
    if (found === undefined) throw new Wrong('expected a closing "', start)
    return found.slice(1, -1).replace(/\\([\s\S])/g, '$1')
  }
}

/** A value as the language writes it when it holds spaces or signs. */
export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const showValue = (value: string, isListed: boolean): string => {
  const isBare = (isListed ? /^[^\s,"]+$/ : /^[^\s"]+$/).test(value)
  return isBare && value !== 'none' && value !== 'any' ? value : quote(value)
}

/** The text of conditions; reading it gives them back. */
export const showFilter = (conditions: readonly Condition[]): string =>
  conditions
    .map(({ field, path, sign, values }) => {
      const head = `${field.name}${path === undefined ? '' : `[${/["\]]/.test(path) ? quote(path) : path}]`}${sign}`
      if (values === null)
        return `${field.name}${path === undefined ? '' : `[${/["\]]/.test(path) ? quote(path) : path}]`}:${sign === ':' ? 'none' : 'any'}`
      const isListed = sign === ':' || sign === '!:'
      return `${head}${values.map((value) => showValue(value, isListed)).join(',')}`
    })
    .join(' ')

/** The filters of the contract that conditions are. */
export const toFilters = (conditions: readonly Condition[]): Filter[] =>
  conditions.map((condition) => {
    const { field, path, sign, values } = condition
    const own = field.toFilter?.(condition)
    if (own !== undefined) return own
    const rest = path === undefined ? {} : { path }
    if (values === null)
      return { field: field.filter, operator: sign === ':' ? 'is' : 'nis', value: null, ...rest }
    const read = (value: string) =>
      field.kind === 'number'
        ? Number(value)
        : field.kind === 'instant'
          ? new Date(value).toISOString()
          : value
    return {
      field: field.filter,
      operator: OPERATORS[sign],
      value: field.kind === 'list' ? values.map(read) : read(values[0] ?? ''),
      ...rest,
    }
  })
