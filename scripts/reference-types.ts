import ts from 'typescript'
import { cell } from './reference-text.js'

const FORMAT =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope |
  ts.TypeFormatFlags.WriteArrayAsGenericType

const MAX_TYPE_LENGTH = 160

/** These types of lists have a page of their own. */
const ON_FILTERS_PAGE = /(Filter|Column|OrderBy)$/

/** The types that signatures of operations name, each described on the page that first needs it. */
export class NamedTypes {
  readonly #checker: ts.TypeChecker
  readonly #docsOf: (symbol: ts.Symbol) => string
  readonly #pages = new Map<string, string>()
  readonly #sections = new Map<string, string[]>()

  constructor(checker: ts.TypeChecker, docsOf: (symbol: ts.Symbol) => string) {
    this.#checker = checker
    this.#docsOf = docsOf
  }

  /** Links to the parameters and results of a method; describes those that are new. */
  linksOf(method: ts.Symbol, page: string): string {
    const names = new Set<string>()
    for (const signature of this.#checker.getTypeOfSymbol(method).getCallSignatures()) {
      const declaration = signature.getDeclaration()
      const written = [
        ...(declaration?.parameters ?? []).map(({ type }) => type),
        declaration?.type,
      ]
      const isGeneric = written.some((node) => node === undefined || this.#read(node, page, names))
      if (!isGeneric) continue
      for (const parameter of signature.getParameters())
        this.#follow(this.#checker.getTypeOfSymbol(parameter), page, names)
      this.#follow(signature.getReturnType(), page, names)
    }
    const links = [...names].map((name) => this.#link(name, page))
    return links.length === 0 ? '' : `Types: ${links.join(', ')}.`
  }

  /** Returns a link for pages beside those of operations; undefined for a type that no operation names. */
  linkTo(name: string): string | undefined {
    return this.#pages.has(name) ? this.#link(name, '') : undefined
  }

  /** Returns the descriptions of the types that a page is the first to need. */
  section(page: string): string {
    const sections = this.#sections.get(page) ?? []
    return sections.length === 0 ? '' : `## Types\n\n${sections.join('\n\n')}`
  }

  /** Returns the type of a member, for a cell. */
  typeOf(member: ts.Symbol): string {
    const type = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(member))
    const text = this.#checker.typeToString(type, undefined, FORMAT).replace(/\s+/g, ' ')
    const nullable = this.#isNullable(this.#checker.getTypeOfSymbol(member)) ? ' or null' : ''
    const isMethod = type.getCallSignatures().length > 0
    if (isMethod && text.length > MAX_TYPE_LENGTH) return 'function'
    return `\`${cell(text.length > MAX_TYPE_LENGTH ? `${text.slice(0, MAX_TYPE_LENGTH)}…` : text)}\`${nullable}`
  }

  #isNullable(type: ts.Type): boolean {
    return type.isUnion() && type.types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0)
  }

  #link(name: string, from: string): string {
    const page = this.#pages.get(name)
    return `[${name}](${page === from ? '' : `${page}.md`}#${name.toLowerCase()})`
  }

  /** Collects the types that a signature names, as its author wrote it. Returns true when it names type parameters. */
  #read(node: ts.Node, page: string, names: Set<string>): boolean {
    let isGeneric = false
    const look = (one: ts.Node): void => {
      if (ts.isTypeReferenceNode(one)) {
        const found = this.#checker.getSymbolAtLocation(one.typeName)
        const symbol =
          found !== undefined && found.flags & ts.SymbolFlags.Alias
            ? this.#checker.getAliasedSymbol(found)
            : found
        if (symbol !== undefined && symbol.flags & ts.SymbolFlags.TypeParameter) isGeneric = true
        else if (symbol !== undefined && this.#isOurs(symbol)) {
          names.add(symbol.name)
          this.#describe(symbol, this.#checker.getDeclaredTypeOfSymbol(symbol), page)
        }
      }
      ts.forEachChild(one, look)
    }
    look(node)
    return isGeneric
  }

  #follow(type: ts.Type, page: string, names: Set<string>): void {
    const symbol = type.aliasSymbol ?? type.getSymbol()
    for (const argument of [
      ...(type.aliasTypeArguments ?? []),
      ...this.#checker.getTypeArguments(type as ts.TypeReference),
    ])
      this.#follow(argument, page, names)
    if (symbol !== undefined && this.#isOurs(symbol)) {
      names.add(symbol.name)
      this.#describe(symbol, type, page)
    } else if (type.isUnion()) for (const one of type.types) this.#follow(one, page, names)
  }

  #isOurs(symbol: ts.Symbol): boolean {
    const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
    return (
      /\/(src|generated)\//.test(file) &&
      !file.includes('node_modules') &&
      !symbol.name.startsWith('__') &&
      symbol.name.length > 1 &&
      !/^(Snake|Maybe|Camel|Exact)/.test(symbol.name) &&
      (symbol.flags & ts.SymbolFlags.TypeParameter) === 0 &&
      !ON_FILTERS_PAGE.test(symbol.name)
    )
  }

  #describe(symbol: ts.Symbol, type: ts.Type, page: string): void {
    if (this.#pages.has(symbol.name)) return
    this.#pages.set(symbol.name, page)
    const own = symbol.getDocumentationComment(this.#checker).length > 0 ? this.#docsOf(symbol) : ''
    const sections = this.#sections.get(page) ?? []
    this.#sections.set(page, sections)
    sections.push([`### ${symbol.name}`, own, this.bodyOf(type)].join('\n\n'))
  }

  /** Returns the values of a union of texts, or the fields of an object. */
  bodyOf(type: ts.Type): string {
    if (type.isUnion() && type.types.every((one) => one.isStringLiteral()))
      return `One of ${type.types.map((one) => `\`${(one as ts.StringLiteralType).value}\``).join(', ')}.`
    const object = this.#checker.getNonNullableType(type)
    if (
      (object.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.Union)) ===
      0
    )
      return ''
    // A text has members too.
    if (this.#checker.getApparentType(object).getProperty('charAt') !== undefined) return ''
    const isOwn = object.isClassOrInterface()
    const rows = this.#checker
      .getPropertiesOfType(object)
      .filter((member) => isPublic(member, this.#checker) && (isOwn || !isOfLanguage(member)))
      .map((member) => {
        const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0
        return `| \`${member.name}${isOptional ? '?' : ''}\` | ${this.typeOf(member)} | ${cell(this.#docsOf(member))} |`
      })
    if (rows.length === 0) return this.#alternativesOf(object)
    return `| field | type | |\n|---|---|---|\n${rows.join('\n')}`
  }

  /** Returns a union or a list, which has no fields of its own, as it is written. */
  #alternativesOf(type: ts.Type): string {
    if (!type.isUnion() && !this.#checker.isArrayType(type)) return ''
    const flags = ts.TypeFormatFlags.InTypeAlias | ts.TypeFormatFlags.NoTruncation
    const text = this.#checker.typeToString(type, undefined, flags)
    return text.length > MAX_TYPE_LENGTH ? '' : `\`${text}\``
  }
}

/** Returns true for a member that applications may use: none that is private, or marked as internal. */
export const isPublic = (member: ts.Symbol, checker: ts.TypeChecker): boolean =>
  !/^(__|#)/.test(member.name) &&
  !member.getJsDocTags(checker).some(({ name }) => name === 'internal')

/** Returns true for a member of JavaScript's own types, such as `toString`: nobody looks for it here. */
const isOfLanguage = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.length > 0 &&
  declarations.every((one) => /\/typescript\/lib\/lib\./.test(one.getSourceFile().fileName))
