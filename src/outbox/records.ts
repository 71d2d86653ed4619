/** A recorded step, with its values at its end. */
export interface StepRecord {
  /** Its session; the outbox knows its place there. */
  sessionId: string
  sequence: number
  id: string
  threadId: string | undefined
  rootRunId: string | undefined
  parentId: string | undefined
  type: string | undefined
  name: string | undefined
  /** Milliseconds since 1970, written only when they are sent, or ISO 8601. */
  startTime: number | string | undefined
  endTime: number | string | undefined
  environment: string | undefined
  /** Null clears the error of an earlier part. */
  error: string | null | undefined
  tags: unknown
  input: unknown
  output: unknown
  metadata: unknown
  generation: unknown
  scores: unknown
  attachments: unknown
}

export interface ThreadRecord {
  id: string
  name?: unknown
  participantId?: string | undefined
  environment?: string | undefined
  metadata?: unknown
  tags?: unknown
  /** Scores of the thread to add. */
  scores?: unknown
}
