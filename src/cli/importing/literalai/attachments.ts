import { StepwellError } from '../../../errors.js'
import type { Work } from '../source.js'
import { type Fields, isFields, present, textOf } from '../values.js'

/** Files are in memory as a whole, one at a time. */
const MAX_BYTES = 100_000_000
const TIMEOUT_MS = 120_000

/** Copies the files of steps. A file that the service has is not copied again. */
export class Attachments {
  readonly #work: Work

  constructor(work: Work) {
    this.#work = work
  }

  async store(
    stepId: string,
    threadId: string | undefined,
    given: readonly Fields[],
  ): Promise<void> {
    for (const attachment of given) {
      this.#work.report.read('attachments')
      const id = textOf(attachment.id)
      if (id === undefined) this.#work.report.dropped('attachments', 'id: expected a text')
      else await this.#store(id, stepId, threadId, attachment)
    }
  }

  async #store(
    id: string,
    stepId: string,
    threadId: string | undefined,
    attachment: Fields,
  ): Promise<void> {
    const { report, target } = this.#work
    const url = textOf(attachment.url)
    const isFile = textOf(attachment.objectKey) !== undefined
    const known = isFile ? (await target.api.getAttachment(id))?.objectKey : undefined
    let objectKey = known ?? undefined
    if (isFile && !objectKey) {
      const copied = await this.#copy(url, threadId, textOf(attachment.mime))
      if ('problem' in copied) {
        report.dropped('attachments', copied.problem, id)
        return
      }
      objectKey = copied.objectKey
    }
    await target.send({
      threads: [],
      steps: [
        {
          kind: 'attachments',
          id,
          input: {
            id: stepId,
            attachments: [
              {
                id,
                ...present({
                  name: textOf(attachment.name),
                  mime: textOf(attachment.mime),
                  metadata: isFields(attachment.metadata) ? attachment.metadata : undefined,
                  objectKey,
                  url: isFile ? undefined : url,
                }),
              },
            ],
          },
        },
      ],
    })
  }

  /** Copies a file by its presigned URL, to which no key is sent. */
  async #copy(
    url: string | undefined,
    threadId: string | undefined,
    mime: string | undefined,
  ): Promise<{ objectKey: string } | { problem: string }> {
    if (url === undefined || !/^https?:\/\//i.test(url))
      return { problem: 'url: expected that of its file' }
    let content: Uint8Array<ArrayBuffer> | undefined
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (!answer.ok) {
        await answer.body?.cancel()
        return { problem: `its file was answered with status ${answer.status}` }
      }
      content = await bounded(answer)
    } catch {
      return { problem: 'its file could not be read' }
    }
    if (content === undefined) return { problem: 'its file is larger than 100 MB' }
    try {
      const { objectKey } = await this.#work.target.api.uploadFile({ content, threadId, mime })
      return objectKey === null ? { problem: 'its file could not be uploaded' } : { objectKey }
    } catch (error) {
      if (!StepwellError.is(error) || error.retryable) throw error
      return { problem: 'its file could not be uploaded' }
    }
  }
}

/** Reads a body; undefined as soon as it is too large, whatever its length was announced to be. */
const bounded = async (answer: Response): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  if (Number(answer.headers.get('content-length')) > MAX_BYTES) {
    await answer.body?.cancel()
    return undefined
  }
  const parts: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the body.
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > MAX_BYTES) return undefined
    parts.push(part)
  }
  const content = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    content.set(part, at)
    at += part.length
  }
  return content
}
