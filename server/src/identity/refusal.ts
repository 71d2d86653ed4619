/** Why a sign-in with the provider failed, as the address of the sign-in page says it. */
export const REFUSALS = [
  'away',
  'denied',
  'lost',
  'clock',
  'invalid',
  'setup',
  'no-role',
  'groups-left-out',
] as const
export type RefusalReason = (typeof REFUSALS)[number]

/** A sign-in that failed. The message is for the log of the service, and has nothing secret. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
