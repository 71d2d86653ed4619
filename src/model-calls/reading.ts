import { now } from '../values/clock.js'
import { type Answer, type Answered, type Api, errorOf } from './apis/api.js'
import { Alike } from './body/alike.js'
import {
  eventReader,
  lineReader,
  type MakeReader,
  type TextReader,
  wholeReader,
} from './body/events.js'
import { Texts } from './body/texts.js'
import { isJson, type Json } from './json.js'
import { Tail } from './tail.js'

/** Characters of an answer that are read; the application gets all of them. */
const MAX_READ = 32_000_000
/** Characters of an error that is no JSON. */
const MAX_ERROR = 500

/** The head of an answer, as far as its reading depends on it. */
interface Head {
  status: number
  contentType: string
  /** True when values of the application are kept for longer than the reading. */
  isShared: boolean
}

/** Reads the body of one answer: events, lines, one value, or an error. */
export class Reading {
  readonly #api: Api
  readonly #answer: Answer
  /** Reads the events behind the text that is kept. */
  #tail: Tail | undefined
  readonly #reader: TextReader
  readonly #head: Head
  readonly #texts = new Texts()
  #left = MAX_READ
  /** When the first content of a stream came: milliseconds since 1970. */
  firstAt: number | undefined
  /** The provider's message about an error. */
  message: string | undefined
  /** Why the answer was not read; undefined when it was. */
  unread: string | undefined

  constructor(api: Api, head: Head) {
    this.#api = api
    this.#answer = api.answer()
    this.#head = head
    this.#reader = this.#readerFor(head)
  }

  /** True once the provider has said that nothing more will come. */
  get isOver(): boolean {
    return this.#answer.isOver || this.#tail?.isOver === true
  }

  /** Reads a piece: bytes, or a text. */
  piece(value: unknown): void {
    const text = typeof value === 'string' ? value : this.#texts.of(value as Uint8Array)
    this.#left -= text.length
    if (this.#left < 0) this.#exceed().note(text.length)
    this.#reader.push(text)
  }

  /** Reads a body as an application got it in one piece. */
  whole(value: unknown): void {
    if (typeof value === 'string' || value instanceof Uint8Array || value instanceof ArrayBuffer)
      this.piece(value)
    else if (Array.isArray(value)) this.#value(value)
    else if (isJson(value) && Object.getPrototypeOf(value) === Object.prototype)
      this.#value(this.#head.isShared ? JSON.parse(JSON.stringify(value)) : value)
    else this.unread ??= `the answer: it was read as ${tagOf(value)}`
  }

  /** Reads what is left. A text that was cut off is no JSON. */
  end(): void {
    this.#reader.end()
  }

  read(): Answered {
    this.#reader.flush()
    const answered = this.#answer.read()
    return this.#tail === undefined ? answered : this.#tail.after(answered)
  }

  /** Keeps no more text from here on. */
  #exceed(): Tail {
    if (this.#tail !== undefined) return this.#tail
    this.unread ??= `the answer: more than ${MAX_READ} characters`
    this.#reader.flush()
    this.#tail = new Tail(this.#api)
    return this.#tail
  }

  #readerFor({ status, contentType }: Head): TextReader {
    const onEvent = (data: Json) => {
      if (this.#tail !== undefined) return this.#tail.event(data)
      this.#answer.event(data)
      if (this.#answer.hasContent) this.firstAt ??= now()
    }
    const onDone = () => {
      this.#answer.isOver = true
    }
    const { joinedOf } = this.#api
    const streamed = (make: MakeReader, gap: string): TextReader =>
      new Alike({ make, gap, onEvent, onDone, joinedOf })
    if (status < 400 && contentType.includes('text/event-stream'))
      return streamed(eventReader, '\n\n')
    if (status < 400 && /ndjson|json-?lines|jsonl/.test(contentType))
      return streamed(lineReader, '\n')
    return wholeReader((body) => this.#value(body))
  }

  #value(body: unknown): void {
    if (this.#head.status < 400) this.#answer.whole(body)
    else {
      const text = typeof body === 'string' ? body.slice(0, MAX_ERROR) : ''
      this.message = errorOf(body) ?? (text === '' ? undefined : text)
    }
  }
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)
