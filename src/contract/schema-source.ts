import { readFile } from 'node:fs/promises'
import {
  assertValidSchema,
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { StepwellClient } from '../client.js'
import { invalidArgument } from '../errors.js'

/** Returns the schema of a file, or of a service: the one at a URL, or that of the environment without an argument. */
export const readSchema = async (from: string | undefined): Promise<GraphQLSchema> =>
  from === undefined || /^https?:/.test(from) ? askService(from) : readSchemaFile(from)

export const readSchemaFile = async (path: string): Promise<GraphQLSchema> => {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    throw invalidArgument(
      `there is no schema at ${path}; record that of the service with: stepwell contract pull`,
    )
  }
  try {
    const schema = buildSchema(text)
    assertValidSchema(schema)
    return schema
  } catch (error) {
    throw invalidArgument(`${path} is no GraphQL schema: ${(error as Error).message}`)
  }
}

const askService = async (apiUrl: string | undefined): Promise<GraphQLSchema> => {
  const stepwell = new StepwellClient({ apiUrl, disabled: true })
  return buildClientSchema(
    await stepwell.query<IntrospectionQuery, object>(getIntrospectionQuery()),
  )
}

/** Prints a schema in the form that is recorded: sorted, so that a diff shows changes only. */
export const recordOf = (schema: GraphQLSchema): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`
