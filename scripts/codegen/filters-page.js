// Writes the page of the documentation about filters.
import { listsOf } from './lists.js'

const OPERATORS = {
  STRING: '`eq` `neq` `ilike` `nilike`',
  JSON: '`eq` `neq` `ilike` `nilike`',
  NUMBER: '`eq` `neq` `gt` `gte` `lt` `lte`',
  INSTANT: '`gt` `gte` `lt` `lte`',
  LIST: '`in` `nin`',
}
const PATHS = { KEYS: 'keys inside', SCORE_NAME: 'name of the score' }

export const plugin = (schema) => `# Filters and orders of lists

Written from \`schema/\` by \`npm run generate\`.

A list takes \`filters\`, which must all hold, and \`orderBy\`. Default: newest first.

\`\`\`ts
import { StepwellClient } from 'stepwell'

const stepwell = new StepwellClient()
const { data } = await stepwell.api.getThreads({
  filters: [
    { field: 'errorCount', operator: 'gt', value: 0 },
    { field: 'createdAt', operator: 'gte', value: new Date('2026-11-01') },
  ],
  orderBy: { column: 'duration', direction: 'DESC' },
})
console.log('threads with errors:', data.length)
\`\`\`

- \`eq\` \`neq\`: equal, not equal. \`ilike\` \`nilike\`: contains, does not contain; case-insensitive.
- \`gt\` \`gte\` \`lt\` \`lte\`: after or above, before or below. Timestamps are a \`Date\`, or ISO 8601 in UTC.
- \`in\` \`nin\`: at least one in common, none.
- \`is\` \`nis\` with the value \`null\`: has none, has one.
- \`neq\`, \`nilike\` and \`nin\` also hold where there is no value.
- A \`path\` selects the compared part: keys inside of JSON with dots between them, or the name of a score. Without one, all of the JSON,
  or any score.
${listsOf(schema).map(section).join('')}`

const section = ({ name, fields, columns }) => `
## ${name}

| field | operators | path | meaning |
|---|---|---|---|
${fields
  .filter(({ isOld }) => !isOld)
  .map(row)
  .join('\n')}

Ordered by: ${['createdAt', ...columns.filter((column) => column !== 'createdAt')].map((column) => `\`${column}\``).join(' ')}
`

const row = ({ field, kind, isNullable, path, values, meaning }) => {
  const operators = [OPERATORS[kind], ...(isNullable ? ['`is` `nis`'] : [])].join(' ')
  const listed = values === undefined ? '' : ` ${values.map((value) => `\`${value}\``).join(' ')}`
  return `| \`${field}\` | ${operators} | ${path === undefined ? '' : PATHS[path]} | ${meaning}${listed} |`
}
