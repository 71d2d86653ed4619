/** Default limit of the rows of one answer: 128 MB. */
export const MAX_ANSWER_BYTES = 128_000_000

/**
 * The limits of the service, for values in bytes of UTF-8 JSON. Each has an environment variable of its name:
 * `STEPWELL_LIMIT_FILE_BYTES` for `fileBytes`.
 */
export interface Limits {
  /** Input and output of a step, and similar payloads: 3 MB. */
  payloadBytes: number
  /** Metadata: 1 MB. */
  metadataBytes: number
  /** The messages of a generation, which hold the whole conversation so far: 16 MB. */
  messagesBytes: number
  /** Names, errors, comments and other texts: 1 MB. */
  textBytes: number
  /** Ids: 512 bytes, as they are index keys. */
  idBytes: number
  /** A request that is not an upload: 64 MB. */
  requestBytes: number
  /** An uploaded file: 1 GB. */
  fileBytes: number
  /** Time limit of a statement, in milliseconds: 30,000. */
  statementTimeoutMs: number
  /** Total time that a request may use the database, waiting for it included, in milliseconds: 60,000. */
  databaseMs: number
  /** The rows of an answer of the database: 128 MB. */
  answerBytes: number
  /** Rows that a search through a list reads before it gives up: 1,000,000. */
  searchRows: number
  /** Time after which a search through a list gives up, in milliseconds: 10,000. */
  searchMs: number
  /** Requests a second of one API key, and ten times as many for a moment: 5,000. */
  requestsPerSecond: number
  /** Requests that are worked on at once: 200. */
  concurrentRequests: number
  /** Requests that wait for their turn; further ones are rejected: 1,000. */
  waitingRequests: number
  /** Time that a request waits for its turn, in milliseconds: 10,000. */
  waitMs: number
  /** Memory for bodies and the values read from them, in bytes: 256 MB. A single request is always admitted. */
  bytesInFlight: number
  /** Bytes of a body that have to arrive in a second on average, after ten seconds: 1,000. */
  bodyBytesPerSecond: number
  /** Time that a body may take to arrive, unless it is an upload, in milliseconds: 300,000. */
  bodyMs: number
}

export const DEFAULT_LIMITS: Limits = {
  payloadBytes: 3_000_000,
  metadataBytes: 1_000_000,
  messagesBytes: 16_000_000,
  textBytes: 1_000_000,
  idBytes: 512,
  requestBytes: 64_000_000,
  fileBytes: 1_000_000_000,
  statementTimeoutMs: 30_000,
  databaseMs: 60_000,
  answerBytes: MAX_ANSWER_BYTES,
  searchRows: 1_000_000,
  searchMs: 10_000,
  requestsPerSecond: 5000,
  concurrentRequests: 200,
  waitingRequests: 1000,
  waitMs: 10_000,
  bytesInFlight: 256_000_000,
  bodyBytesPerSecond: 1000,
  bodyMs: 300_000,
}
