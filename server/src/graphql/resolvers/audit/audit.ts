import type { Resolvers } from '../../../../generated/resolvers.js'
import { connection } from '../../engine/connection.js'

export const audit = {
  Query: {
    auditEntries: (_, args, { domain, caller }) => domain.audit.list(caller, args),
  },
  AuditEntryConnection: connection(),
} satisfies Resolvers
