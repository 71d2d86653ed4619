import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { useServiceProcess } from '../support/service-process.js'

// An application with documents of its own, following docs/guides/own-documents.md, with the built command line.
const root = join(import.meta.dirname, '../..')
const service = useServiceProcess(2)
let app: string
beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'stepwell-app-'))
  await mkdir(join(app, 'node_modules'))
  await symlink(root, join(app, 'node_modules/stepwell'))
  for (const name of ['@graphql-codegen', '@graphql-typed-document-node'])
    await symlink(join(root, 'node_modules', name), join(app, 'node_modules', name))
  await write('package.json', '{ "type": "module" }')
})
afterAll(() => rm(app, { recursive: true, force: true }))

const write = async (path: string, text: string) => {
  await mkdir(dirname(join(app, path)), { recursive: true })
  await writeFile(join(app, path), text)
}
const read = (path: string) => readFile(join(app, path), 'utf8')
const stepwell = (command: string, apiKey = service.apiKeys[0]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'bin/stepwell.js'), ...command.split(' ')],
    {
      cwd: app,
      encoding: 'utf8',
      env: { ...process.env, STEPWELL_API_KEY: apiKey, STEPWELL_API_URL: service.url },
    },
  )
  return { status, said: `${stdout}${stderr}` }
}
/** Returns the compiler's errors about a file of the application. */
const errorsIn = (path: string): string[] => {
  const program = ts.createProgram([join(app, path)], {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
    types: [],
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const PROGRAM = `
import { StepwellClient } from 'stepwell'
import { RunTitlesDocument } from './generated/stepwell.js'

export const titles = async (stepwell: StepwellClient): Promise<(string | null)[]> => {
  const { steps } = await stepwell.query(RunTitlesDocument, { first: 10 })
  return steps.edges.map(({ node }) => node.name)
}
`

test('an application generates typed documents, gets a report of a breaking change, and generates again', async () => {
  await write(
    'src/queries/runs.graphql',
    'query RunTitles($first: Int) { steps(first: $first) { edges { node { ...Titled } } } }',
  )
  await write('src/queries/titled.graphql', 'fragment Titled on Step { id name }')
  await write('src/titles.ts', PROGRAM)

  expect(stepwell('contract pull')).toEqual({ status: 0, said: 'recorded in stepwell.graphql\n' })
  expect(stepwell('codegen --documents src/queries --check')).toMatchObject({ status: 1 })
  expect(stepwell('codegen --documents src/queries')).toMatchObject({ status: 0 })
  expect(stepwell('codegen --documents src/queries --check')).toMatchObject({ status: 0 })
  expect(errorsIn('src/titles.ts')).toEqual([])
  const { RunTitlesDocument } = await import(
    /* @vite-ignore */ join(app, 'src/generated/stepwell.ts')
  )
  const client = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  await client.api.sendSteps([{ id: 'a', name: 'agent' }])
  expect(await client.query(RunTitlesDocument, { first: 10 })).toEqual({
    steps: { edges: [{ node: { id: 'a', name: 'agent' } }] },
  })

  // A future service: a field has another name, and there is a new one.
  const tomorrow = (await read('stepwell.graphql'))
    .replace(/(type Step \{[\s\S]*?\n {2})name: String\n/, '$1title: String\n')
    .replace('type Step {', 'type Step {\n  weight: Float')
  await write('tomorrow.graphql', tomorrow)
  const check = stepwell('contract check --schema tomorrow.graphql --documents src/queries')
  expect(check.status).toBe(1)
  expect(check.said).toContain('breaking: Step.name was removed')
  expect(check.said).toContain('RunTitles (src/queries/runs.graphql)')
  expect(check.said).toMatch(/GetStep \(stepwell \d/)

  expect(stepwell('codegen --documents src/queries --schema tomorrow.graphql')).toMatchObject({
    status: 2,
    said: expect.stringContaining('Cannot query field "name" on type "Step"'),
  })
  await write('src/queries/titled.graphql', 'fragment Titled on Step { id title weight }')
  expect(stepwell('codegen --documents src/queries --schema tomorrow.graphql')).toMatchObject({
    status: 0,
  })
  expect(errorsIn('src/titles.ts').join()).toContain("Property 'name' does not exist")
  await write('src/titles.ts', PROGRAM.replace('node.name', 'node.title'))
  expect(errorsIn('src/titles.ts')).toEqual([])
})

test('documents that the service would reject are named by file and line, and nothing is generated', async () => {
  stepwell('contract pull')
  const out = 'src/wrong.ts'
  const said = async (first: string, second = '') => {
    await write('src/wrong/first.graphql', first)
    await write('src/wrong/second.graphql', second || 'query Other { project { id } }')
    const { status, said } = stepwell(`codegen --documents src/wrong --out ${out}`)
    expect(status).toBe(2)
    await expect(read(out)).rejects.toThrow('ENOENT')
    return said
  }
  const steps = (fields: string) => `{ steps { edges { node { ${fields} } } } }`
  expect(await said(`query A\n  ${steps('...F')}`, 'fragment F on Step {\n  id\n  nam\n}')).toBe(
    'stepwell: src/wrong/second.graphql:3:3: Cannot query field "nam" on type "Step". Did you mean "name"?\n',
  )
  expect(await said(`query A(\n $x: Int) ${steps('id')}`)).toBe(
    'stepwell: src/wrong/first.graphql:2:2: Variable "$x" is never used in operation "A".\n',
  )
  expect(await said(`query A ${steps('id @now')}`)).toContain(
    'src/wrong/first.graphql:1:37: Unknown directive "@now"',
  )
  expect(await said('query A {\n steps(\n')).toContain(
    'src/wrong/first.graphql:3:1: Syntax Error: Expected Name, found <EOF>',
  )
  expect(await said(`query steps ${steps('id')}`, `query Steps ${steps('name')}`)).toBe(
    'stepwell: two operations or fragments would be exported as StepsDocument; rename one\n',
  )
})

test('an application may have another release of graphql than the SDK', async () => {
  const other = await mkdtemp(join(tmpdir(), 'stepwell-graphql-'))
  const modules = join(root, 'node_modules')
  await mkdir(join(other, 'node_modules'))
  for (const name of await readdir(modules))
    if (name !== 'graphql') await symlink(join(modules, name), join(other, 'node_modules', name))
  await cp(join(modules, 'graphql'), join(other, 'node_modules/graphql'), { recursive: true })
  stepwell('contract pull')
  await write('src/other/runs.graphql', 'query Runs { steps { edges { node { id } } } }')
  const { status, stderr } = spawnSync(
    process.execPath,
    // Else packages behind links would find the SDK's.
    [
      '--preserve-symlinks',
      join(root, 'bin/stepwell.js'),
      'codegen',
      '--documents',
      join(app, 'src/other'),
      '--schema',
      join(app, 'stepwell.graphql'),
    ],
    { cwd: other, encoding: 'utf8' },
  )
  await rm(other, { recursive: true })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('a harmless change passes, and so does the recorded service itself', async () => {
  stepwell('contract pull')
  await write(
    'more.graphql',
    (await read('stepwell.graphql')).replace('type Step {', 'type Step {\n  weight: Float'),
  )
  for (const check of ['contract check', 'contract check --schema more.graphql'])
    expect(stepwell(check)).toMatchObject({
      status: 0,
      said: expect.stringMatching(/^none of \d+ operations breaks\n$/),
    })
})

test('prompts are pulled with the types of their variables, and serve without a service', async () => {
  const client = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  await client.api.getOrCreatePrompt('support', [
    { role: 'system', content: 'You work for {{shop}}.{{#items}}{{.}}{{/items}}' },
  ])
  await client.api.getOrCreatePrompt('say "hi"', [{ role: 'user', content: 'Hi' }])
  await client.api.createPromptLineage('without a version')
  expect(stepwell('prompts pull')).toEqual({
    status: 0,
    said: '2 prompts written to src/prompts.ts\n',
  })
  const program = (variables: string) => `
    import { StepwellClient } from 'stepwell'
    import { prompts } from './prompts.js'
    const stepwell = new StepwellClient({ apiKey: 'k', prompts: { snapshot: prompts } })
    const prompt = await stepwell.api.getPrompt('support')
    prompt?.format(${variables})
    const other = await stepwell.api.getPrompt('unknown')
    other?.format({ anything: 1 })
    export {}
  `
  await write('src/use.ts', program(`{ shop: 'Ada', items: ['a'] }`))
  expect(errorsIn('src/use.ts')).toEqual([])
  await write('src/use.ts', program(`{ shop: 'Ada' }`))
  expect(errorsIn('src/use.ts').join()).toMatch(/items.* is missing/)
  await write('src/use.ts', program(''))
  expect(errorsIn('src/use.ts')).toHaveLength(1)

  const { prompts } = await import(/* @vite-ignore */ join(app, 'src/prompts.ts'))
  const away = new StepwellClient({
    apiKey: 'k',
    apiUrl: 'http://127.0.0.1:9',
    prompts: { snapshot: prompts },
    onReport: () => {},
  })
  const prompt = await away.api.getPrompt('support')
  expect(prompt?.format({ shop: 'Ada', items: [1, 2] })).toMatchObject([
    { role: 'system', content: 'You work for Ada.12' },
  ])
})

test('prompts and their settings keep names that every object has', async () => {
  const client = new StepwellClient({ apiKey: service.apiKeys[1], apiUrl: service.url })
  const names = ['__proto__', 'constructor', 'toString']
  const settings = JSON.parse('{ "model": "m", "__proto__": { "a": 1 } }')
  for (const name of names)
    await client.api.createPrompt(
      name,
      [{ role: 'user', content: `${name} {{__proto__}} {{valueOf}}` }],
      settings,
    )
  expect(stepwell('prompts pull --out src/odd.ts', service.apiKeys[1])).toEqual({
    status: 0,
    said: '3 prompts written to src/odd.ts\n',
  })
  expect(errorsIn('src/odd.ts')).toEqual([])
  const { prompts } = await import(/* @vite-ignore */ join(app, 'src/odd.ts'))
  expect(Object.keys(prompts).sort()).toEqual(names.toSorted())
  const away = new StepwellClient({
    apiKey: 'k',
    apiUrl: 'http://127.0.0.1:9',
    prompts: { snapshot: prompts },
    onReport: () => {},
  })
  for (const name of names) {
    const prompt = await away.api.getPrompt(name)
    expect(JSON.parse(JSON.stringify(prompt?.settings))).toEqual(settings)
    const variables = JSON.parse('{ "__proto__": "one", "valueOf": "two" }')
    expect(prompt?.format(variables)).toMatchObject([{ content: `${name} one two` }])
  }
})

test('what commands write goes to the standard output as --out -, alone, and to no file', async () => {
  stepwell('contract pull')
  await write('src/piped/any.graphql', 'query Any { __typename }')
  stepwell('codegen --documents src/piped --out piped.ts')
  stepwell('prompts pull --out prompts.ts')
  expect(stepwell('contract pull --out -').said).toBe(await read('stepwell.graphql'))
  expect(stepwell('codegen --documents src/piped --out -').said).toBe(await read('piped.ts'))
  expect(stepwell('prompts pull --out -').said).toBe(await read('prompts.ts'))
  expect(await readdir(app)).not.toContain('-')
})

test('a failed command prints the reason and a remedy in one line', async () => {
  expect(stepwell('codegen')).toMatchObject({
    status: 2,
    said: expect.stringContaining('--documents'),
  })
  expect(stepwell('codegen --documents nowhere')).toMatchObject({
    status: 2,
    said: 'stepwell: documents: expected a folder, got nowhere\n',
  })
  expect(stepwell('contract check --recorded nowhere.graphql')).toMatchObject({
    status: 2,
    said: expect.stringContaining('stepwell contract pull'),
  })
  expect(stepwell('contract')).toMatchObject({ status: 2, said: expect.stringContaining('Usage') })
  expect(stepwell('contract pull --schema http://127.0.0.1:9')).toMatchObject({
    status: 2,
    said: expect.stringContaining('no answer from http://127.0.0.1:9'),
  })
  for (const command of ['codegen', 'contract', 'prompts', 'spool'])
    expect(stepwell(`${command} --help`)).toMatchObject({
      status: 0,
      said: expect.stringContaining(`Usage: stepwell ${command}`),
    })
  // Those of other tests are for a schema that has changed.
  await mkdir(join(app, 'src/valid'))
  await writeFile(join(app, 'src/valid/any.graphql'), 'query Any { __typename }')
  await rm(join(app, 'node_modules/@graphql-codegen'))
  expect(stepwell('codegen --documents src/valid')).toMatchObject({
    status: 2,
    said: expect.stringContaining('npm install --save-dev @graphql-codegen/core'),
  })
})
