import type { Instant } from '../kernel/instant.js'
import { decodeJson, decodeText } from './text.js'

/** Reads `2026-11-21 10:00:00.5+00` as an Instant. The session's time zone is UTC. */
const instantOf = (text: string): string => {
  const [day, time = ''] = text.split(' ')
  const [seconds, fraction = ''] = time.replace(/\+00$/, '').split('.')
  return `${day}T${seconds}.${fraction.padEnd(6, '0')}Z`
}

/** Parsers from PostgreSQL's text forms to the values that rows hold, by type id. */
export const parsers = {
  20: Number, // bigint: counts and token sums, far below 2^53
  25: decodeText,
  114: decodeJson,
  1184: instantOf, // timestamptz
}

/** The types of values in rows, by the names that statements have for them. */
export interface Types {
  text: string
  integer: number
  bigint: number
  float8: number
  boolean: boolean
  timestamptz: Instant
  json: unknown
  /** Read as JSON, whose texts are decoded. */
  'text[]': string[]
  int4multirange: string
  bytea: Buffer
}
