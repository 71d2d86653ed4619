import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileErrors } from '../support/compile.js'
import { useServiceProcess } from '../support/service-process.js'

// Every program in the docs, unchanged: a block that begins with an import and is not marked `no-run`.
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'test/.docs')
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md') && !/^reference\/(sdk|graphql)\//.test(path))
  .sort()
const programs = pages.flatMap((page) => {
  const text = readFileSync(join(root, 'docs', page), 'utf8')
  return [...text.matchAll(/^```ts\n(import [\s\S]*?)^```/gm)].map(([, program = ''], index) => ({
    name: `${page.replace('.md', '').replaceAll('/', '-')}-${index + 1}`,
    program,
  }))
})

const VITEST = join(root, 'node_modules/vitest/vitest.mjs')
const service = useServiceProcess(programs.length)
beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  // Else vitest takes that of this repository.
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {}\n')
  for (const { name, program } of programs) writeFileSync(join(folder, `${name}.ts`), program)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('there are programs in the docs', () => {
  expect(programs.length).toBeGreaterThanOrEqual(13)
})

test('they pass the compiler, with the types that users get', () => {
  const files = programs.map(({ name }) => join(folder, `${name}.ts`))
  const errors = compileErrors(files).map(({ file, message }) => `${file}: ${message}`)
  expect(errors).toEqual([])
})

test.each(programs.map(({ name }, index) => [name, index] as const))('%s runs', (name, index) => {
  const source = readFileSync(join(folder, `${name}.ts`), 'utf8')
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  const isOfVitest = source.includes("from 'vitest'")
  const file = join(folder, `${name}${isOfVitest ? '.test' : ''}.mjs`)
  writeFileSync(file, outputText)
  const parameters = isOfVitest ? [VITEST, 'run', '--root', folder, file] : [file]
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    encoding: 'utf8',
    timeout: 120_000,
    env: {
      ...process.env,
      STEPWELL_API_KEY: service.apiKeys[index],
      STEPWELL_API_URL: service.url,
    },
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(stdout).not.toBe('')
  expect(stdout).not.toContain('undefined')
  expect(stdout).not.toContain('false')
})
