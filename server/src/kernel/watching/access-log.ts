export const ACCESS_LOGS = ['off', 'failures', 'all'] as const
/** The requests that get a line each: none, those that failed in whole or in part, or all. */
export type AccessLog = (typeof ACCESS_LOGS)[number]
