import { StepwellError } from '../../../errors.js'
import { isPassing, pacedFetch } from '../pacing.js'
import type { Work } from '../source.js'
import { type Fields, isFields, present, textOf } from '../values.js'

/** Files are in memory as a whole, one at a time. */
const MAX_BYTES = 100_000_000

/** Copies the files of steps. A file that the service has is not copied again. */
export class Attachments {
  readonly #work: Work
  /** Hosts of files that did not answer in time: a next file is asked for once, as there may be thousands. */
  readonly #silent = new Set<string>()

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
    if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url))
      return { problem: 'url: expected that of its file' }
    const read = await this.#read(url)
    if ('problem' in read) return read
    const { content } = read
    try {
      const { objectKey } = await this.#work.target.api.uploadFile({ content, threadId, mime })
      return objectKey === null ? { problem: 'its file could not be uploaded' } : { objectKey }
    } catch (error) {
      if (!StepwellError.is(error) || error.retryable) throw error
      return { problem: 'its file could not be uploaded' }
    }
  }

  /** Reads a file as patiently as everything else of the source. */
  async #read(url: string): Promise<{ content: Uint8Array<ArrayBuffer> } | { problem: string }> {
    const { host } = new URL(url)
    const { patienceMs, onWait } = this.#work.target.pacing
    let content: Uint8Array<ArrayBuffer> | undefined
    const fetch = pacedFetch({
      patienceMs: this.#silent.has(host) ? 0 : patienceMs,
      onWait,
      redirect: 'follow',
      whole: async (answer) => {
        const { status, headers, ok } = answer
        if (ok) content = await bounded(answer)
        else await answer.body?.cancel()
        return new Response(null, { status, headers })
      },
    })
    const answer = await fetch(url).catch(() => undefined)
    if (answer === undefined || isPassing(answer.status)) this.#silent.add(host)
    else this.#silent.delete(host)
    if (answer === undefined) return { problem: 'its file could not be read' }
    if (!answer.ok) return { problem: `its file was answered with status ${answer.status}` }
    return content === undefined ? { problem: 'its file is larger than 100 MB' } : { content }
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
