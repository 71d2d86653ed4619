import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
  visit,
} from 'graphql'
import * as generated from '../../generated/operations.js'
import { invalidArgument } from '../errors.js'
import { VERSION } from '../version.js'

/** An operation, with the fragments that it uses. */
export interface Operation {
  name: string
  /** Its location, for people. */
  where: string
  document: DocumentNode
}

/** Returns the operations that this version of the SDK sends. */
export const ownOperations = (): Operation[] =>
  Object.values(generated).flatMap((document) =>
    (document as DocumentNode).definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION
        ? [{ name: nameOf(node), where: `stepwell ${VERSION}`, document: document as DocumentNode }]
        : [],
    ),
  )

/** A file of operations and fragments. */
export interface DocumentFile {
  file: string
  document: DocumentNode
}

/** Reads the `.graphql` and `.gql` files of a folder, in the order of their names. */
export const documentsIn = async (folder: string): Promise<DocumentFile[]> => {
  const files = await graphqlFiles(folder)
  return Promise.all(
    files.map(async (file) => ({ file, document: parsed(file, await readFile(file, 'utf8')) })),
  )
}

/** Returns the operations of some files, each with the fragments that it uses, from any of the files. */
export const operationsOf = (documents: readonly DocumentFile[]): Operation[] => {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const places = new Map<string, string>()
  for (const { file, document } of documents)
    for (const node of document.definitions) {
      if (node.kind !== Kind.FRAGMENT_DEFINITION) continue
      const name = node.name.value
      const before = places.get(name)
      if (before !== undefined)
        throw invalidArgument(`the fragment ${name} is defined twice: in ${before} and in ${file}`)
      places.set(name, file)
      fragments.set(name, node)
    }
  return documents.flatMap(({ file, document }) =>
    document.definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION
        ? [
            {
              name: nameOf(node),
              where: relative(process.cwd(), file),
              document: withFragments(node, fragments),
            },
          ]
        : [],
    ),
  )
}

const nameOf = (node: OperationDefinitionNode): string => node.name?.value ?? '(without a name)'

const graphqlFiles = async (folder: string): Promise<string[]> => {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw invalidArgument(`documents: expected a folder, got ${folder}`)
  const files: string[] = []
  await collectFiles(folder, files, new Set([await realpath(folder)]))
  return files.sort()
}

/** Collects each file once: links may lead to a file or folder again, or to a folder around them. */
const collectFiles = async (folder: string, files: string[], seen: Set<string>): Promise<void> => {
  const names = (await readdir(folder)).sort()
  for (const path of names.map((name) => join(folder, name))) {
    const isNamed = /\.(graphql|gql)$/i.test(path)
    // A broken link is of interest under such a name only.
    const found = await stat(path).catch((error) => {
      if (isNamed) throw error
    })
    const isFolder = found?.isDirectory() && basename(path) !== 'node_modules'
    if (!isFolder && !(isNamed && found?.isFile())) continue
    const place = await realpath(path)
    if (seen.has(place)) continue
    seen.add(place)
    if (isFolder) await collectFiles(path, files, seen)
    else files.push(path)
  }
}

const parsed = (file: string, text: string): DocumentNode => {
  try {
    return parse(new Source(text, file))
  } catch (error) {
    throw invalidArgument(withPlace(error as GraphQLError))
  }
}

/** Returns the message of an error in a document, after its file, line and column. */
export const withPlace = ({ message, source, locations }: GraphQLError): string => {
  const [at] = locations ?? []
  return source && at ? `${source.name}:${at.line}:${at.column}: ${message}` : message
}

const withFragments = (
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode => {
  const used = new Set<FragmentDefinitionNode>()
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode) => {
    visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value)
        if (fragment === undefined || used.has(fragment)) return
        used.add(fragment)
        collect(fragment)
      },
    })
  }
  collect(operation)
  return { kind: Kind.DOCUMENT, definitions: [operation, ...used] }
}
