/** A change or a loss: how often, and the ids of some. */
interface Noted {
  count: number
  examples: string[]
}

interface Kind {
  read: number
  kept: number
  changed: Record<string, Noted>
  dropped: Record<string, Noted>
}

/** The report as it is written to a file. */
export interface ReportFile {
  kinds: Record<string, Kind>
}

const MAX_EXAMPLES = 5
/** Reasons of one kind; further ones are counted together. */
const MAX_REASONS = 200
const MAX_TEXT = 200
const OTHERS = 'other reasons'

/**
 * Counts what became of the records of a source. It has names of fields, reasons and ids, and no contents. Every record that
 * was read is either kept or dropped.
 */
export class Report {
  readonly #kinds: Map<string, Kind>

  /** True while records are read again that an earlier run has counted. */
  isMuted = false

  constructor(file?: ReportFile) {
    this.#kinds = new Map(Object.entries(file?.kinds ?? {}))
  }

  read(kind: string, count = 1): void {
    this.#of(kind).read += count
  }

  kept(kind: string, count = 1): void {
    this.#of(kind).kept += count
  }

  /** Notes that a kept record is not as it was. */
  changed(kind: string, what: string, id?: string): void {
    note(this.#of(kind).changed, what, id)
  }

  dropped(kind: string, why: string, id?: string): void {
    note(this.#of(kind).dropped, why, id)
  }

  get hasDropped(): boolean {
    return [...this.#kinds.values()].some(({ dropped }) => Object.keys(dropped).length > 0)
  }

  toJSON(): ReportFile {
    return { kinds: Object.fromEntries(this.#kinds) }
  }

  /** Returns a table of the counts, and below it all changes and losses. */
  toText(): string {
    const rows = [['', 'read', 'kept', 'changed', 'dropped']]
    const notes: string[] = []
    for (const [name, { read, kept, changed, dropped }] of this.#kinds) {
      rows.push([
        name,
        ...[read, kept, sum(changed), sum(dropped)].map((n) => n.toLocaleString('en')),
      ])
      notes.push(...linesOf(name, 'changed', changed), ...linesOf(name, 'dropped', dropped))
    }
    const widths =
      rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
    const table = rows.map((row) =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  '),
    )
    return `${[...table, ...(notes.length > 0 ? [''] : []), ...notes].join('\n')}\n`
  }

  #of(kind: string): Kind {
    if (this.isMuted) return empty()
    const found = this.#kinds.get(kind) ?? empty()
    this.#kinds.set(kind, found)
    return found
  }
}

const empty = (): Kind => ({ read: 0, kept: 0, changed: {}, dropped: {} })

const note = (notes: Record<string, Noted>, given: string, id: string | undefined): void => {
  const text = plain(given)
  const key = Object.hasOwn(notes, text) || Object.keys(notes).length < MAX_REASONS ? text : OTHERS
  if (!Object.hasOwn(notes, key))
    Object.defineProperty(notes, key, {
      value: { count: 0, examples: [] },
      enumerable: true,
      configurable: true,
      writable: true,
    })
  const noted = notes[key] as Noted
  noted.count++
  if (id === undefined || noted.examples.length >= MAX_EXAMPLES) return
  const example = plain(id)
  if (!noted.examples.includes(example)) noted.examples.push(example)
}

/** Shortens a text from outside, and leaves out what a terminal would obey. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, MAX_TEXT)

const sum = (notes: Record<string, Noted>): number =>
  Object.values(notes).reduce((total, { count }) => total + count, 0)

const linesOf = (kind: string, what: string, notes: Record<string, Noted>): string[] =>
  Object.entries(notes).map(
    ([text, { count, examples }]) =>
      `${kind} ${what}: ${text} (${count.toLocaleString('en')}${examples.length === 0 ? '' : `: ${examples.join(', ')}${count > examples.length ? ', …' : ''}`})`,
  )

/** Takes the value out of an error message of the service, which ends with what it got. */
export const withoutValue = (message: string): string => message.replace(/,? got [\s\S]*$/, '')
