import type { Definition } from '../../database/rows/columns.js'

/** Names the columns that hold JSON's null, as a column without a value is left out of its line. */
export const JSON_NULLS = 'json_nulls'

const SAFE_NUMBER = /^-?[0-9]/
/** PostgreSQL's text of a moment, which differs from ISO 8601 by a space and the name of UTC. */
const MOMENT = /^(\S+) (\S+)\+00$/

/**
 * Writes a row as a line of JSON, from the text forms that PostgreSQL gives its values. Values of `json` columns are
 * copied as they are stored, and numbers as PostgreSQL writes them, so that nothing is rounded or reordered.
 */
export const lineOf = (
  columns: readonly Definition[],
  row: Record<string, string | null>,
): string => {
  const members: string[] = []
  const nulls: string[] = []
  for (const { column, type } of columns) {
    const text = row[column]
    if (text === null || text === undefined) continue
    members.push(`${JSON.stringify(column)}:${memberOf(type, text)}`)
    if (type === 'json' && text.trim() === 'null') nulls.push(column)
  }
  if (nulls.length > 0) members.push(`"${JSON_NULLS}":${JSON.stringify(nulls)}`)
  return `{${members.join(',')}}`
}

const memberOf = (type: Definition['type'], text: string): string => {
  switch (type) {
    case 'integer':
    case 'bigint':
    case 'boolean':
    case 'text[]':
      return text
    case 'float8':
      return SAFE_NUMBER.test(text) ? text : JSON.stringify(text)
    case 'json':
      // A line break in JSON is white space, as texts escape theirs; around a value it is lost by an import.
      return text.trim().replace(/[\r\n]/g, ' ')
    case 'timestamptz':
      return JSON.stringify(text.replace(MOMENT, '$1T$2Z'))
    default:
      return JSON.stringify(text)
  }
}
