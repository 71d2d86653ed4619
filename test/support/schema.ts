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

/** The schema as it is now. */
export const readSchema = (): GraphQLSchema => buildSchema(readAll('schema'))

/** The schema of the last release. */
export const readRecordedSchema = (): GraphQLSchema => buildSchema(readFileSync(RECORDED, 'utf8'))

/** All operations of the SDK, as one document. */
export const readOperations = (): DocumentNode => parse(readAll('operations'))

/** What would make documents of released clients invalid, or mean something else, in words. */
export const breakingChanges = async (
  released: GraphQLSchema,
  current: GraphQLSchema,
): Promise<string[]> =>
  (await diff(released, current))
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message)
