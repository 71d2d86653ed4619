/** What the service takes, in bytes of UTF-8 JSON where it is about a value. */
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
  /** How long a statement may take on a PostgreSQL server, in milliseconds: 30,000. The embedded database has no limit. */
  statementTimeoutMs: number
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
}
