import type { GenerationPayloadInput } from '../../generated/schema.js'
import type { Json } from './json.js'

/** The place in the application at which a model was asked. */
export interface Place {
  /** The step around the call, or else the thread, or what another service sent; undefined outside of all. */
  readonly around: unknown
}

/** The step that a call begins with. */
export interface Opening {
  name: string
  type: 'llm' | 'embedding'
  /** Milliseconds since 1970. */
  startedAt: number
}

/** The values that a call has, so far or in the end. */
export interface CallValues {
  generation: GenerationPayloadInput
  /** The error, or a text about it; undefined when nothing failed. */
  error: unknown
  input: unknown
  output: unknown
  /** Facts about the call that a generation has no place for: `metadata.modelCall` of the step. */
  details: Json
}

/**
 * The step of a model call: one of its own, or the one around the call, if that stands for a model call and has none
 * yet. A call may go on after its end, as another attempt.
 */
export interface CallStep {
  /** True for a step that somebody else ends: its values are kept for longer than this call. */
  readonly isShared: boolean
  /** Opens the step. `write` is called for the values so far, should the process end before the call. */
  begin(write: () => void): void
  write(values: CallValues): void
  /** Ends the step, at a moment (milliseconds since 1970). */
  end(moment: number): void
}

/** Watches for values that may never come. */
interface Watch {
  touch(): void
  stop(): void
}

/** The part of a recorder that model calls need. */
export interface CallHost {
  /** Milliseconds of silence after which an answer ends without the rest. */
  readonly idleMs: number
  /** Returns the place of the running code. */
  here(): Place
  open(place: Place, opening: Opening): CallStep
  /** Calls back once nothing came for a time, with the moment of the last value. */
  watch(idleMs: number, onSilence: (lastMoment: number) => void): Watch
  /** Counts an answer that was never read to its end. */
  countAbandoned(): void
  report(message: string): void
}
