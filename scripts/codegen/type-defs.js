// Writes the schema as a TypeScript string, so that the server carries its contract without reading files.
import { printSchema } from 'graphql'

export const plugin = (schema) => `export const typeDefs = ${JSON.stringify(printSchema(schema))}\n`
