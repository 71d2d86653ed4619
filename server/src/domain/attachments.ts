import { randomUUID } from 'node:crypto'
import type {
  MutationCreateAttachmentArgs,
  MutationUpdateAttachmentArgs,
} from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import type { Changes } from '../database/rows/writes.js'
import { type Caller, checkProject } from '../kernel/caller.js'
import { notFound } from '../kernel/errors.js'
import type { Clock } from '../kernel/instant.js'
import {
  type AttachmentRow,
  deleteAttachment,
  findAttachment,
  updateAttachment,
} from '../storage/attachments.js'
import { upsertAttachments } from '../storage/ingestion/nested.js'
import { ensureStep, findSteps } from '../storage/steps.js'
import { lockThread } from '../storage/threads.js'
import { noteFor } from './audit/entry.js'
import type { Values } from './values.js'

/** An attachment whose content is yet to be uploaded. */
interface ComingAttachment {
  id: string | undefined
  stepId: string | undefined
  threadId: string | undefined
  name: string | undefined
  metadata: unknown
}

export class Attachments {
  readonly #db: Database
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, values: Values, clock: Clock) {
    this.#db = db
    this.#values = values
    this.#clock = clock
  }

  /**
   * Rejects an attachment whose content is yet to be uploaded for what would be rejected once it is: the content would
   * stay, for a day, without anything that refers to it.
   */
  check(attachment: ComingAttachment): void {
    const values = this.#values
    for (const field of ['id', 'stepId', 'threadId'] as const) values.id(field, attachment[field])
    values.text('name', attachment.name)
    values.metadata('metadata', attachment.metadata)
  }

  async create(caller: Caller, attachment: MutationCreateAttachmentArgs): Promise<AttachmentRow> {
    const values = this.#values
    const id = randomUUID()
    const stepId = values.requiredId('stepId', attachment.stepId)
    const objectKey = values.text('objectKey', attachment.objectKey) || null
    return this.#db.transaction().execute(async (transaction) => {
      const [step] = await findSteps(transaction, caller.projectId, [stepId], 'light')
      // Before the step, as deletions lock them in this order too.
      if (step?.threadId != null) await lockThread(transaction, caller.projectId, step.threadId)
      const { threadId } = await ensureStep(transaction, caller.projectId, stepId, this.#clock())
      await upsertAttachments(transaction, [
        {
          projectId: caller.projectId,
          id,
          stepId,
          threadId,
          name: values.text('name', attachment.name),
          mime: values.text('mime', attachment.mime) ?? null,
          metadata: values.metadata('metadata', attachment.metadata) ?? null,
          objectKey,
          url: objectKey === null ? (values.text('url', attachment.url) ?? null) : null,
          at: this.#clock(),
        },
      ])
      // Before others may delete it: its creation is answered all the same.
      return (await findAttachment(transaction, caller.projectId, id)) as AttachmentRow
    })
  }

  async update(
    caller: Caller,
    { id, projectId, ...given }: MutationUpdateAttachmentArgs,
  ): Promise<AttachmentRow> {
    checkProject(caller, projectId)
    const values = this.#values
    const changes: Changes<'attachments'> = {
      name: values.text('name', given.name),
      mime: values.text('mime', given.mime),
      metadata: values.metadata('metadata', given.metadata),
      ...this.#place(caller, given),
    }
    const attachment = await this.#db
      .transaction()
      .execute((transaction) => updateAttachment(transaction, caller.projectId, id, changes))
    if (attachment === undefined) throw notFound('attachment', id)
    return attachment
  }

  /**
   * Decides where the content is: an upload's key, or a URL instead. A URL that the service signed for the same upload
   * changes nothing.
   */
  #place(
    { projectId }: Caller,
    { objectKey, url }: { objectKey?: string | null | undefined; url?: string | null | undefined },
  ): Pick<Changes<'attachments'>, 'objectKey' | 'url'> {
    const key = this.#values.text('objectKey', objectKey)
    if (key) return { objectKey: key, url: null }
    const place = this.#values.text('url', url)
    if (place?.includes(`/files/${projectId}/`) && place.includes('X-Amz-Date=')) return {}
    return { objectKey: key === '' || place ? null : key, url: place }
  }

  async find(caller: Caller, id: string): Promise<AttachmentRow | null> {
    const attachment = await findAttachment(this.#db, caller.projectId, id)
    if (attachment === undefined || attachment.stepId === null) return attachment ?? null
    // An attachment belongs to the thread of its step.
    const [step] = await findSteps(this.#db, caller.projectId, [attachment.stepId], 'light')
    return { ...attachment, threadId: step?.threadId ?? attachment.threadId }
  }

  /** Returns null when there is no such attachment. */
  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    return this.#db.transaction().execute(async (transaction) => {
      if (!(await deleteAttachment(transaction, caller.projectId, id))) return null
      await noteFor(transaction, caller, { action: 'DELETE_ATTACHMENT', on: 'ATTACHMENT', id })
      return { id }
    })
  }
}
