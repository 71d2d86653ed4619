import type { Trace } from '../sampling/trace.js'
import type { Link } from './open-steps.js'

/** @internal The state of a step's recording. */
export interface Recording<Step> {
  /** Its place in the list of running steps. */
  link: Link<Step> | undefined
  /** The trace that begins with it. */
  trace: Trace | undefined
  /** The stream that keeps it open. */
  source: OpenSource | undefined
  /** Returns the values so far of the stream that keeps it open. */
  soFar: (() => unknown) | undefined
  /** True when a model call fills it in, or has: another one inside it gets a step of its own. */
  hasCall: boolean
  /** True when the model call that filled it in has failed: the next one takes its place. */
  hasFailedCall: boolean
  /** Writes the values so far of the model call that fills it in. */
  writeCall: (() => void) | undefined
  /** Called when the application left the answer of the model call that fills it in. */
  onLeft: (() => void) | undefined
  /** False when the settings of a framework keep the inputs of the model call that fills it in out of it. */
  recordsInputs: boolean
  /** False when they keep the outputs of that call out of it. */
  recordsOutputs: boolean
  /** True when an error that was recorded is none any more: a later attempt was successful. */
  clearsError: boolean
  /** True when a mask or a sampling function made it, or a step inside such a one: it is not recorded. */
  isSilent: boolean
  /** True when it was recorded: later changes are not sent automatically. */
  isRecorded: boolean
}

/** @internal A stream that keeps its step open. */
export interface OpenSource {
  isOver: boolean
  /** Records the step; undefined while the function that runs it has not returned. */
  finish: (() => void) | undefined
}
