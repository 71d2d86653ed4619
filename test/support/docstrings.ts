import ts from 'typescript'
import { Editor } from './editor.js'

/** The entry points of the package, and a value of each type that users call methods of. */
const HEADER = `import { StepwellClient, StepwellError, type LiveStep, type LiveThread, type Prompt, type SnakePrompt, type List } from 'stepwell'
import { createApi, type Api } from 'stepwell/api'
import { StepwellClient as Blocking, type SyncApi } from 'stepwell/sync'
import { Tracer } from 'stepwell/tracing'
import { Tracer as Spooling } from 'stepwell/spool'
import { assertStep, recordInMemory, stepwellMatchers, type Recording } from 'stepwell/testing'
declare const objects: {
  api: Api
  sync: SyncApi
  client: StepwellClient
  blocking: Blocking
  tracer: Tracer
  spooling: Spooling
  step: LiveStep
  thread: LiveThread
  prompt: Prompt
  snake_prompt: SnakePrompt
  recording: Recording
  list: Api['getSteps']
  snake_list: Api['get_steps']
  blocking_list: SyncApi['getSteps']
  error: StepwellError
  errors: typeof StepwellError
}
declare const makers: {
  StepwellClient: typeof StepwellClient
  Blocking: typeof Blocking
  Tracer: typeof Tracer
  Spooling: typeof Spooling
  createApi: typeof createApi
  recordInMemory: typeof recordInMemory
  assertStep: typeof assertStep
  matchers: typeof stepwellMatchers
}
`

export interface Docstring {
  /** The object and the method or field: `api.getStep`. */
  name: string
  symbol: ts.Symbol
  description: string
  /** The texts of its tags, by name. */
  tags: Map<string, string[]>
  /** True for functions. */
  isMethod: boolean
  /** True where it returns nothing. */
  isVoid: boolean
}

/** The docstrings of the package as it is installed, by TypeScript's language service. */
export class Docstrings {
  /** The names of the objects that have methods. */
  static readonly OBJECTS = [...(HEADER.split('makers')[0] ?? '').matchAll(/^ {2}(\w+): /gm)].map(
    ([, name = '']) => name,
  )
  readonly editor: Editor
  readonly checker: ts.TypeChecker
  readonly #source: ts.SourceFile

  constructor(folder: string, replaced?: ReadonlyMap<string, string>) {
    this.editor = new Editor(folder, HEADER, replaced)
    const program = this.editor.service.getProgram()
    const source = program?.getSourceFile(this.editor.file)
    if (program === undefined || source === undefined) throw new Error('nothing is open')
    this.checker = program.getTypeChecker()
    this.#source = source
  }

