import { rmSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { declarationsOf, Editor, installed } from './support/editor.js'

// The view of the installed package in a user's editor: TypeScript's language service on the built types.
const folder = installed()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const names = Object.keys(new StepwellClient({ apiKey: 'k' }).api)

const ENTRIES = {
  stepwell:
    "import { StepwellClient } from 'stepwell'\ndeclare const client: StepwellClient\nconst { api } = client",
  'stepwell/api': "import type { Api } from 'stepwell/api'\ndeclare const api: Api",
  'stepwell/sync':
    "import { StepwellClient } from 'stepwell/sync'\ndeclare const client: StepwellClient\nconst { api } = client",
}

const fileOf = (header: string): string =>
  `${header}\n${names.map((name) => `api./*${name}*/${name}`).join('\n')}\n`

const DEPRECATED = ['createPrompt', 'create_prompt', 'uploadFile', 'upload_file']

/** Returns the methods that hover without a description. */
const blank = (editor: Editor): string[] =>
  names.filter((name) => editor.hover(editor.after(`/*${name}*/`)).description.trim() === '')

describe.each(Object.entries(ENTRIES))('in an editor, the operations of %s', (_, header) => {
  const editor = new Editor(folder, fileOf(header))

  test('pass the compiler', () => {
    expect(editor.errors()).toEqual([])
  })

  test('hover with a description, without exception', () => {
    expect(names.length).toBeGreaterThan(150)
    expect(blank(editor)).toEqual([])
  })

  test('keep their examples', () => {
    const { tags } = editor.hover(editor.after('/*sendSteps*/'))
    expect(tags.get('example')).toContain('sendSteps([')
  })

  test('are struck through where they are deprecated, and nowhere else', () => {
    const struck = editor.struckThrough()
    const found = names.filter((name) => struck.includes(editor.after(`/*${name}*/`)))
    expect(found.sort()).toEqual(DEPRECATED)
  })

  test('strike through the form of upsertThread that is deprecated, and not the other', () => {
    const calls = `${header}\napi./*object*/upsertThread({ threadId: 't' })\napi./*list*/upsertThread('t', 'name')\n`
    const open = new Editor(folder, calls)
    expect(open.errors()).toEqual([])
    expect(open.struckThrough()).toEqual([open.after('/*list*/')])
    expect(open.hover(open.after('/*object*/')).description).toContain('Creates or updates')
  })

  test('are offered by completion, the deprecated ones as such', () => {
    const offered = editor.completions(editor.after('api./*getStep*/'))
    expect([...offered.keys()].sort()).toEqual([...names].sort())
    const deprecated = [...offered].filter(([, modifiers]) => modifiers.includes('deprecated'))
    expect(deprecated.map(([name]) => name).sort()).toEqual(DEPRECATED)
  })

  test('lead to their declaration in the file of their noun', () => {
    for (const name of names) {
      const [found, ...others] = editor.definition(editor.after(`/*${name}*/`))
      expect(others.length, name).toBeLessThan(3)
      expect(found?.file, name).toMatch(
        /dist\/(esm|cjs)\/src\/(api|sync)\/((alerts|audit|costs|datasets|prompts|retention|views)\/)?\w+\.d\.ts$/,
      )
      expect(found?.line, name).toMatch(new RegExp(`^${name}\\b`))
    }
  })
})

/** The folders of nouns that are not beside the others. */
const FOLDERS: Record<string, string> = {
  alerts: 'alerts/',
  prices: 'costs/',
  labels: 'prompts/',
  splits: 'prompts/',
  views: 'views/',
}

/** Returns the declarations of an API that is assembled by a spread, as the compiler writes them. */
const spread = (): string => {
  const api = join(folder, 'node_modules/stepwell/dist/esm/src/api')
  const nouns = [
    ...(declarationsOf(folder).get(join(api, 'api.d.ts')) ?? '').matchAll(/typeof (\w+)Api\b/g),
  ]
  const file = join(api, 'spread.ts')
  const source = [
    "import type { Transport } from '../transport/transport.js'",
    ...nouns.map(
      ([, noun]) => `import { ${noun}Api } from './${FOLDERS[noun ?? ''] ?? ''}${noun}.js'`,
    ),
    `const apiOf = (transport: Transport) => ({ ${nouns.map(([, noun]) => `...${noun}Api(transport)`).join(', ')} })`,
    'export const createApi = (transport: Transport) => apiOf(transport)',
    'export type Api = ReturnType<typeof apiOf>',
  ].join('\n')
  const options: ts.CompilerOptions = {
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, version) =>
    path === file ? ts.createSourceFile(path, source, version) : getSourceFile(path, version)
  let text = ''
  const program = ts.createProgram([file], options, host)
  program.emit(undefined, (path, content) => {
    if (path.endsWith('spread.d.ts')) text = content
  })
  return text
}

test('an API that is assembled by a spread would hover blank, and this would be found', () => {
  const api = join(folder, 'node_modules/stepwell/dist/esm/src/api/api.d.ts')
  const editor = new Editor(folder, fileOf(ENTRIES.stepwell), new Map([[api, spread()]]))
  expect(editor.errors()).toEqual([])
  expect(blank(editor).length).toBeGreaterThan(100)
})

test('measurements hover by their name', () => {
  const editor = new Editor(folder, fileOf(ENTRIES.stepwell))
  const { signature } = editor.hover(editor.after('/*getMetrics*/'))
  expect(signature).toContain('(params: MetricsParams) => Promise<Metrics>')
})

const OBJECTS = `import { StepwellClient, type LiveStep, type LiveThread } from 'stepwell'
import { Tracer } from 'stepwell/tracing'
import { Tracer as Spooling } from 'stepwell/spool'
import { StepwellClient as Blocking } from 'stepwell/sync'
declare const client: StepwellClient
declare const step: LiveStep
declare const thread: LiveThread
declare const tracer: Tracer
declare const spooling: Spooling
declare const blocking: Blocking
declare const decoration: Parameters<Tracer['decorate']>[0]
client./*client*/stats
step./*step*/end
thread./*thread*/upsert
tracer./*tracer*/stats
spooling./*spooling*/stats
blocking./*blocking*/stats
decoration./*decoration*/tags
`

const RECORDING = [
  'baggage',
  'bind',
  'close',
  'continueTrace',
  'currentRootRun',
  'currentStep',
  'currentThread',
  'decorate',
  'experimentItemRun',
  'fetch',
  'fetchThrough',
  'flush',
  'getCurrentExperimentItemRunId',
  'getCurrentStep',
  'getCurrentThread',
  'getRootRun',
  'release',
  'run',
  'stats',
  'step',
  'thread',
  'trace',
  'traceHeaders',
  'traced',
  'tracedMethod',
  'wrapClient',
]

test.each([
  ['client', [...RECORDING, 'api', 'apiUrl', 'exportList', 'export_list', 'query']],
  ['blocking', [...RECORDING, 'api', 'exportList', 'export_list', 'query']],
  ['tracer', RECORDING],
  ['spooling', RECORDING],
  [
    'step',
    [
      'assign',
      'attachments',
      'end',
      'endTime',
      'environment',
      'error',
      'generation',
      'id',
      'input',
      'isMessage',
      'metadata',
      'name',
      'output',
      'parentId',
      'rootRunId',
      'scores',
      'send',
      'serialize',
      'startTime',
      'step',
      'tags',
      'threadId',
      'toJSON',
      'trace',
      'type',
      'until',
      'wrap',
    ],
  ],
  [
    'thread',
    [
      'assign',
      'environment',
      'id',
      'metadata',
      'name',
      'participantId',
      'run',
      'score',
      'serialize',
      'step',
      'tags',
      'toJSON',
      'upsert',
      'wrap',
    ],
  ],
  ['decoration', ['environment', 'metadata', 'stepId', 'tags']],
])('a %s offers what is public, and nothing internal', (name, members) => {
  const editor = new Editor(folder, OBJECTS)
  expect(editor.errors()).toEqual([])
  expect([...editor.completions(editor.after(`/*${name}*/`)).keys()].sort()).toEqual(
    [...members].sort(),
  )
})

test('no published declaration is marked as internal', () => {
  const marked = [...declarationsOf(folder)].filter(([, text]) => text.includes('@internal'))
  expect(marked.map(([file]) => file)).toEqual([])
})
