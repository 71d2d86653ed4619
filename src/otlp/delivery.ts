import { createOutbox, type Delivery, platform } from '../outbox/create-outbox.js'
import { answersAtExit } from '../outbox/exit/deliver.js'
import { outcomeOf } from '../outbox/sending/answer.js'
import { gzip } from '../outbox/sending/compress.js'
import { type BatchPost, createBatchPost } from '../outbox/sending/http-post.js'
import { type Connection, mustBeObject } from '../settings.js'
import type { ExporterSetup } from '../tracing/recording/exporters.js'
import type { Understand } from './answers.js'

/** Smaller requests are not compressed. */
const GZIP_FROM_BYTES = 1024

/** The receiver of spans. */
export interface SpanTarget {
  /** The address that takes traces. */
  url: string
  headers: Readonly<Record<string, string>>
  fetch: Connection['fetch']
  understand: Understand
  /** Converts the body of a batch into a request for spans. */
  write: (body: Uint8Array) => Uint8Array
  /** Resolves when everything that `write` needs is known. */
  ready?: () => Promise<unknown>
}

/** Creates the delivery of records as spans: an outbox whose batches are converted when they are sent. */
export const createSpanDelivery = (
  { url, headers: given, fetch, understand, write, ready }: SpanTarget,
  {
    connection,
    options: { delivery, ...options },
    report,
    recordOpen,
    release,
  }: Pick<ExporterSetup, 'connection' | 'options' | 'report' | 'recordOpen' | 'release'>,
): Delivery => {
  if (delivery !== undefined) mustBeObject('delivery', delivery)
  const headers = { ...given, 'content-type': 'application/json' }
  const createPost = (): BatchPost => {
    const post = createBatchPost(url, fetch)
    return async (body, _, timeoutMs, signal) => {
      await ready?.()
      const request = write(body)
      const packed = request.length < GZIP_FROM_BYTES ? undefined : await gzip(request)
      const sent = packed === undefined ? headers : { ...headers, 'content-encoding': 'gzip' }
      return understand(await post(packed ?? request, sent, timeoutMs, signal))
    }
  }
  // The key of the service goes to no collector: the requests have headers of their own.
  const target = { ...connection, apiKey: '-', apiUrl: new URL(url).origin, fetch }
  const settings = {
    ...options,
    // It belongs to the service. The body is compressed as spans, and not before.
    spool: undefined,
    delivery: { ...delivery, gzipFromBytes: Number.MAX_SAFE_INTEGER },
  }
  return createOutbox(target, settings, report, recordOpen, release, undefined, {
    ...platform,
    createPost,
    deliverAtExit: (_url, _headers, bodies, deadlineMs) =>
      answersAtExit(url, headers, bodies.map(write), deadlineMs).map(
        (answer) => answer && outcomeOf(understand(answer)),
      ),
  })
}
