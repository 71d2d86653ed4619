import type { Resolvers } from '../../../generated/resolvers.js'
import { attachmentAnswer } from '../engine/receipts.js'

export const attachments = {
  Query: {
    attachment: (_, { id }, { domain, caller }) => domain.attachments.find(caller, id),
  },
  Mutation: {
    createAttachment: async (_, args, context) =>
      attachmentAnswer(
        context,
        await context.domain.attachments.create(context.caller, args),
        args,
      ),
    updateAttachment: (_, args, { domain, caller }) => domain.attachments.update(caller, args),
    deleteAttachment: (_, { id }, { domain, caller }) => domain.attachments.delete(caller, id),
  },
  Attachment: {
    // The step may have been assigned its thread only after the attachment came.
    threadId: async ({ threadId, stepId }, _, { loaders }) =>
      threadId ?? (stepId === null ? null : ((await loaders.step.load(stepId))?.threadId ?? null)),
    url: ({ objectKey, url, mime }, _, { files, caller, origin }) =>
      objectKey === null
        ? url
        : files.readUrl(caller.projectId, objectKey, { mime: mime ?? undefined, origin }),
  },
} satisfies Resolvers
