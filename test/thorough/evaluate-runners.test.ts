import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useServiceProcess } from '../support/service-process.js'

// The runners around `evaluate`, as users start them: the command line, and vitest.
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'test/.evaluations')
const service = useServiceProcess(3)
beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  // Else vitest takes that of this repository.
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {}\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (project: number, ...parameters: string[]) => {
  const child = spawn(process.execPath, parameters, {
    cwd: folder,
    env: {
      ...process.env,
      CI: '1',
      NO_COLOR: '1',
      STEPWELL_API_KEY: service.apiKeys[project],
      STEPWELL_API_URL: service.url,
    },
  })
  const texts = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (part) => {
      texts[stream] += part
    })
  const [code] = await once(child, 'exit')
  return { code, ...texts }
}
const command = (project: number, ...parameters: string[]) =>
  run(project, join(root, 'bin/stepwell.js'), 'evaluate', ...parameters)

/** The options of an evaluation whose task is right for a share of 60 items. */
const evaluation = (share: number, more = '') => `{
  name: 'gate', release: '${share}', data: Array.from({ length: 60 }, (_, input) => ({ input })),
  task: ({ input }) => { if (input === 'never') throw new Error(); return (input * 7) % 60 < ${share} * 60 },
  scorers: [{ ...correct, version: '1' }], decide: { metric: 'correct', margin: 0.05 }, ${more} }`
const file = (name: string, ...evaluations: string[]) => {
  writeFileSync(
    join(folder, name),
    `import { scorer } from 'stepwell/evaluate'
const correct = scorer({ name: 'correct', score: ({ output }) => output === true })
export default [${evaluations.join(', ')}]
`,
  )
  return name
}

test('a file that is not there is named in one line', async () => {
  expect(await command(0, 'nowhere.mjs')).toEqual({
    code: 3,
    stdout: '',
    stderr: 'stepwell: nowhere.mjs: there is no such file\n',
  })
})

test('stepwell evaluate prints the tables, writes files, and ends with the worst exit code', async () => {
  const first = await command(0, file('first.mjs', evaluation(0.5)), '--quiet')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('gate: 60 results')
  const second = await command(
    0,
    file('second.mjs', evaluation(0.52, "compareTo: 'previous'"), evaluation(0.1)),
    ...['--junit', 'out/junit.xml', '--markdown', 'comment.md'],
  )
  expect(second.code).toBe(1)
  expect(second.stdout).toContain('worse')
  expect(second.stderr).toContain('gate: 60 of 60 (100 %)')
  expect(readFileSync(join(folder, 'out/junit-2.xml'), 'utf8')).toContain('name="verdict"')
  expect(readFileSync(join(folder, 'comment-2.md'), 'utf8')).toMatch(/^### ❌ gate/)
})

test.each([
  ['a file that is missing', ['missing.mjs'], 'missing.mjs'],
  ['no file', [], 'expected a file'],
  ['a folder', ['.'], '.: expected a module, this is a folder'],
  ['a file that exports nothing', ['empty.mjs'], 'empty.mjs: expected the options of evaluate()'],
  ['a misspelt option', ['empty.mjs', '--stop-earl'], "Unknown option '--stop-earl'"],
  ['a second file', ['empty.mjs', 'empty.mjs'], 'expected one command'],
  [
    'an early stop of what asks for no verdict',
    ['open.mjs', '--stop-early'],
    '--stop-early: expected an evaluation with `decide`',
  ],
])('stepwell evaluate with %s ends with 3, and says why', async (_, parameters, message) => {
  writeFileSync(join(folder, 'empty.mjs'), '\n')
  file('open.mjs', evaluation(1, 'decide: undefined'))
  const { code, stderr } = await command(0, ...parameters)
  expect(code).toBe(3)
  expect(stderr).toContain(message)
})

test.each([
  ['worker', 'empty.mjs', '--onc'],
  ['workers', 'empty.mjs'],
])(
  'stepwell judge %s %s %s ends with 3, as 2 would say that its agreement is unknown',
  async (...parameters) => {
    const { code, stderr } = await run(0, join(root, 'bin/stepwell.js'), 'judge', ...parameters)
    expect(code).toBe(3)
    expect(stderr).toContain('Usage: stepwell judge --help')
  },
)

test.each([
  ['process.exit(0)', 0],
  ['setTimeout(() => { throw new Error("later") })', 1],
  ['Promise.reject(new Error("later"))', 1],
])('a task that ends the process by %s passes no gate', async (end, code) => {
  const more = `task: async ({ input }) => { if (input === 9) { ${end} } return await new Promise((done) => setTimeout(done, 50, true)) },`
  const ended = await command(0, file('ends.mjs', evaluation(1, more)), '--quiet', '--no-resume')
  expect(ended).toMatchObject({ code: 3, stdout: '' })
  expect(ended.stderr).toContain(`the process ended with the code ${code} before the command did`)
})

test('a vitest suite has a test for each item and one for the verdict', async () => {
  writeFileSync(
    join(folder, 'suite.test.mjs'),
    `import { describeEval } from 'stepwell/evaluate/vitest'
describeEval({
  name: 'suite',
  data: [{ key: 'good', input: 1 }, { key: 'bad', input: 0 }],
  task: ({ input }) => { if (input === 0) throw new Error('no answer'); return input },
  scorers: [function positive({ output }) { return output > 0 }],
})
`,
  )
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const suite = ['run', '--root', folder, '--reporter=json', '--outputFile=suite.json', 'suite']
  const { code } = await run(1, vitest, ...suite)
  expect(code).toBe(1)
  const report = JSON.parse(readFileSync(join(folder, 'suite.json'), 'utf8'))
  const results = report.testResults[0].assertionResults as {
    fullName: string
    status: string
    failureMessages: string[]
  }[]
  expect(results.map(({ fullName, status }) => [fullName, status])).toEqual([
    ['suite good', 'passed'],
    ['suite bad', 'failed'],
    ['suite verdict', 'failed'],
  ])
  expect(results[1]?.failureMessages[0]).toContain('no answer')
  expect(results[2]?.failureMessages[0]).toContain('1 of 2 results have errors')
})
