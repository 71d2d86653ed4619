// Writes the page of the documentation about filters.
import { listsOf } from './lists.js'

const OPERATORS = {
  STRING: '`eq` `neq` `ilike` `nilike`',
  JSON: '`eq` `neq` `ilike` `nilike`',
  NUMBER: '`eq` `neq` `gt` `gte` `lt` `lte`',
  INSTANT: '`gt` `gte` `lt` `lte`',
  LIST: '`in` `nin` `ilike` `nilike`',
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
- \`in\` \`nin\`: at least one in common, none. \`ilike\` \`nilike\` look for a text in each of a list.
- \`is\` \`nis\` with the value \`null\`: has none, has one.
- \`neq\`, \`nilike\` and \`nin\` also hold where there is no value. Of scores, and of a thread's steps, \`neq\` and \`nilike\` ask for one that
  differs: \`score!=1\` holds where another score is, and \`-(score=1)\` also where there is none.
- A \`path\` selects the compared part: keys inside of JSON with dots between them, or the name of a score. Without one, all of the JSON,
  or any score.

## Conditions as text

\`query\` takes the text that the filter field of the web UI takes. It must hold beside \`filters\`.

\`\`\`ts
import { StepwellClient } from 'stepwell'

const stepwell = new StepwellClient()
const query = 'any(type=tool error:any) (score[quality]<0.5 OR score[quality]:none)'
const { totalCount } = await stepwell.api.getThreads({ query })
console.log('threads whose tool failed, and that no score praised:', totalCount)
\`\`\`

| text | holds for |
|---|---|
| \`name=refund\` \`name!=refund\` | the whole value, or another one |
| \`name~refund\` \`name!~refund\` | values with this part, or without it, in any case of letters |
| \`duration>30\` \`>=\` \`<\` \`<=\` | numbers and times, as in \`time>=2026-11-21\` |
| \`tags:a,b\` \`tags!:a,b\` | at least one of them, none of them |
| \`error:any\` \`error:none\` \`score[quality]:none\` | items with a value, without one, without such a score |
| \`output[content]~lost\` \`score[quality]<0.5\` | the value at a path, the score of a name |
| \`"lost bag"\` | words: in the output, the comment of a score, the model, or the name of a user |
| \`a b\` \`a OR b\` \`(a OR b) c\` | both, one of them; spaces bind closer than \`OR\` |
| \`-tags:a\` \`NOT tags:a\` \`-(a OR b)\` | the opposite of the operator, or of all in the brackets |
| \`any(type=tool error:any)\` | threads of which one step meets all of it, by the fields of steps |

Fields go by their names below, or by the short ones that the web UI offers: \`user\` \`env\` \`error\` \`score\` \`tokens\` \`time\`, of threads also
\`type\` \`step\` \`output\` \`steps\` \`ended\`, of steps \`start\` \`end\` \`thread\` \`parent\` \`root\`, of generations \`prompt\` \`version\`, of scores \`by\`
\`step\`, of users \`threads\` \`seen\`.

A value with spaces, quotes or brackets stands in quotes, with a backslash before a quote. Times without a zone are in UTC, in the web UI the
viewer's. A text holds up to 100 conditions, and brackets up to 20 deep. A mistake is told with its place.
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
