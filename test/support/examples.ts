import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'
import { compileErrors } from './compile.js'
import type { Docstring, Docstrings } from './docstrings.js'
import type { ExampleWorld } from './example-world.js'

const root = join(import.meta.dirname, '../..')
const WORLD = readFileSync(join(import.meta.dirname, 'example-world.ts'), 'utf8')
const NAMES = [...WORLD.matchAll(/^ {2}(\w+)[(:]/gm)].map(([, name]) => name)

/** An example of a docstring, as a program. */
export interface Example {
  /** The object and the method that it is an example of. */
  name: string
  /** The scopes of the key that it runs with, by the docstring: one of each list. */
  scopes: string[][]
  program: string
}

/** Reads the scopes that a docstring names: "`read`, and `ingest` or `write`". */
const scopesIn = (text: string): string[][] =>
  text
    .split(', and ')
    .map((part) => [...part.matchAll(/`(\w+)`/g)].map(([, scope = '']) => scope))
    .filter((scopes) => scopes.length > 0)

/** Makes a program of an example: its imports first, the rest as a function of the world. */
const programOf = (example: string): string => {
  const lines = example.split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const body = lines.filter((line) => !line.startsWith('import '))
  return `${imports.join('\n')}
import type { ExampleWorld } from './example-world.js'
export default async ({ ${NAMES.join(', ')} }: ExampleWorld): Promise<void> => {
  {
${body.join('\n')}
  }
}
`
}

const toExamples = ({ name, tags }: Docstring): Example[] =>
  (tags.get('example') ?? []).map((example, index) => ({
    name: index === 0 ? name : `${name} (${index + 1})`,
    scopes: scopesIn(tags.get('scope')?.[0] ?? ''),
    program: programOf(example),
  }))

/** The examples of some objects' methods, and of what the package exports. */
export const examplesOf = (docstrings: Docstrings, objects: readonly string[]): Example[] => [
  ...objects.flatMap((object) => docstrings.of(object).flatMap(toExamples)),
  ...docstrings.exported().flatMap(toExamples),
]

/** Compiles examples together, on the types of the package that a folder has installed. Returns the errors. */
export const compile = (folder: string, examples: readonly Example[]): string[] => {
  writeFileSync(join(folder, 'example-world.d.ts'), WORLD)
  const names = new Map(
    examples.map(({ name, program }, index) => {
      const file = join(folder, `example-${index}.ts`)
      writeFileSync(file, program)
      return [file, name]
    }),
  )
  const typeRoots = [join(root, 'node_modules/@types')]
  return compileErrors([...names.keys()], { typeRoots }).map(
    ({ file, message }) => `${names.get(file)}: ${message}`,
  )
}

const MODULES: Record<string, string> = {
  stepwell: 'index',
  'stepwell/api': 'api/index',
  'stepwell/sync': 'sync/index',
  'stepwell/tracing': 'tracing/index',
  'stepwell/spool': 'tracing/spool',
  'stepwell/otlp': 'otlp/index',
  'stepwell/evaluate': 'evaluate/index',
  'stepwell/testing': 'testing/index',
}
const load = createRequire(import.meta.url)
/** Loads an entry point as it was built: tests resolve the name of the package to its sources. */
const requireStepwell = (name: string) => load(join(root, 'dist/cjs/src', `${MODULES[name]}.js`))

/** Runs an example. Rejects as it does. */
export const run = async ({ program }: Example, world: ExampleWorld): Promise<void> => {
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  })
  const module: { default?: (world: ExampleWorld) => Promise<void> } = {}
  new Function('require', 'exports', outputText)(requireStepwell, module)
  await module.default?.(world)
}

export const { StepwellClient } = requireStepwell('stepwell') as typeof import('stepwell')
export const { StepwellClient: BlockingClient } = requireStepwell(
  'stepwell/sync',
) as typeof import('stepwell/sync')
