import Mustache from 'mustache'

/** Writes a value as unescaped text: prompts are not HTML. */
const written = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item))
  } catch {
    return String(value)
  }
}

/** Returns true when a value has a member, other than those that every object has. */
const has = (value: unknown, name: string): value is Record<string, unknown> =>
  value !== null &&
  value !== undefined &&
  (Object.hasOwn(Object(value), name) ||
    (typeof value === 'object' && name in value && !(name in Object.prototype)))

/** Looks variables up, and records missing ones. */
class Lookup extends Mustache.Context {
  readonly #around: Lookup | undefined
  readonly #missing: Set<string>

  constructor(view: unknown, around: Lookup | undefined, missing: Set<string>) {
    super(view, around)
    this.#around = around
    this.#missing = missing
  }

  override push(view: unknown): Mustache.Context {
    return new Lookup(view, this, this.#missing)
  }

  override lookup(name: string): unknown {
    if (name === '.') return this.view
    const [first = '', ...rest] = name.split('.')
    let value = this.#find(first)
    for (const part of rest) value = has(value, part) ? value[part] : undefined
    if (value === undefined) this.#missing.add(name)
    return typeof value === 'function' ? value.call(this.view) : value
  }

  #find(name: string): unknown {
    if (has(this.view, name)) return this.view[name]
    return this.#around === undefined ? undefined : this.#around.#find(name)
  }
}

class PlainWriter extends Mustache.Writer {
  /** `{{{name}}}` and `{{&name}}`, which mean the same here. */
  override unescapedValue(token: string[], context: Mustache.Context): string {
    const value: unknown = context.lookup(token[1] as string)
    return value === null || value === undefined ? '' : written(value)
  }
}

/** Has no cache: Mustache's own would keep every text it ever saw. */
const writer = new PlainWriter()
Object.assign(writer, { templateCache: undefined })

/** A token of a template in Mustache's form: kind, name, start, end, and the tokens inside a section. */
export type Token = [kind: string, name: string, start: number, end: number, inside?: unknown]

/** Returns the tags and texts of a template; undefined for an invalid one. */
export const parseTemplate = (text: string): Token[] | undefined => {
  try {
    return writer.parse(text) as Token[]
  } catch {
    return undefined
  }
}

/** Renders a template. Names that were not found are added to `missing`. */
export const render = (
  text: string,
  variables: Record<string, unknown>,
  missing: Set<string>,
): string =>
  writer.render(text, new Lookup(variables, undefined, missing), undefined, { escape: written })
