import {
  type AttachmentFieldsFragment,
  CreateAttachmentDocument,
  DeleteAttachmentDocument,
  type DeleteAttachmentMutation,
  GetAttachmentDocument,
  IngestStepsDocument,
  UpdateAttachmentDocument,
  type UpdateAttachmentMutation,
  type UpdateAttachmentMutationVariables,
} from '../../generated/operations.js'
import type { Attachment as SchemaAttachment } from '../../generated/schema.js'
import { invalidArgument, StepwellError } from '../errors.js'
import { camelKeys, type Snake, toCamelCase, toSnake } from '../spelling.js'
import { type Content, type ContentSource, nameOf } from '../transport/content.js'
import type { Transport } from '../transport/transport.js'
import type { UploadedFile } from '../transport/upload.js'
import { type IdParam, idOf, type RawResult } from './calls/raw.js'

/** An attachment as the service returns it. */
export type Attachment = Pick<SchemaAttachment, keyof AttachmentFieldsFragment>

export interface UploadFileParams extends ContentSource {
  /** The id, and the name of the stored object. Default: a new UUID. */
  id?: string | null | undefined
  /** The thread that the file belongs to. */
  threadId?: string | null | undefined
  /** The media type. Default: `application/octet-stream`. */
  mime?: string | null | undefined
}

