/** What the rows of one answer hold, unless a service says otherwise: 128 MB. */
export const MAX_ANSWER_BYTES = 128_000_000

/**
 * What the service takes, in bytes of UTF-8 JSON where it is about a value. Each has an environment variable of its name:
 * `STEPWELL_LIMIT_FILE_BYTES` for `fileBytes`.
 */
export interface Limits {
  /** Input and output of a step, and of what else holds such payloads: 3 MB. */
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
  /** How long a statement may take, in milliseconds: 30,000. */
  statementTimeoutMs: number
  /** How long the database may take for all of a request, waiting for it included, in milliseconds: 60,000. */
  databaseMs: number
  /** What an answer of the database may hold: 128 MB. */
  answerBytes: number
  /** Rows that a search through a list reads before it gives up: 1,000,000. */
  searchRows: number
  /** How long a search through a list reads before it gives up, in milliseconds: 10,000. */
  searchMs: number
  /** Requests a second of one API key, and ten times as many for a moment: 5,000. */
  requestsPerSecond: number
  /** Requests that are worked on at once: 200. */
  concurrentRequests: number
  /** Requests that wait for their turn, before others are sent away: 1,000. */
  waitingRequests: number
  /** How long a request waits for its turn, in milliseconds: 10,000. */
  waitMs: number
  /** Memory that bodies and what is read from them take at once, in bytes: 256 MB. A single request may always come in. */
  bytesInFlight: number
  /** Bytes of a body that have to come in a second on average, after ten seconds: 1,000. */
  bodyBytesPerSecond: number
  /** How long a body that is no upload may take to come, in milliseconds: 300,000. */
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
