import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema, type DocumentNode, type GraphQLSchema, parse } from 'graphql'

const root = join(import.meta.dirname, '../..')
export const RECORDED = join(root, 'schema/recorded/contract.graphql')

const readAll = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n')

/** Returns the present schema. */
export const readSchema = (): GraphQLSchema => buildSchema(readAll('schema'))

/** Returns the schema of the last release. */
export const readRecordedSchema = (): GraphQLSchema => buildSchema(readFileSync(RECORDED, 'utf8'))

/** Returns all operations of the SDK, as one document. */
export const readOperations = (): DocumentNode => parse(readAll('operations'))

/** Describes changes that would make documents of released clients invalid, or change their meaning. */
export const breakingChanges = async (
  released: GraphQLSchema,
  current: GraphQLSchema,
): Promise<string[]> =>
  (await diff(released, current))
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message)
