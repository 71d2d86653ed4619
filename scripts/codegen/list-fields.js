// Writes the filters and orders of each list as a table, for programs that check or offer them.
import { listsOf } from './lists.js'

export const plugin = (schema) => {
  const lists = listsOf(schema)
  const filters = lists.map(
    ({ name, fields }) => `  ${name}: {\n${fields.map(entry).join('')}  },\n`,
  )
  const orders = lists.map(
    ({ name, columns }) => `  ${name}: [${columns.map((column) => `'${column}'`).join(', ')}],\n`,
  )
  return `/** The fields by which lists can be filtered. */
export const LIST_FIELDS = {\n${filters.join('')}} as const\n
/** The columns by which lists can be ordered. */
export const LIST_COLUMNS = {\n${orders.join('')}} as const\n`
}

const entry = ({ field, kind, isNullable, path, values, isOld, meaning }) => {
  const told = {
    kind: kind.toLowerCase(),
    isNullable,
    path,
    values,
    isOld: isOld || undefined,
    meaning,
  }
  return `    ${field}: ${JSON.stringify(told)},\n`
}
