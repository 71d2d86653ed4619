/** Sections inside each other. Mustache calls itself for each, and at some thousands the stack is full. */
const MAX_NESTED = 100

/**
 * Characters that Mustache may look at for the blanks in tags. It looks for the end of a tag from each of them, so that the
 * time grows with the square of blanks in a row: these take some milliseconds, a hundred thousand in a row six seconds.
 */
const MAX_LOOKS = 10_000_000

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
 * Returns the line, the column and the fault of a text that Mustache refuses, or would read for seconds; null for a text that
 * it reads. Mustache itself names the offset at which it gave up, which is mostly the end of the text.
 */
export const templateProblem = (text: string): string | null => {
  const fault = faultOf(text) ?? slowTagIn(text)
  return fault && `${placeOf(text, fault.at)}: ${fault.message}`
}

/** Returns the tag at which Mustache would be reading for seconds; null for a text that it reads or refuses at once. */
export const slowTagIn = (text: string): Fault | null => {
  let looks = 0
  for (const { at, tag } of tagsOf(text)) {
    const searched = typeof tag === 'string' ? text.slice(at) : tag.name
    for (const [{ length }] of searched.matchAll(/\s+/g)) looks += (length * length) / 2
    if (looks > MAX_LOOKS) return { at, message: 'expected fewer blanks in a row in the tag' }
  }
  return null
}

type Delimiters = [opening: string, closing: string]

/** A tag with its place and the delimiters after it; the missing delimiter of a tag that nothing closes, which is the last. */
interface Placed {
  at: number
  tag: Tag | string
  delimiters: Delimiters
}

function* tagsOf(text: string): Generator<Placed> {
  let delimiters: Delimiters = ['{{', '}}']
  for (let at = text.indexOf(delimiters[0]); at >= 0; ) {
    const tag = tagAt(text, at, delimiters)
    if (typeof tag !== 'string' && tag.kind === '=') {
      const [opening, closing] = tag.name.split(/\s+/, 2)
      if (opening && closing) delimiters = [opening, closing]
    }
    yield { at, tag, delimiters }
    if (typeof tag === 'string') return
    at = text.indexOf(delimiters[0], tag.end)
  }
}

const faultOf = (text: string): Fault | null => {
  const sections: Tag[] = []
  let delimiters: Delimiters | undefined
  for (const { at, tag, ...after } of tagsOf(text)) {
    if (typeof tag === 'string')
      return {
        at,
        message: `the tag ${show(text.slice(at, at + 80))} is never closed; expected ${tag} after it`,
      }
    delimiters = after.delimiters
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
          message: `expected ${endOf(section, after.delimiters)}, which closes ${show(section.text)} of ${placeOf(text, section.at)}, got ${show(tag.text)}`,
        }
    }
    if (tag.kind === '=' && !/\S\s+\S/.test(tag.name))
      return { at, message: `expected two delimiters, as in {{=<% %>=}}, got ${show(tag.text)}` }
  }
  const section = sections.at(-1)
  if (section === undefined || delimiters === undefined) return null
  const { at } = section
  const expected = endOf(section, delimiters)
  return {
    at,
    message: `the section ${show(section.text)} is never closed; expected ${expected} after it`,
  }
}

const SIGNS = new Set('#^/>{&=!')

/** Reads the tag that opens at an offset as Mustache does; returns the missing delimiter when nothing closes it. */
const tagAt = (text: string, at: number, [opening, closing]: Delimiters): Tag | string => {
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

const endOf = ({ name }: Tag, [opening, closing]: Delimiters) =>
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
