import { isJson, type Json, parsed } from '../json.js'
import { Lines, MAX_LINE } from './lines.js'

/** Takes the text of a body, piece by piece. */
export interface TextReader {
  push(text: string): void
  /** Reads the text that is held back, as far as it can be read yet. */
  flush(): void
  end(): void
}

/** Takes the text of a stream. */
export interface StreamReader {
  /** True between two events: the text of the next one says everything about it. */
  readonly isIdle: boolean
  push(text: string): void
  end(): void
}

/** Makes a reader of a stream. `onDone` is called at the mark by which some providers end theirs. */
export type MakeReader = (onEvent: (data: Json) => void, onDone: () => void) => StreamReader

/** Reads server-sent events. */
export const eventReader: MakeReader = (onEvent, onDone) => {
  let data: string | undefined
  const dispatch = () => {
    const text = data
    data = undefined
    if (text === undefined) return
    if (text.startsWith('[DONE]')) {
      onDone()
      return
    }
    const value = parsed(text)
    if (isJson(value)) onEvent(value)
  }
  const lines = new Lines((line) => {
    if (line === '') dispatch()
    else if (line.startsWith('data:') && (data?.length ?? 0) <= MAX_LINE) {
      const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    }
  })
  return {
    get isIdle() {
      return data === undefined && lines.isIdle
    },
    push: (text) => lines.push(text),
    end: () => {
      lines.end()
      dispatch()
    },
  }
}

/** Reads a JSON object from each line. */
export const lineReader: MakeReader = (onEvent) => {
  const lines = new Lines((line) => {
    const value = line === '' ? undefined : parsed(line)
    if (isJson(value)) onEvent(value)
  })
  return {
    get isIdle() {
      return lines.isIdle
    },
    push: (text) => lines.push(text),
    end: () => lines.end(),
  }
}

/** Reads a body in one piece, at its end: nothing of one that is too long. */
export const wholeReader = (onWhole: (body: unknown) => void): TextReader => {
  let pieces: string[] = []
  let length = 0
  return {
    push: (text) => {
      length += text.length
      if (length <= MAX_LINE) pieces.push(text)
      else pieces = []
    },
    flush: () => {},
    end: () => {
      const text = pieces.join('')
      if (text !== '') onWhole(parsed(text) ?? text)
    },
  }
}