  /** The methods and fields of an object that `HEADER` declares. */
  of(object: string): Docstring[] {
    return this.checker
      .getPropertiesOfType(this.#typeOf('objects', object))
      .filter(({ name, declarations }) => !/^(__|#)/.test(name) && declarations?.some(isOurs))
      .map((symbol) => this.#docstring(object, symbol))
  }

  /** The exports of the entry points, types aside that only hold fields. */
  exported(): Docstring[] {
    const { statements } = this.#source
    return statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier }) => {
      const module = this.checker.getSymbolAtLocation(moduleSpecifier)
      return module === undefined
        ? []
        : this.checker
            .getExportsOfModule(module)
            .map((one) =>
              one.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(one) : one,
            )
            .map((one) => this.#docstring((moduleSpecifier as ts.StringLiteral).text, one))
    })
  }

  /** The types of all parameters of an object's methods. */
  *parameters(object: string): Generator<[place: string, type: ts.Type]> {
    for (const { name, symbol } of this.of(object))
      for (const signature of this.#type(symbol).getCallSignatures())
        yield* this.#parametersOf(name, signature)
  }

  /** The types of the parameters that objects are made with. */
  *constructorParameters(): Generator<[place: string, type: ts.Type]> {
    for (const symbol of this.checker.getPropertiesOfType(this.#typeOf('makers')))
      for (const kind of [ts.SignatureKind.Call, ts.SignatureKind.Construct])
        for (const signature of this.checker.getSignaturesOfType(this.#type(symbol), kind))
          yield* this.#parametersOf(symbol.name, signature)
  }

  /** The fields of parameters that have no description, wherever they are in them, each by the first way that leads to it. */
  undescribed(parameters: Iterable<readonly [place: string, type: ts.Type]>): string[] {
    const found = new Map<ts.Declaration | undefined, string>()
    const seen = new Set<ts.Type>()
    const look = (one: ts.Type, path: string): void => {
      const inner = this.checker.getNonNullableType(one)
      if (seen.has(inner)) return
      seen.add(inner)
      if (inner.isUnion()) for (const part of inner.types) look(part, path)
      const item = this.checker.getIndexTypeOfType(inner, ts.IndexKind.Number)
      if (item !== undefined && (inner.flags & ts.TypeFlags.StringLike) === 0)
        look(item, `${path}[]`)
      if (inner.isUnion() || !(inner.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)))
        return
      for (const property of this.checker.getPropertiesOfType(inner)) {
        if (/^(__|#)/.test(property.name) || !property.declarations?.some(isOurs)) continue
        const name = `${path}.${property.name}`
        const [declaration] = property.declarations ?? []
        if (property.getDocumentationComment(this.checker).length === 0 && !found.has(declaration))
          found.set(declaration, name)
        look(this.#type(property), name)
      }
    }
    for (const [place, type] of parameters) look(type, place)
    return [...found.values()]
  }

  *#parametersOf(name: string, signature: ts.Signature): Generator<[string, ts.Type]> {
    for (const parameter of signature.getParameters())
      yield [`${name}(${parameter.name})`, this.#type(parameter)]
  }

  /** The text of a tag; that of an example without the quotes that let it hold an `@`. */
  #textOf(parts: ts.SymbolDisplayPart[] | undefined): string {
    return ts
      .displayPartsToString(parts)
      .trim()
      .replace(/^```(.*)```$/, '$1')
  }

  #docstring(object: string, symbol: ts.Symbol): Docstring {
    const [signature] = this.#type(symbol).getCallSignatures()
    const own = symbol.getDocumentationComment(this.checker)
    const from = own.length > 0 || signature === undefined ? symbol : signature
    const tags = new Map<string, string[]>()
    for (const { name, text } of from === symbol
      ? symbol.getJsDocTags(this.checker)
      : from.getJsDocTags())
      tags.set(name, [...(tags.get(name) ?? []), this.#textOf(text)])
    const description = ts.displayPartsToString(from.getDocumentationComment(this.checker))
    return {
      name: `${object}.${symbol.name}`,
      symbol,
      description,
      tags,
      isMethod: signature !== undefined,
      isVoid: ((signature?.getReturnType().flags ?? 0) & ts.TypeFlags.Void) !== 0,
    }
  }

  #typeOf(constant: string, member?: string): ts.Type {
    const [symbol] = this.checker
      .getSymbolsInScope(this.#source, ts.SymbolFlags.BlockScopedVariable)
      .filter(({ name }) => name === constant)
    const type = symbol && this.#type(symbol)
    const inner = member === undefined ? type : type?.getProperty(member)
    if (inner === undefined) throw new Error(`no ${constant}.${member}`)
    return 'flags' in inner && 'escapedName' in inner ? this.#type(inner) : (inner as ts.Type)
  }

  #type(symbol: ts.Symbol): ts.Type {
    return this.checker.getTypeOfSymbol(symbol)
  }
}

/** Tells declarations of the package, without those that stand for the platform's own. */
const isOurs = (declaration: ts.Declaration): boolean => {
  const { fileName } = declaration.getSourceFile()
  return fileName.includes('/stepwell/dist/') && !fileName.endsWith('/platform.d.ts')
}
