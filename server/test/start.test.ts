import { readFile } from 'node:fs/promises'
import { buildSchema, validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { typeDefs } from '../generated/type-defs.js'

/** Returns the packages that a built module imports before it runs, by itself or by modules of its own. */
const packagesOf = async (module: URL, seen = new Set<string>()): Promise<Set<string>> => {
  const packages = new Set<string>()
  seen.add(module.href)
  const text = await readFile(module, 'utf8')
  for (const [, name = ''] of text.matchAll(/^(?:im|ex)port (?:.*? from )?['"]([^'"]+)['"];?$/gm)) {
    const isOwn = name.startsWith('.')
    if (!isOwn && !name.startsWith('node:')) packages.add(name)
    const next = isOwn ? new URL(name, module) : undefined
    if (next !== undefined && !seen.has(next.href))
      for (const one of await packagesOf(next, seen)) packages.add(one)
  }
  return packages
}

test('the engine starts before the packages of the service are read', async () => {
  const index = new URL('../dist/src/index.js', import.meta.url)
  expect([...(await packagesOf(index))]).toEqual(['@hono/node-server'])
  const assembled = new URL('../dist/src/assembled.js', import.meta.url)
  expect(await packagesOf(assembled)).toContain('kysely')
})

test('the schema is valid, as no start validates it', () => {
  expect(validateSchema(buildSchema(typeDefs))).toEqual([])
})
