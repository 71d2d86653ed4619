import { randomBytes, randomUUID } from 'node:crypto'
import { StepwellClient } from '../../../client.js'
import { StepwellError } from '../../../errors.js'
import type { Connection } from '../../../settings.js'
import { broken, type Finding, ok } from '../check.js'
import { ask, codeOf, kindOf, messageOf } from './ask.js'
import { type Sent, watchedFetch } from './watched-fetch.js'

/** The tag by which people and alerts can tell a canary from their own threads. */
const TAG = 'stepwell-doctor'
const ENVIRONMENT = 'dev'
const STEP_NAME = 'stepwell doctor'
const SPAN_NAME = 'stepwell doctor by OpenTelemetry'
const CONTENT = 'a canary of stepwell doctor'
const MODEL = 'stepwell-doctor'
const TIMEOUT_MS = 8000
const READ_TRIES = 10
const READ_AGAIN_MS = 300
const REMOVE_TRIES = 3
const LEFT = `delete the threads with the tag ${TAG}, which stepwell list threads 'tags:${TAG}' lists`

/**
 * A thread that is recorded, read back and deleted: a step with a generation and a score, an attachment, and a span of
 * OpenTelemetry. It has no user, so that none is created, and no session of a client.
 */
export class Canary {
  readonly #connection: Connection
  readonly #client: StepwellClient
  readonly #threadId = `stepwell-doctor-${randomUUID()}`
  readonly #stepId = randomUUID()
  readonly #sent: Sent = {}
  #objectKey: string | undefined
  #url: string | undefined
  /** True once anything may be stored. */
  #isMade = false

  constructor(connection: Connection) {
    this.#connection = connection
    const { apiUrl, apiKey } = connection
    this.#client = new StepwellClient({
      apiUrl,
      apiKey,
      environment: ENVIRONMENT,
      timeoutMs: TIMEOUT_MS,
      uploadTimeoutMs: TIMEOUT_MS,
      disabled: false,
      flushAtExit: false,
      onReport: () => undefined,
      fetch: watchedFetch(this.#sent),
    })
  }

  /** Uploads a file as a client does: where the service says. */
  async upload(): Promise<Finding> {
    this.#isMade = true
    const file = { content: CONTENT, mime: 'text/plain', threadId: this.#threadId }
    return failing('an upload was not signed', async () => {
      const { objectKey } = await this.#client.api.uploadFile(file)
      const to = this.#sent.url === undefined ? '' : new URL(this.#sent.url).origin
      if (objectKey === null)
        return broken(
          `a file of ${CONTENT.length} bytes could not be sent to ${to}: ${this.#sent.failure ?? `status ${this.#sent.status}`}`,
          this.#uploadRemedy(to),
        )
      this.#objectKey = objectKey
      return ok(`a file of ${CONTENT.length} bytes was sent to ${to}`)
    })
  }

  #uploadRemedy(to: string): string {
    const { origin } = new URL(this.#connection.apiUrl)
    if (to === origin)
      return 'have the proxy let POST requests of any path below /files through, 1 GB large; run stepwell doctor --service on the machine of the service'
    return `if ${to} is the bucket, run stepwell doctor --service on the machine of the service; if it is the service, start it with --public-url ${this.#connection.apiUrl}`
  }

  async record(): Promise<Finding> {
    this.#isMade = true
    const now = new Date().toISOString()
    return failing('a step was not recorded', async () => {
      await this.#client.api.upsertThread({
        threadId: this.#threadId,
        name: STEP_NAME,
        tags: [TAG],
      })
      const { data } = await this.#client.api.sendSteps([
        {
          id: this.#stepId,
          threadId: this.#threadId,
          name: STEP_NAME,
          type: 'llm',
          startTime: now,
          endTime: now,
          output: { content: CONTENT },
          generation: { type: 'CHAT', model: MODEL, provider: MODEL },
          scores: [{ name: TAG, type: 'CODE', value: 1 }],
          ...(this.#objectKey === undefined
            ? {}
            : {
                attachments: [
                  { id: randomUUID(), name: TAG, mime: 'text/plain', objectKey: this.#objectKey },
                ],
              }),
        },
      ])
      const [refused] = data.ingestSteps.refused
      return refused === undefined
        ? ok('a thread was recorded, with a step, a generation and a score')
        : broken(
            `a step was rejected: ${refused.message}`,
            'use versions of the SDK and the service that fit each other: npm install stepwell@latest',
          )
    })
  }

  async readBack(): Promise<Finding> {
    return failing('the thread was not read back', async () => {
      const thread = await this.#client.api.getThread(this.#threadId)
      const step = thread?.steps?.find(({ id }) => id === this.#stepId)
      const missing = [
        ...(thread === null ? ['the thread'] : []),
        ...(step === undefined ? ['the step'] : []),
        ...(step?.generation == null ? ['the generation'] : []),
        ...(step?.scores?.[0]?.value === 1 ? [] : ['the score']),
        ...(this.#objectKey === undefined || step?.attachments?.length === 1
          ? []
          : ['the attachment']),
      ]
      this.#url = step?.attachments?.[0]?.url ?? undefined
      return missing.length === 0
        ? ok('the thread was read back whole')
        : broken(
            `of what was recorded, ${missing.join(', ')} was not read back`,
            'see that every process behind this address uses one database: stepwell doctor --service on each machine',
          )
    })
  }

  /** Reads the file by the presigned URL that the attachment has. */
  async download(): Promise<Finding> {
    const url = this.#url
    if (url === undefined)
      return broken(
        'the attachment has no URL to read its file from',
        'see the log of the service for the reason',
      )
    const { origin } = new URL(url)
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      const text = await response.text()
      return response.ok && text === CONTENT
        ? ok(`the file was read back from ${origin}`)
        : broken(
            `the file at ${origin} got status ${response.status}${response.ok ? ', and other content' : ''}`,
            this.#uploadRemedy(origin),
          )
    } catch {
      return broken(`the file at ${origin} gives no answer`, this.#uploadRemedy(origin))
    }
  }

  /** Sends a span of OpenTelemetry, and waits until it is a step of the thread. */
  async span(mayRead: boolean): Promise<Finding> {
    this.#isMade = true
    const reply = await this.#postSpan()
    if (typeof reply === 'object') return reply
    if (!mayRead) return ok(`a span was taken by ${reply}`)
    return failing('the span was not read back', async () => {
      for (let attempt = 0; attempt < READ_TRIES; attempt++) {
        if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS))
        const thread = await this.#client.api.getThread(this.#threadId)
        if (thread?.steps?.some(({ name }) => name === SPAN_NAME))
          return ok(`a span was taken by ${reply}, and read back as a step`)
      }
      return broken(
        `a span was taken by ${reply}, and never became a step`,
        'see what the service understands of spans: stepwell otel explain FILE',
      )
    })
  }

  /** Returns the address that took the span, or the reason why it did not. */
  async #postSpan(): Promise<string | Finding> {
    const nanoseconds = `${Date.now()}000000`
    return postTraces(this.#connection, [
      {
        traceId: randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        name: SPAN_NAME,
        kind: 1,
        startTimeUnixNano: nanoseconds,
        endTimeUnixNano: nanoseconds,
        attributes: [
          { key: 'gen_ai.conversation.id', value: { stringValue: this.#threadId } },
          { key: 'langfuse.trace.tags', value: { stringValue: TAG } },
        ],
      },
    ])
  }

  /** Deletes all of it, also after a failure. Returns nothing when nothing was sent. */
  async remove(): Promise<Finding | []> {
    if (!this.#isMade) return []
    for (let attempt = 1; ; attempt++)
      try {
        await this.#client.api.deleteThread(this.#threadId)
        this.#isMade = false
        return ok('the canary was deleted; the service removes its file within a minute')
      } catch (error) {
        if (attempt < REMOVE_TRIES) continue
        return broken(`the canary could not be deleted: ${saidOf(error)}`, LEFT)
      }
  }
}

