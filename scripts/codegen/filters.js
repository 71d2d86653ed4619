// Writes the types of each list's filters and orders, for clients.
import { listsOf } from './lists.js'

export const plugin = (schema) => {
  const lists = listsOf(schema)
  const types = lists.flatMap(({ fields }) => fields.flatMap(({ type }) => type ?? []))
  const imports = [...new Set(types)].sort().join(', ')
  return `import type { ${imports} } from './schema.js'\n\n${lists.map(interfaceOf).join('\n')}`
}

const interfaceOf = ({ name, fields, columns }) => {
  const title = name[0].toUpperCase() + name.slice(1)
  const shown = fields.filter(({ isOld }) => !isOld)
  const columnType =
    columns.length === 0
      ? ''
      : `
export type ${title}Column = ${columns.map((column) => `'${column}'`).join(' | ')}
`
  return `/** The fields by which ${name} can be filtered. */
export interface ${title}Fields {
${shown.map(member).join('')}}
${columnType}`
}

const member = ({ field, kind, isNullable, path, type, values, meaning }) => {
  const value = type ?? values?.map((one) => `'${one}'`).join(' | ')
  const holds = [
    `kind: '${kind}'`,
    `isNullable: ${isNullable}`,
    ...(path === undefined ? [] : [`path: '${path}'`]),
    ...(value === undefined ? [] : [`value: ${value}`]),
  ]
  return `  /** ${meaning} */\n  ${field}: { ${holds.join('; ')} }\n`
}
