import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { documentsIn } from '../src/contract/operations.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-documents-'))
  await mkdir(join(folder, 'own'))
  await mkdir(join(folder, 'shared', 'more'), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const write = (path: string) => writeFile(join(folder, path), 'query Q { project { id } }')
const found = async () =>
  (await documentsIn(join(folder, 'own'))).map(({ file }) => relative(join(folder, 'own'), file))

test('a linked file or folder of documents is read, once, and links in a circle end', async () => {
  await write('own/a.graphql')
  await write('shared/b.graphql')
  await write('shared/more/c.gql')
  await symlink('../shared/b.graphql', join(folder, 'own', 'b.graphql'))
  await symlink('../shared/more', join(folder, 'own', 'more'))
  await symlink('a.graphql', join(folder, 'own', 'z.graphql'))
  await symlink('../../own', join(folder, 'shared', 'more', 'back'))
  expect(await found()).toEqual(['a.graphql', 'b.graphql', 'more/c.gql'])
})

test('a link that leads nowhere is an error, which names it', async () => {
  await symlink('nowhere.graphql', join(folder, 'own', 'a.graphql'))
  await expect(found()).rejects.toThrow(join('own', 'a.graphql'))
})

test('documents are read with capitals in .GRAPHQL, and from folders that only contain node_modules in their name', async () => {
  await mkdir(join(folder, 'own', 'my_node_modules'))
  await mkdir(join(folder, 'own', 'node_modules'))
  await write('own/A.GRAPHQL')
  await write('own/my_node_modules/b.graphql')
  await write('own/node_modules/c.graphql')
  expect(await found()).toEqual(['A.GRAPHQL', 'my_node_modules/b.graphql'])
})
