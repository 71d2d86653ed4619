import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  Kind,
} from 'graphql'
import { cell } from './reference-text.js'

type Field = GraphQLField<unknown, unknown>

const scopesOf = ({ astNode }: Field): string => {
  const scope = astNode?.directives?.find(({ name }) => name.value === 'scope')
  const value = scope?.arguments?.[0]?.value
  if (value?.kind !== Kind.LIST) return 'any'
  return value.values.map((one) => (one.kind === Kind.ENUM ? `\`${one.value}\`` : '')).join(' or ')
}

const table = (head: string, rows: readonly string[]): string =>
  rows.length === 0 ? '' : `| ${head} | type | |\n|---|---|---|\n${rows.join('\n')}`

const row = (name: string, type: unknown, text: string | null | undefined, old?: string | null) =>
  `| \`${name}\` | \`${String(type)}\` | ${cell(text ?? '')}${old ? ` Deprecated: ${cell(old)}` : ''} |`

const rootField = (field: Field): string =>
  [
    `## ${field.name}`,
    `\`${field.name}: ${String(field.type)}\``,
    field.description ?? '',
    field.deprecationReason ? `Deprecated: ${field.deprecationReason}` : '',
    `Scope of the key: ${scopesOf(field)}.`,
    table(
      'argument',
      field.args.map(({ name, type, description, deprecationReason }) =>
        row(name, type, description, deprecationReason),
      ),
    ),
  ].join('\n\n')

const fieldsOf = (type: GraphQLObjectType | GraphQLInputObjectType): string =>
  [
    `## ${type.name}`,
    type.description ?? '',
    table(
      'field',
      Object.values(type.getFields()).map(({ name, type, description, deprecationReason }) =>
        row(name, type, description, deprecationReason),
      ),
    ),
  ].join('\n\n')

/** Returns the pages about GraphQL, by their names. */
export const graphqlPages = (root: string): Map<string, string> => {
  const folder = join(root, 'schema')
  const schema = buildSchema(
    readdirSync(folder)
      .filter((name) => name.endsWith('.graphql'))
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n'),
  )
  const all = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const roots: GraphQLNamedType[] = [schema.getQueryType(), schema.getMutationType()].filter(
    (type) => type != null,
  )
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {})
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
  const objects = all.filter(isObjectType).filter((type) => !roots.includes(type))
  const list = (page: string, fields: readonly Field[]) =>
    fields.map(
      (field) =>
        `| [\`${field.name}\`](${page}#${field.name.toLowerCase()}) | ${scopesOf(field)} | ${cell((field.description ?? '').split(/(?<=\.)\s/)[0] ?? '')} |`,
    )
  const head = '| field | scope of the key | |\n|---|---|---|'
  return new Map([
    [
      'README.md',
      `# GraphQL

\`POST /api/graphql\`, with the key in the header \`x-api-key\`. Written by \`npm run reference\` from the descriptions of the
[schema](../../../schema). The schema only grows.

- [Queries](queries.md)
- [Mutations](mutations.md)
- [Object types](objects.md)
- [Input types](inputs.md)
- [Enums](enums.md)

[HTTP](../http.md) has an example with curl, and [errors](../errors.md) the codes.

## Queries

${head}
${list('queries.md', queries).join('\n')}

## Mutations

${head}
${list('mutations.md', mutations).join('\n')}`,
    ],
    ['queries.md', `# Queries\n\n${queries.map(rootField).join('\n\n')}`],
    ['mutations.md', `# Mutations\n\n${mutations.map(rootField).join('\n\n')}`],
    ['objects.md', `# Object types\n\n${objects.map(fieldsOf).join('\n\n')}`],
    ['inputs.md', `# Input types\n\n${all.filter(isInputObjectType).map(fieldsOf).join('\n\n')}`],
    [
      'enums.md',
      `# Enums\n\n${all
        .filter(isEnumType)
        .map((type) =>
          [
            `## ${type.name}`,
            type.description ?? '',
            `| value | |\n|---|---|\n${type
              .getValues()
              .map(
                ({ name, description, deprecationReason }) =>
                  `| \`${name}\` | ${cell(description ?? '')}${deprecationReason ? ` Deprecated: ${cell(deprecationReason)}` : ''} |`,
              )
              .join('\n')}`,
          ].join('\n\n'),
        )
        .join('\n\n')}`,
    ],
  ])
}
