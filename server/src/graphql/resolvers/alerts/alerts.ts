import type { Resolvers } from '../../../../generated/resolvers.js'

export const alerts = {
  Query: {
    alerts: (_, __, { domain, caller }) => domain.alerts.list(caller),
    alertEvents: (_, { alertId, first }, { domain, caller }) =>
      domain.alerts.events(caller, alertId, first),
  },
  Mutation: {
    createAlert: (_, args, { domain, caller }) => domain.alerts.create(caller, args),
    updateAlert: (_, args, { domain, caller }) => domain.alerts.update(caller, args),
    deleteAlert: (_, { id }, { domain, caller }) => domain.alerts.delete(caller, id),
    testAlert: (_, { id }, { domain, caller }) => domain.alerts.test(caller, id),
    rotateAlertSecret: (_, { id }, { domain, caller }) => domain.alerts.rotate(caller, id),
  },
  AlertEvent: {
    call: ({ callState, callAttempts, callStatus, callError, calledAt, nextCallAt }) =>
      callState === null
        ? null
        : {
            state: callState,
            attempts: callAttempts,
            status: callStatus,
            error: callError,
            calledAt,
            nextAt: nextCallAt,
          },
  },
} satisfies Resolvers
