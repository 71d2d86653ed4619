import { encodeJson } from '../database/text.js'
import { DomainError, invalid, show } from '../kernel/errors.js'
import { isObject } from '../kernel/is-object.js'
import { isTooDense } from '../kernel/json-text.js'
import type { Limits } from '../kernel/limits.js'
import { whyNotStored } from '../kernel/storable.js'

/** Checks the values that callers send. Rejects invalid ones with an error that names the field. */
export class Values {
  readonly limits: Limits

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Returns an id of any form; an empty one counts as absent, as released clients send it for "none". */
  id(field: string, value: string | null | undefined): string | undefined {
    if (value === null || value === undefined || value === '') return undefined
    if (!this.isId(value))
      throw new DomainError(
        'TOO_LARGE',
        `${field}: expected an id of at most ${this.limits.idBytes} bytes`,
      )
    return value
  }

  isId(value: string): boolean {
    return value.length <= this.limits.idBytes && Buffer.byteLength(value) <= this.limits.idBytes
  }

  requiredId(field: string, value: string | null | undefined): string {
    const id = this.id(field, value)
    if (id === undefined) throw invalid(`${field}: expected an id, got ${show(value)}`)
    return id
  }

  /** Returns null for null. */
  text<Value extends string | null | undefined>(field: string, value: Value): Value {
    if (typeof value === 'string')
      this.#checkSize(field, Buffer.byteLength(value), this.limits.textBytes)
    return value
  }

  requiredText(field: string, value: string): string {
    if (value === '') throw invalid(`${field}: expected a text, got an empty one`)
    return this.text(field, value)
  }

  tags(field: string, value: readonly string[] | null | undefined): string[] | null | undefined {
    if (value === null || value === undefined) return value
    this.#checkSize(field, Buffer.byteLength(JSON.stringify(value)), this.limits.metadataBytes)
    return [...value]
  }

  finite(field: string, value: number): number {
    if (!Number.isFinite(value)) throw invalid(`${field}: expected a finite number, got ${value}`)
    return value
  }

  /** Metadata is an object; keeps anything else as `{value}`, so that nothing is lost. */
  metadata(field: string, value: unknown): Record<string, unknown> | null | undefined {
    if (value === null || value === undefined) return value
    this.#checkSize(field, encodedBytes(value), this.limits.metadataBytes)
    return isObject(value) ? value : { value }
  }

  /** Reads an input or output: a text becomes the object that it encodes, else `{content}`. */
  payload(field: string, value: unknown): unknown {
    const kept = typeof value === 'string' ? textPayload(value) : value
    this.#checkSize(field, encodedBytes(kept), this.limits.payloadBytes)
    return kept
  }

  /** Keeps an object as it is; rejects non-objects. */
  object(field: string, value: unknown): Record<string, unknown> | null | undefined {
    if (value === null || value === undefined) return value
    if (!isObject(value)) throw invalid(`${field}: expected an object, got ${show(value)}`)
    this.#checkSize(field, encodedBytes(value), this.limits.payloadBytes)
    return value
  }

  /** Keeps a list as it is; rejects non-lists. */
  list(
    field: string,
    value: unknown,
    limit: 'messagesBytes' | 'metadataBytes' = 'messagesBytes',
  ): unknown[] | null | undefined {
    if (value === null || value === undefined) return value
    if (!Array.isArray(value)) throw invalid(`${field}: expected a list, got ${show(value)}`)
    this.#checkSize(field, encodedBytes(value), this.limits[limit])
    return value
  }

  /** Encodes a value as JSON text, no longer than a limit. */
  encoded(
    field: string,
    value: unknown,
    limit: 'payloadBytes' | 'metadataBytes' | 'messagesBytes' | 'textBytes',
  ): string {
    const text = encodeJson(value)
    // A character takes three bytes at most (a surrogate pair four), so counting bytes is seldom needed.
    if (text.length * 3 > this.limits[limit])
      this.#checkSize(field, Buffer.byteLength(text), this.limits[limit])
    return text
  }

  #checkSize(field: string, bytes: number, limit: number): void {
    if (bytes > limit)
      throw new DomainError('TOO_LARGE', `${field}: expected at most ${limit} bytes, got ${bytes}`)
  }
}

const encodedBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '')

export { isObject }

export const textPayload = (text: string): Record<string, unknown> => {
  if (/^\s*\{/.test(text) && !isTooDense(text)) {
    try {
      const parsed: unknown = JSON.parse(text)
      if (isObject(parsed) && whyNotStored(parsed) === undefined) return parsed
    } catch {
      // Not JSON: a text like any other.
    }
  }
  return { content: text }
}
