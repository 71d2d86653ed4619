import { fetchAnswer } from '../../../data/fetch-answer.js'
import { at } from '../../../format/base.js'

/** A type as introspection tells it, with the wrappers around a named one. */
export interface TypeRef {
  kind: string
  name: string | null
  ofType?: TypeRef | null
}

export interface Input {
  name: string
  description: string | null
  type: TypeRef
}

export interface Field extends Input {
  args: Input[]
  isDeprecated: boolean
}

export interface SchemaType {
  kind: string
  name: string
  fields: Field[] | null
  inputFields: Input[] | null
  enumValues: { name: string; description: string | null }[] | null
}

export interface Schema {
  queryType: { name: string }
  mutationType: { name: string } | null
  types: SchemaType[]
  directives: { name: string; description: string | null; args: Input[] }[]
}

/** Everything that completion shows, and no more: types are wrapped four times at most. */
const INTROSPECTION = `query Introspection {
  __schema {
    queryType { name }
    mutationType { name }
    types {
      kind name
      fields(includeDeprecated: true) { name description isDeprecated args { ...Input } type { ...Type } }
      inputFields { ...Input }
      enumValues { name description }
    }
    directives { name description args { ...Input } }
  }
}
fragment Input on __InputValue { name description type { ...Type } }
fragment Type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`

let loading: Promise<Schema> | undefined

/** Asks the service for its schema, once for each load of the page. */
export const loadSchema = (): Promise<Schema> => {
  loading ??= fetchAnswer(at('/api/graphql'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: INTROSPECTION }),
  })
    .then((response) => response.json())
    .then(({ data, errors }) => {
      if (data?.__schema === undefined) throw new Error(errors?.[0]?.message ?? 'no schema came')
      return data.__schema as Schema
    })
    .catch((error) => {
      loading = undefined
      throw error
    })
  return loading
}

/** Returns the name of the type inside its wrappers. */
export const namedType = (type: TypeRef | null | undefined): string | undefined =>
  type == null ? undefined : (type.name ?? namedType(type.ofType))

/** Returns a type as the schema language writes it. */
export const showType = (type: TypeRef | null | undefined): string => {
  if (type == null) return ''
  if (type.kind === 'NON_NULL') return `${showType(type.ofType)}!`
  if (type.kind === 'LIST') return `[${showType(type.ofType)}]`
  return type.name ?? ''
}
