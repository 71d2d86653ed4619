import Mustache from 'mustache'

/** What is put into a text as it is: prompts are no HTML. */
const written = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** Looks variables up, and notes those that are not there. */
class Watching extends Mustache.Context {
  readonly #missing: Set<string>

  constructor(view: unknown, parent: Mustache.Context | undefined, missing: Set<string>) {
    super(view, parent)
    this.#missing = missing
  }

  override push(view: unknown): Mustache.Context {
    return new Watching(view, this, this.#missing)
  }

  override lookup(name: string): unknown {
    const value: unknown = super.lookup(name)
    if (value === undefined) this.#missing.add(name)
    return value
  }
}

/** No cache: Mustache's own would keep every text it ever saw. */
const writer = new Mustache.Writer()
Object.assign(writer, { templateCache: undefined })

/** A text with its Mustache tags filled in. Names that it looked for in vain are added to `missing`. Throws when it is no template. */
export const render = (
  text: string,
  variables: Record<string, unknown>,
  missing: Set<string>,
): string =>
  writer.render(text, new Watching(variables, undefined, missing), undefined, { escape: written })