export interface CreateAttachmentParams extends UploadFileParams {
  /**
   * The step to attach it to. Default: the step around the call. Outside of all steps, put the attachment into the
   * `attachments` of a step.
   */
  stepId?: string | null | undefined
  /** The name to show. Default: that of the file. */
  name?: string | null | undefined
  /** Anything to store with it; an object up to 1 MB. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface AttachmentUpdate extends Omit<UpdateAttachmentMutationVariables, 'id'> {
  name?: string | null | undefined
  mime?: string | null | undefined
  metadata?: Record<string, unknown> | null | undefined
  objectKey?: string | null | undefined
  url?: string | null | undefined
}

/** Parameters of `create_attachment`, which attaches one of content, path, object_key and url. */
export interface AttachParams extends ContentSource, AttachmentUpdate {
  /** The step to attach it to. Default: the step around the call. */
  stepId?: string | null | undefined
  /** The thread of that step. */
  threadId?: string | null | undefined
  /** The id of an existing attachment to change, or the id that a new one gets. */
  id?: string | null | undefined
}

export const attachmentsApi = ({ call, upload, ambient, isBlocking }: Transport) => {
  const getAttachment = async (id: string): Promise<Attachment | null> =>
    (await call(GetAttachmentDocument, { id })).attachment
  const updateAttachment = async (
    id: string,
    update: AttachmentUpdate,
  ): Promise<RawResult<UpdateAttachmentMutation>> => ({
    data: await call(UpdateAttachmentDocument, { ...update, id }),
  })
  const deleteAttachment = async (id: string): Promise<RawResult<DeleteAttachmentMutation>> => ({
    data: await call(DeleteAttachmentDocument, { id }),
  })

  /** Stores an attachment under an id of the client's choice, which only ingestion can. */
  const attachWithId = async (
    { stepId, ...attachment }: Partial<Attachment> & { id: string; stepId: string },
    { threadId, name }: { threadId: string | null | undefined; name?: string | undefined },
  ): Promise<void> => {
    const step = {
      id: stepId,
      ...(name === undefined ? {} : { name }),
      ...(threadId ? { threadId } : {}),
      attachments: [attachment],
    }
    const { ingestSteps } = await call(IngestStepsDocument, { steps: [step] })
    if (!ingestSteps.ok)
      throw new StepwellError(ingestSteps.refused[0]?.message ?? 'the attachment was rejected', {
        code: 'INVALID_ARGUMENT',
      })
  }

  const createAttachment = async (params: CreateAttachmentParams): Promise<Attachment> => {
    // A step that is named by `step_id` would not get the attachment.
    for (const name of Object.keys(params))
      if (name.includes('_')) throw invalidArgument(`${name}: expected ${toCamelCase(name)}`)
    const id = params.id || crypto.randomUUID()
    const { step, threadId: threadAround } = ambient()
    const isAround = isStepAround(params.stepId, step)
    const threadId = params.threadId || (isAround ? threadAround : undefined) || null
    const { stepId, name, metadata } = params
    // A recorded one is masked and fitted with its step, and not told before.
    const told = stepId ? { id, stepId, name, metadata } : undefined
    const file = await upload({ ...params, threadId, id }, told)
    const attachment: Attachment = {
      id,
      threadId,
      stepId: params.stepId || step?.id || null,
      name: nameFor(params, file, id),
      mime: params.mime || 'application/octet-stream',
      metadata: params.metadata ?? null,
      ...file,
    }
    if (attachment.stepId === null || file.objectKey === null) return attachment
    if (params.stepId) await attachWithId({ ...attachment, stepId: params.stepId }, { threadId })
    else {
      // Recorded with the step; stored separately when the step has ended in the meantime.
      const { stepId, ...recorded } = attachment
      step?.attach(recorded)
    }
    return attachment
  }

  const attach = async (params: AttachParams): Promise<Attachment> => {
    const { step, threadId: threadAround } = ambient()
    const { id } = params
    const isStored = Boolean(params.objectKey || params.url)
    const hasContent = params.content != null || Boolean(params.path)
    const known = id ? await getAttachment(id) : null
    const newId = id || crypto.randomUUID()
    const stepAround = known === null ? step?.id : undefined
    const isAround = isStepAround(params.stepId, step) && known === null
    const threadId = params.threadId || (isAround ? threadAround : undefined)
    const hasStep = known !== null || Boolean(params.stepId || stepAround)
    // Without promises the contract makes the step optional: one is created, so that the attachment can be found.
    const stepId = params.stepId || stepAround || (hasStep ? undefined : crypto.randomUUID())
    if (known === null && !isStored && !hasContent)
      throw invalidArgument(
        'content, path: expected one of them to upload, or object_key or url, got none',
      )
    if (!hasStep && !isBlocking)
      throw invalidArgument('step_id: expected the step to attach to, got none')
    const file: Partial<UploadedFile> =
      hasContent && !isStored
        ? await upload(
            {
              ...params,
              threadId: threadId ?? known?.threadId,
              mime: params.mime ?? known?.mime,
              id: undefined,
            },
            { id, stepId, name: params.name, metadata: params.metadata },
          )
        : { objectKey: params.objectKey ?? null, url: params.url ?? null }
    // A failed upload returns nulls, and stores nothing that would point nowhere.
    const failed = hasContent && !isStored && file.objectKey === null
    const name = params.name ?? known?.name ?? nameFor(params, file, newId)
    const mime = params.mime ?? (hasContent ? 'application/octet-stream' : null)
    const created: Attachment = {
      id: newId,
      threadId: threadId || null,
      stepId: stepId || null,
      name,
      mime,
      metadata: params.metadata ?? null,
      objectKey: file.objectKey ?? null,
      url: file.url ?? null,
    }
    if (failed) return created
    const isMoved = known !== null && Boolean(stepId) && stepId !== known.stepId
    if (known !== null && !isMoved) {
      // Only ingestion can change the attachment's thread; the step's thread stays.
      if (known.stepId !== null && params.threadId && params.threadId !== known.threadId)
        await attachWithId(
          { id: known.id, stepId: known.stepId, threadId: params.threadId },
          { threadId: undefined },
        )
      const content =
        isStored || hasContent
          ? { objectKey: created.objectKey, ...(created.objectKey ? {} : { url: created.url }) }
          : {}
      const { data } = await updateAttachment(known.id, { ...params, ...content })
      return data.updateAttachment as Attachment
    }
    const isNamed = Boolean(params.threadId) && !(isAround && params.threadId === threadAround)
    if (id || isNamed || !hasStep) {
      // Only ingestion can choose an id, name a thread, or move an attachment to another step.
      const ofStep = { threadId, name: hasStep ? undefined : name }
      await attachWithId({ ...created, stepId: stepId as string }, ofStep)
      return (await getAttachment(newId)) as Attachment
    }
    const variables = {
      ...params,
      ...created,
      stepId: stepId as string,
      name,
      url: created.objectKey === null ? created.url : null,
    }
    const { createAttachment } = await call(CreateAttachmentDocument, variables)
    const stored = createAttachment as Attachment
    // The step around the call is stored at its end, and until then the service does not know its thread.
    return { ...stored, threadId: stored.threadId ?? (threadId || null) }
  }

  return {
    /**
     * Uploads a file by a presigned URL and returns the attachment that stands for it. With a `stepId`, it is stored at
     * once. Inside a step that is being recorded, it is stored with that step and its thread, even when the step ends
     * before the upload.
     *
     * @returns the attachment. When the upload fails, its `objectKey` and `url` are null and nothing is stored.
     * @throws `INVALID_ARGUMENT` when there is neither `content` nor `path`, or when no file can be read at the path.
     * @throws `TOO_LARGE` when there is a `stepId`, and the name or the metadata is larger than 1 MB. Nothing is uploaded
     *   then.
     * @throws `NETWORK` when the service's answer to the request for a URL is invalid.
     * @scope `ingest` or `write`
     * @example
     * await stepwell.api.createAttachment({ path: './invoice.pdf', mime: 'application/pdf', threadId, stepId })
     */
    createAttachment,
    /**
     * Attaches a file to a step: content to upload, or a file that is uploaded already (`object_key`, `url`). With the
     * `id` of an existing attachment, changes that one. With a `thread_id`, the step belongs to that thread, even when
     * it is yet to arrive. Unlike `createAttachment`, throws outside of every step when there is no `step_id`; without
     * promises (`stepwell/sync`), a step is created for it then. Without `id` and `thread_id`, the scope `ingest`
     * suffices.
     *
     * @returns the attachment. When the upload fails, its `object_key` and `url` are null and nothing is stored.
     * @throws `INVALID_ARGUMENT` when there is neither content nor a stored file, no `step_id` outside of every step,
     *   or no readable file at the path.
     * @throws `TOO_LARGE` when the name or the metadata is larger than 1 MB. Nothing is uploaded then.
     * @throws `NETWORK` when the service's answer to the request for a URL is invalid.
     * @scope `read`, and `write`
     * @example
     * await stepwell.api.create_attachment({ content: 'Dear Ada', name: 'letter.txt', step_id: stepId })
     */
    create_attachment: async (params: Snake<AttachParams>): Promise<Snake<Attachment>> =>
      toSnake(await attach(camelKeys<AttachParams>(params)), 'Attachment'),

    /**
     * Uploads a file.
     *
     * @deprecated Use `createAttachment`.
     * @returns the key and a presigned URL of the file; both are null when the upload fails.
     * @throws `INVALID_ARGUMENT` when there is neither `content` nor `path`, or when no file can be read at the path.
     * @throws `NETWORK` when the service's answer to the request for a URL is invalid.
     * @scope `ingest` or `write`
     * @example
     * const { objectKey, url } = await stepwell.api.uploadFile({ content: 'Dear Ada', mime: 'text/plain' })
     */
    uploadFile: (params: UploadFileParams): Promise<UploadedFile> => upload(params),
    /**
     * Uploads content; `uploadFile` in the other spelling.
     *
     * @deprecated Use `create_attachment`.
     * @returns the key and a presigned URL of the file; both are null when the upload fails.
     * @throws `INVALID_ARGUMENT` when there is neither `content` nor `path`, or when no file can be read at the path.
     * @throws `NETWORK` when the service's answer to the request for a URL is invalid.
     * @scope `ingest` or `write`
     * @example
     * const { object_key, url } = await stepwell.api.upload_file({ content: 'Dear Ada', mime: 'text/plain' })
     */
    upload_file: async (params: {
      /** The content; either this or `path`. */
      content?: Content | null | undefined
      /** The path of a file; Node only. */
      path?: string | null | undefined
      /** The name of the stored object. Default: a new UUID. */
      id?: string | null | undefined
      /** The thread that the file belongs to. */
      thread_id?: string | null | undefined
      /** The media type. Default: `application/octet-stream`. */
      mime?: string | null | undefined
    }): Promise<Snake<UploadedFile>> => {
      const { objectKey, url } = await upload(camelKeys<UploadFileParams>(params))
      return { object_key: objectKey, url }
    },

    /**
     * Gets an attachment. Each read signs its `url` anew.
     *
     * @returns the attachment; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const attachment = await stepwell.api.getAttachment(attachmentId)
     * console.log(attachment?.url)
     */
    getAttachment: (attachment: IdParam): Promise<Attachment | null> =>
      getAttachment(idOf(attachment)),
    /**
     * Gets an attachment; `getAttachment` in the other spelling.
     *
     * @returns the attachment; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const attachment = await stepwell.api.get_attachment(attachmentId)
     * console.log(attachment?.object_key)
     */
    get_attachment: async (attachment: IdParam): Promise<Snake<Attachment> | null> =>
      toSnake(await getAttachment(idOf(attachment)), 'Attachment'),

    /**
     * Changes an attachment. A field that is omitted keeps its stored value, null clears it.
     *
     * @returns the raw answer, with the attachment in `data.updateAttachment`.
     * @throws `INVALID_ARGUMENT` when the id is missing.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.updateAttachment({ id: attachmentId, name: 'invoice.pdf' })
     */
    updateAttachment: ({
      id,
      updateParams,
      ...update
    }: {
      /** The attachment's id. */
      id: string
      /** The changes, which may also stand beside the id. */
      updateParams?: AttachmentUpdate
    } & AttachmentUpdate) => updateAttachment(id, { ...update, ...updateParams }),
    /**
     * Changes an attachment; `updateAttachment` in the other spelling.
     *
     * @returns the raw answer, with the attachment in `data.updateAttachment`.
     * @throws `INVALID_ARGUMENT` when the id is missing.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.update_attachment({ id: attachmentId, update_params: { name: 'invoice.pdf' } })
     */
    update_attachment: ({
      id,
      update_params,
      ...update
    }: {
      /** The attachment's id. */
      id: string
      /** The changes, which may also stand beside the id. */
      update_params?: Snake<AttachmentUpdate>
    } & Snake<AttachmentUpdate>) =>
      updateAttachment(id, camelKeys<AttachmentUpdate>({ ...update, ...update_params })),

    /**
     * Deletes an attachment.
     *
     * @returns the raw answer, unlike other deletions; `data.deleteAttachment` is null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const { data } = await stepwell.api.deleteAttachment(attachmentId)
     * console.log(data.deleteAttachment?.id)
     */
    deleteAttachment: (attachment: IdParam) => deleteAttachment(idOf(attachment)),
    /**
     * Deletes an attachment; `deleteAttachment` in the other spelling.
     *
     * @returns the raw answer, unlike other deletions; `data.deleteAttachment` is null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_attachment({ id: attachmentId })
     */
    delete_attachment: (attachment: IdParam) => deleteAttachment(idOf(attachment)),
  }
}

/**
 * Returns true for a call that concerns the step around it, and so its thread: a call without a step, or with that one.
 */
const isStepAround = (
  stepId: string | null | undefined,
  step: { id: string } | undefined,
): boolean => !stepId || stepId === step?.id

/** Returns the given name, or that of the file, of its key or of its URL; the id when there is none. */
const nameFor = (
  params: ContentSource & { name?: string | null | undefined },
  { objectKey, url }: Partial<UploadedFile>,
  id: string,
): string =>
  params.name ||
  nameOf(params) ||
  objectKey?.split('/').pop() ||
  url?.split('?')[0]?.split('/').pop() ||
  id
