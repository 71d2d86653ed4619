// Compiles the declarations as they are published, without `skipLibCheck`, in bare projects: no DOM, no @types/node, an
// old TypeScript. Installs the packed package and compilers into a temporary folder.
//
//   node scripts/bare-types.js
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'stepwell-types-'))

const COMPILERS = { ts54: '~5.4', ts59: '~5.9', ts6: '6' }

const USE = `import { StepwellClient, StepwellError, type Step } from 'stepwell'
import { createApi, type Api } from 'stepwell/api'
import { Tracer } from 'stepwell/tracing'
import { Tracer as Spooling } from 'stepwell/spool'
import { StepwellClient as Blocking } from 'stepwell/sync'
import { otlp } from 'stepwell/otlp'
import { stepwellTelemetry } from 'stepwell/ai-sdk'
import { stepwellCallbacks } from 'stepwell/langchain'
import { recordQuery } from 'stepwell/claude-agent-sdk'
import { stepwellBridge } from 'stepwell/mastra'
import { recordMcp } from 'stepwell/mcp'
import { stepwellProcessor } from 'stepwell/openai-agents'
import { assertStep, recordInMemory } from 'stepwell/testing'

export const client = new StepwellClient({ apiKey: 'k', prompts: { ttlMs: 1000 } })
export const hooks = [stepwellTelemetry(client), stepwellCallbacks(client), stepwellProcessor(client), recordMcp, recordQuery, stepwellBridge]
export const api: Api = createApi({ apiKey: 'k' })
export const tracers = [new Tracer({ sample: 0.5, exporters: [otlp()] }), new Spooling({ spool: 'folder' })]
export const first: Step | null = new Blocking().api.getStep('s')
export const read = async (): Promise<number | undefined> => {
  const { data } = await client.api.getSteps({ filters: [{ field: 'tags', operator: 'in', value: ['a'] }] })
  await client.api.createAttachment({ content: 'text', stepId: 's' })
  for await (const step of client.api.get_steps.all()) if (step.thread_id === null) break
  return client.trace('agent', (step) => {
    step.end()
    return data[0]?.generation?.tokenCount ?? undefined
  })
}
export const expectAgent = (): void => assertStep(recordInMemory().steps, { name: 'agent', error: null }, { times: 0 })
export class Shop {
  @client.tracedMethod({ type: 'tool' })
  async ship(order: string): Promise<{ order: string }> {
    return { order }
  }
}
export const isOurs = (error: unknown): boolean => StepwellError.is(error)
`
/** Classes of the platform must be accepted as its own types declare them. */
const WITH_PLATFORM = `${USE}
export const replaced = new StepwellClient({ fetch: (input, init) => fetch(input, init) })
export const network = new StepwellClient({ fetch: globalThis.fetch })
export const attach = (stream: ReadableStream<Uint8Array>) => [
  client.api.createAttachment({ content: new Blob(['a']) }),
  client.api.create_attachment({ content: stream }),
]
// @ts-expect-error a number is no content
client.api.createAttachment({ content: 1 })
`

const nodeNext = { module: 'nodenext', lib: ['es2022'], types: [] }
/** Files of a project are compiled at once: most of the time goes into reading the libraries of the compiler. */
const PROJECTS = {
  'bare, ES modules and CommonJS': { options: nodeNext, files: ['use.mts', 'use.cts'], text: USE },
  'DOM, for a bundler': {
    options: {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    },
    files: ['use.ts'],
    text: WITH_PLATFORM,
  },
  'Node, its types': {
    options: { ...nodeNext, types: ['node'] },
    files: ['use.mts'],
    text: WITH_PLATFORM,
  },
  'decorators of the kind before, as of NestJS': {
    options: { ...nodeNext, types: ['node'], experimentalDecorators: true },
    files: ['use.cts'],
    text: WITH_PLATFORM,
  },
}

const run = (command, parameters, cwd) => {
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd, encoding: 'utf8' })
  return { isGood: status === 0, output: `${stdout}${stderr}` }
}
const must = (command, parameters, cwd) => {
  const { isGood, output } = run(command, parameters, cwd)
  if (!isGood) throw new Error(`${command} ${parameters.join(' ')}: ${output}`)
  return output
}

try {
  must('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], root)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  const packages = Object.entries(COMPILERS).map(
    ([name, range]) => `${name}@npm:typescript@${range}`,
  )
  must(
    'npm',
    ['install', '--no-audit', '--no-fund', `./${tarball}`, '@types/node@20', ...packages],
    folder,
  )
  for (const [index, [name, { options, files, text }]] of Object.entries(PROJECTS).entries()) {
    const project = join(folder, `project-${index}`)
    mkdirSync(project)
    for (const file of files) writeFileSync(join(project, file), text)
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2022',
      skipLibCheck: false,
      ...options,
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    for (const compiler of Object.keys(COMPILERS)) {
      const program = join(folder, 'node_modules', compiler, 'bin/tsc')
      const { isGood, output } = run(process.execPath, [program, '-p', project], folder)
      console.log(`${isGood ? 'compiles' : 'FAILS'}: ${name}, TypeScript ${COMPILERS[compiler]}`)
      if (!isGood) {
        console.log(output.slice(0, 4000))
        process.exitCode = 1
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
