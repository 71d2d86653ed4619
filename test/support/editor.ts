import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')

/** Other packages that a user's project resolves: the dependencies installed with this one. */
const dependencies = Object.keys(
  (
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
  ).dependencies,
)

/** Creates a folder like an installation: the built types and the package.json, and no sources. */
export const installed = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-editor-'))
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'stepwell'), { recursive: true })
  for (const name of ['dist', 'package.json'])
    cpSync(join(root, name), join(modules, 'stepwell', name), {
      recursive: true,
      filter: (path) => !/\.(map|js)$/.test(path),
    })
  for (const name of dependencies) {
    const place = join(modules, name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), place)
  }
  return folder
}

/** Returns the declaration files of the package installed in a folder, with their texts. */
export const declarationsOf = (folder: string): Map<string, string> => {
  const dist = join(folder, 'node_modules/stepwell/dist/esm')
  return new Map(
    readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => [join(dist, name), readFileSync(join(dist, name), 'utf8')]),
  )
}

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  types: [],
}

/** Files that editors share: each of the package and of TypeScript's library is read once. */
const shared = ts.createDocumentRegistry()

/** An editor with one file open. `replaced` has other contents for files of the package. */
export class Editor {
  readonly service: ts.LanguageService
  readonly file: string
  readonly text: string

  constructor(folder: string, text: string, replaced: ReadonlyMap<string, string> = new Map()) {
    const file = join(folder, `open-${crypto.randomUUID()}.mts`)
    this.file = file
    this.text = text
    const read = (path: string) =>
      path === file ? text : (replaced.get(path) ?? ts.sys.readFile(path))
    const host: ts.LanguageServiceHost = {
      getCompilationSettings: () => OPTIONS,
      getScriptFileNames: () => [file],
      getScriptVersion: () => '1',
      getScriptSnapshot: (path) => {
        const content = read(path)
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
      },
      getCurrentDirectory: () => folder,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (path) => path === file || ts.sys.fileExists(path),
      readFile: read,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      ...(ts.sys.realpath === undefined ? {} : { realpath: ts.sys.realpath }),
    }
    // One with other contents has its own: files are shared by their path.
    this.service = ts.createLanguageService(host, replaced.size === 0 ? shared : undefined)
  }

  /** Returns the errors of the open file. */
  errors(): string[] {
    return this.service
      .getSemanticDiagnostics(this.file)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  }

  /** Returns the place after a marker in the text. */
  after(marker: string): number {
    const place = this.text.indexOf(marker)
    if (place < 0) throw new Error(`no ${marker} in the open file`)
    return place + marker.length
  }

  hover(place: number): { signature: string; description: string; tags: Map<string, string> } {
    const info = this.service.getQuickInfoAtPosition(this.file, place)
    return {
      signature: ts.displayPartsToString(info?.displayParts),
      description: ts.displayPartsToString(info?.documentation),
      tags: new Map(
        (info?.tags ?? []).map(({ name, text }) => [name, ts.displayPartsToString(text)]),
      ),
    }
  }

  /** Returns the names offered at a place, with `deprecated` for those that are struck through. */
  completions(place: number): Map<string, string> {
    const entries = this.service.getCompletionsAtPosition(this.file, place, {})?.entries ?? []
    return new Map(entries.map(({ name, kindModifiers }) => [name, kindModifiers ?? '']))
  }

  /** Returns the location of a definition: the file, and the text of its line. */
  definition(place: number): { file: string; line: string }[] {
    return (this.service.getDefinitionAtPosition(this.file, place) ?? []).map(
      ({ fileName, textSpan }) => {
        const content = this.service.getProgram()?.getSourceFile(fileName)?.text ?? ''
        const end = content.indexOf('\n', textSpan.start)
        return { file: fileName, line: content.slice(textSpan.start, end) }
      },
    )
  }

  /** Returns the places that are marked as deprecated. */
  struckThrough(): number[] {
    return this.service
      .getSuggestionDiagnostics(this.file)
      .filter(({ reportsDeprecated }) => reportsDeprecated !== undefined)
      .map(({ start }) => start)
  }
}
