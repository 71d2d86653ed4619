import type { Told } from './told.js'

/** The content of an answer by HTTP. */
export interface Written {
  readonly type: string
  readonly body: string
}

/** A request as far as the form of its answer depends on it. */
export interface WriteRequest {
  readonly url: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Writes an answer in the form of an API: whole, or as a stream where the request asks for one. */
export type Writer = (told: Told, request: WriteRequest) => Written

export const json = (value: unknown): Written => ({
  type: 'application/json',
  body: JSON.stringify(value),
})

/** Writes server-sent events; those with a type name it. */
export const events = (values: readonly unknown[], isNamed = false): Written => ({
  type: 'text/event-stream',
  body: values
    .map((value) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const name = isNamed ? `event: ${(value as { type: string }).type}\n` : ''
      return `${name}data: ${text}\n\n`
    })
    .join(''),
})

export const lines = (values: readonly unknown[]): Written => ({
  type: 'application/x-ndjson',
  body: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
})
