import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const docs = join(import.meta.dirname, '../../docs')

const blocksOf = (page: string, begin: RegExp): string[] => {
  const text = readFileSync(join(docs, `${page}.md`), 'utf8')
  const blocks = text.matchAll(new RegExp(`^${begin.source}([\\s\\S]*?)^\`\`\``, 'gm'))
  return [...blocks].map(([, block = '']) => block)
}

/** Returns the programs of a page: its blocks of TypeScript that begin with an import and are marked `no-run`. */
export const programsOf = (page: string): string[] => blocksOf(page, /```ts no-run\n(?=import )/)

/** Returns the blocks of a page that are parts of programs. */
export const partsOf = (page: string): string[] => blocksOf(page, /```ts\n(?!import )/)

export interface ProgramRun {
  /** The exit code; null after a signal. */
  status: number | null
  stdout: string
  stderr: string
}

/** Puts other text in the place of names of packages and of addresses. */
type Replacements = Readonly<Record<string, string>>

/** Writes a program with the names of packages that are installed here. Returns its path. */
export const writeSource = (
  folder: string,
  name: string,
  source: string,
  installed: Replacements,
): string => {
  const file = join(folder, `${name.replaceAll('/', '-')}.ts`)
  mkdirSync(folder, { recursive: true })
  const renamed = source.replace(
    /from '([^']+)'/g,
    (_, name: string) => `from '${installed[name] ?? name}'`,
  )
  writeFileSync(file, renamed)
  return file
}

/** Writes a program as JavaScript, with the names of packages and addresses that exist here. Returns its path. */
export const writeProgram = (
  folder: string,
  name: string,
  source: string,
  installed: Replacements,
  addresses: Replacements = {},
): string => {
  const file = writeSource(folder, name, source, installed)
  const text = Object.entries(addresses).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(file, 'utf8'),
  )
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  const program = file.replace(/ts$/, 'mjs')
  writeFileSync(program, outputText)
  return program
}

/** Runs a program to its end, with these settings beside those of this process. */
export const runProgram = async (
  file: string,
  settings: Record<string, string>,
): Promise<ProgramRun> => {
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...settings } })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, stdout, stderr }
}
