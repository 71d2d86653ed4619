import type { AlertEventType, AlertState } from '../../../generated/resolvers.js'
import type { Instant } from '../../kernel/instant.js'

/** A state that a webhook hears of. */
export type ToldState = Exclude<AlertState, 'NO_DATA'>

/** The part of an alert that an evaluation changes. */
export interface AlertProgress {
  state: AlertState | null
  stateSince: Instant | null
  /** The state that the webhook heard of last; null is as good as `OK`. */
  toldState: ToldState | null
  toldAt: Instant | null
}

/** The event that an evaluation leads to. */
export interface Decision {
  progress: AlertProgress
  event: { type: Exclude<AlertEventType, 'TEST'>; isCalled: boolean } | undefined
}

/** Compares a value with a threshold. A value on the threshold is neither above nor below it. */
export const stateOf = (
  value: number | null,
  comparison: 'ABOVE' | 'BELOW',
  threshold: number,
): 'OK' | 'FIRING' | 'NO_DATA' => {
  if (value === null) return 'NO_DATA'
  return (comparison === 'ABOVE' ? value > threshold : value < threshold) ? 'FIRING' : 'OK'
}

/**
 * Decides about an event. The webhook is called outside of quiet hours only, whenever the state is another one than it
 * heard of last: so it hears at the end of quiet hours of everything that still holds, and of nothing that is over.
 * Without data nothing is known, so that the webhook hears nothing.
 */
export const decide = (
  before: AlertProgress & { repeatMinutes: number | null },
  state: AlertState,
  now: Instant,
  isQuiet: boolean,
): Decision => {
  const isChanged = state !== before.state
  const isNews = state !== 'NO_DATA' && state !== (before.toldState ?? 'OK')
  const isCalled = !isQuiet && (isNews || (state === 'FIRING' && isRepeated(before, now)))
  const type = isChanged ? 'CHANGED' : isNews ? 'QUIET_ENDED' : 'REPEATED'
  return {
    progress: {
      state,
      stateSince: isChanged ? now : before.stateSince,
      ...(isCalled
        ? { toldState: state, toldAt: now }
        : { toldState: before.toldState, toldAt: before.toldAt }),
    },
    event: isChanged || isCalled ? { type, isCalled } : undefined,
  }
}

const isRepeated = (
  { toldState, toldAt, repeatMinutes }: AlertProgress & { repeatMinutes: number | null },
  now: Instant,
): boolean =>
  toldState === 'FIRING' &&
  toldAt !== null &&
  repeatMinutes !== null &&
  Date.parse(now) - Date.parse(toldAt) >= repeatMinutes * 60_000
