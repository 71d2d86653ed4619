/** Sections inside each other. Mustache calls itself for each, and at some thousands the stack is full. */
const MAX_NESTED = 100

/** The first fault of a template, and the offset where it begins. */
interface Fault {
  at: number
  message: string
}

interface Tag {
  /** The sign after the opening delimiter; empty for a variable. */
  kind: string
  name: string
  text: string
  at: number
  end: number
}

/**
 * Returns the line, the column and the fault of a text that Mustache refuses; null for a text that it reads. Mustache
 * itself names the offset at which it gave up, which is mostly the end of the text.
 */
export const templateProblem = (text: string): string | null => {
  const fault = faultOf(text)
  return fault && `${placeOf(text, fault.at)}: ${fault.message}`
}

const faultOf = (text: string): Fault | null => {
  const sections: Tag[] = []
  let delimiters: [opening: string, closing: string] = ['{{', '}}']
  for (let end = 0; ; ) {
    const at = text.indexOf(delimiters[0], end)
    if (at === -1) break
    const tag = tagAt(text, at, delimiters)
    if (typeof tag === 'string')
      return {
        at,
        message: `the tag ${show(text.slice(at, at + 80))} is never closed; expected ${tag} after it`,
      }
    end = tag.end
    if (tag.kind === '#' || tag.kind === '^') sections.push(tag)
    if (sections.length > MAX_NESTED)
      return {
        at,
        message: `sections nest deeper than ${MAX_NESTED}, which Mustache may not render`,
      }
    if (tag.kind === '/') {
      const section = sections.pop()
      if (section === undefined)
        return { at, message: `${show(tag.text)} closes a section that is not open` }
      if (section.name !== tag.name)
        return {
          at,
          message: `expected ${endOf(section, delimiters)}, which closes ${show(section.text)} of ${placeOf(text, section.at)}, got ${show(tag.text)}`,
        }
    }
    if (tag.kind === '=') {
      const [opening, closing] = tag.name.split(/\s+/, 2)
      if (!opening || !closing)
        return { at, message: `expected two delimiters, as in {{=<% %>=}}, got ${show(tag.text)}` }
      delimiters = [opening, closing]
    }
  }
  const section = sections.at(-1)
  if (section === undefined) return null
  const { at } = section
  const expected = endOf(section, delimiters)
  return {
    at,
    message: `the section ${show(section.text)} is never closed; expected ${expected} after it`,
  }
}

const SIGNS = new Set('#^/>{&=!')

/** Reads the tag that opens at an offset as Mustache does; returns the missing delimiter when nothing closes it. */
const tagAt = (text: string, at: number, [opening, closing]: [string, string]): Tag | string => {
  const blank = /\s*/y
  blank.lastIndex = at + opening.length
  blank.exec(text)
  const place = blank.lastIndex
  const kind = SIGNS.has(text.charAt(place)) ? text.charAt(place) : ''
  const start = place + kind.length
  const closed = kind === '{' ? `}${closing}` : closing
  const equals = kind === '=' ? text.indexOf('=', start) : start
  const stop = equals === -1 ? -1 : text.indexOf(closed, equals)
  if (stop === -1) return kind === '=' ? `=${closing}` : closed
  const name = text.slice(start, kind === '=' ? equals : stop).trim()
  const end = stop + closed.length
  return { kind, name, text: text.slice(at, end), at, end }
}

const endOf = ({ name }: Tag, [opening, closing]: [string, string]) =>
  show(`${opening}/${name}${closing}`)

const placeOf = (text: string, at: number): string => {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/)
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

/** Shows a tag by its first line, cut short. */
const show = (tag: string): string => {
  const [line = ''] = tag.split(/[\r\n]/, 1)
  return line.length > 40 || line !== tag ? `${line.slice(0, 37)}…` : line
}
