import type { JoinedOf } from '../apis/api.js'
import type { Json } from '../json.js'
import type { MakeReader, StreamReader, TextReader } from './events.js'
import { endOfNumber, endOfText, filled, type Template, templateOf } from './template.js'

/** Characters that are joined before they are read. */
const MAX_JOINED = 65_536
/** Events after which forms of a stream that were of no use are looked for again. */
const MAX_WAIT = 64

/** Reads a stream, event by event. */
export interface Stream {
  make: MakeReader
  /** The text behind an event. */
  gap: string
  onEvent: (data: Json) => void
  onDone: () => void
  /** Returns the text of events that may be joined; undefined where there are none. */
  joinedOf: JoinedOf | undefined
}

/**
 * Joins the events of a stream that differ by one text alone into one event with all of their texts. Most events are such
 * ones, and parsing each takes several times as long as finding where it differs.
 */
export class Alike implements TextReader {
  readonly #stream: Stream
  readonly #reader: StreamReader
  #last: Json | undefined
  #template: Template | undefined
  /** Values of the holes of the events that wait, as they are in JSON. */
  #values: string[] = []
  #joined = ''
  #isWaiting = false
  #found: string[] = []
  /** Events that are read before a template is made again, and how many they will be the next time. */
  #wait = 0
  #nextWait = 1

  constructor(stream: Stream) {
    this.#stream = stream
    this.#reader = stream.make((event) => {
      this.#last = event
      stream.onEvent(event)
    }, stream.onDone)
  }

  push(text: string): void {
    const { gap } = this.#stream
    let start = 0
    while (start < text.length) {
      start = this.#joinedFrom(text, start)
      if (start === text.length) return
      const found = text.indexOf(gap, start)
      const end = found < 0 ? text.length : found + gap.length
      this.#read(start === 0 && end === text.length ? text : text.slice(start, end))
      start = end
    }
  }

  flush(): void {
    if (!this.#isWaiting || this.#template === undefined) return
    this.#isWaiting = false
    this.#values[this.#template.joined] = this.#joined
    this.#joined = ''
    this.#reader.push(filled(this.#template.parts, this.#values))
  }

  end(): void {
    this.flush()
    this.#reader.end()
  }

  /** Joins the events from a place on; returns the place of the first that can't be joined. */
  #joinedFrom(text: string, from: number): number {
    if (this.#template === undefined || !this.#reader.isIdle) return from
    let start = from
    while (start < text.length) {
      const end = this.#match(this.#template, text, start)
      if (end < 0) return start
      this.#join(this.#template)
      start = end
    }
    return start
  }

  /** Returns the end of an event of the template's form, with its values in `#found`; -1 for another one. */
  #match({ parts, areTexts }: Template, text: string, start: number): number {
    const [first = ''] = parts
    let place = start + first.length
    // Engines compare two texts several times faster than they look for one by `startsWith`.
    if (text.slice(start, place) !== first) return -1
    for (let at = 0; at < areTexts.length; at++) {
      const end = areTexts[at] ? endOfText(text, place) : endOfNumber(text, place)
      const part = parts[at + 1] ?? ''
      if (end < 0 || text.slice(end, end + part.length) !== part) return -1
      this.#found[at] = text.slice(place, end)
      place = end + part.length
    }
    return place
  }

  #join({ joined, counts }: Template): void {
    if (this.#isWaiting)
      for (let at = 0; at < counts.length; at++) if (counts[at]) this.#keepLarger(at)
    this.#isWaiting = true
    this.#nextWait = 1
    this.#joined += this.#found[joined]
    const values = this.#values
    this.#values = this.#found
    this.#found = values
    if (this.#joined.length > MAX_JOINED) this.flush()
  }

  #keepLarger(at: number): void {
    const before = this.#values[at] ?? ''
    if (Number(before) > Number(this.#found[at])) this.#found[at] = before
  }

  /** Reads a text in full. */
  #read(text: string): void {
    this.flush()
    const isWhole = this.#reader.isIdle
    this.#last = undefined
    this.#reader.push(text)
    if (isWhole && this.#last !== undefined && this.#reader.isIdle) this.#learn(text, this.#last)
  }

  #learn(block: string, event: Json): void {
    const { joinedOf, make } = this.#stream
    if (joinedOf === undefined || this.#wait-- > 0) return
    const template = templateOf(block, event, joinedOf, (text) => {
      const events: Json[] = []
      const reader = make(
        (one) => events.push(one),
        () => {},
      )
      reader.push(text)
      return events.length === 1 && reader.isIdle ? events[0] : undefined
    })
    if (template !== undefined) this.#template = template
    this.#wait = this.#nextWait
    this.#nextWait = Math.min(MAX_WAIT, this.#nextWait * 2)
  }
}
