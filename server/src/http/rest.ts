import type { Domain } from '../domain/domain.js'
import type { Files } from '../files/files.js'
import type { Caller } from '../kernel/caller.js'
import { showInstant } from '../kernel/instant.js'
import { isObject } from '../kernel/is-object.js'
import { packageVersion } from '../kernel/package-folder.js'
import { onlyRecords } from '../kernel/scopes.js'
import type { Turn } from '../kernel/sharing/turns.js'
import { optionalText } from './admission/body.js'
import { answer, answerAs, badRequest } from './answers.js'
import { serialize } from './serialize.js'

/** Released clients read the project alone; the rest tells `stepwell doctor` what a key may do, and where. */
export const myProject = ({ projectId, scopes }: Caller): Response =>
  answer(200, { projectId, scopes, version: packageVersion() })

/**
 * Exports a dataset with all its items. Answers `null` instead of an error when there is none: released clients rely on
 * it.
 */
export const exportDataset = async (
  domain: Domain,
  caller: Caller,
  body: Record<string, unknown>,
  turn: Turn,
): Promise<Response> => {
  const id = optionalText(body, 'id')
  const name = optionalText(body, 'name')
  if (id === undefined && name === undefined)
    throw badRequest('id, name: expected one of them, got neither')
  const dataset = await domain.datasets.export(caller, { id, name })
  if (dataset === null) return answer(200, { data: null })
  const shown = <Row extends { createdAt: string }>(row: Row) => ({
    ...row,
    createdAt: showInstant(row.createdAt),
  })
  const data = { ...shown(dataset), items: dataset.items.map(shown) }
  return answerAs(200, await serialize({ data }, turn))
}

/**
 * Rejects the attachment that a client tells of as it asks for an upload, if it would be rejected after that. Released
 * clients tell of none.
 */
const checkAttachment = ({ attachments }: Domain, body: Record<string, unknown>): void => {
  const { attachment } = body
  if (attachment == null) return
  if (!isObject(attachment)) throw badRequest('attachment: expected an object')
  attachments.check({
    id: optionalText(attachment, 'id'),
    stepId: optionalText(attachment, 'stepId'),
    threadId: optionalText(body, 'threadId'),
    name: optionalText(attachment, 'name'),
    metadata: attachment.metadata,
  })
}

/**
 * Returns where and how to upload a file, and the URL to read it from later. Released clients fail without that URL: a
 * key that may only record gets one without a signature.
 */
export const signUpload = async (
  { domain, files }: { domain: Domain; files: Files },
  caller: Caller,
  origin: string,
  body: Record<string, unknown>,
): Promise<Response> => {
  checkAttachment(domain, body)
  const { target, readUrl, address } = await files.announce(caller.projectId, origin, {
    fileName: optionalText(body, 'fileName'),
    mime: shortText(body, 'contentType'),
    threadId: optionalText(body, 'threadId'),
  })
  return answer(200, { ...target, signedUrl: onlyRecords(caller.scopes) ? address : readUrl })
}

const MAX_TYPE = 255

const shortText = (body: Record<string, unknown>, field: string): string | undefined => {
  const text = optionalText(body, field)
  if (text !== undefined && text.length > MAX_TYPE)
    throw badRequest(`${field}: expected at most ${MAX_TYPE} characters`)
  return text
}