/** Sends spans to the service. Returns the address that took them, or the reason why it did not. */
export const postTraces = async (
  { apiUrl, apiKey = '' }: Connection,
  spans: readonly object[],
): Promise<string | Finding> => {
  const url = `${apiUrl}/v1/traces`
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: TAG } }] }
  const resourceSpans = spans.length === 0 ? [] : [{ resource, scopeSpans: [{ spans }] }]
  const through =
    'have the proxy let POST requests to /v1/traces through, with the header x-api-key'
  try {
    const reply = await ask(url, {
      headers: { 'x-api-key': apiKey, 'x-env': ENVIRONMENT },
      body: JSON.stringify({ resourceSpans }),
    })
    if (reply.status === 200) return url
    const said = messageOf(reply)
    return broken(
      `POST ${url} got ${kindOf(reply)}${said === '' ? '' : `: ${said}`}`,
      codeOf(reply) === 'UNAVAILABLE' ? 'see the log of the service for the reason' : through,
    )
  } catch {
    return broken(`POST ${url} got no answer`, through)
  }
}

const failing = async (what: string, work: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await work()
  } catch (error) {
    const { code } = error as { code?: unknown }
    return broken(
      `${what}: ${saidOf(error)}`,
      REMEDIES[String(code)] ?? 'see the log of the service for the reason',
    )
  }
}

const REMEDIES: Record<string, string> = {
  FORBIDDEN:
    'create a key with the scopes of the check: stepwell key create NAME --scopes write,read',
  UNAVAILABLE: 'run stepwell doctor --service on the machine of the service',
  NETWORK: 'have the proxy let POST requests to /api/graphql and /api/upload/file through',
  TIMEOUT: 'see the metrics of the service for what it is busy with',
  RATE_LIMITED:
    'try again in a minute; STEPWELL_LIMIT_REQUESTS_PER_SECOND of the service is the limit',
}

/** Returns what an error says, unless that may quote an answer which is not the service's. */
export const saidOf = (error: unknown): string => {
  if (!StepwellError.is(error)) return 'an unexpected failure'
  const { status, message } = error
  return /^expected JSON|^the service answered with status/.test(message)
    ? `an answer with status ${status} that is not the service's`
    : message
}
