import { invalidArgument } from '../errors.js'
import type { DeliveryOptions } from '../outbox/create-outbox.js'
import { type ConnectionOptions, count, type Environment, positive } from '../settings.js'
import { MAX_VALUE_LENGTH } from '../values/capture.js'
import { textOf } from '../values/fit.js'
import type { Exporter } from './recording/exporters.js'
import type { Mask } from './recording/masking.js'
import type { RecorderOptions } from './recording/recorder.js'
import type { Sample } from './sampling/trace.js'

export interface TracerOptions extends ConnectionOptions, DeliveryOptions {
  /** The release of the application: `metadata.release` of the steps and threads that it records. */
  release?: string | undefined
  /**
   * Which traces are kept: a share from 0 to 1, or a function that decides on the first step of each. A trace in which
   * something fails is kept anyway. Default: all are kept.
   */
  sample?: Sample | undefined
  /** Changes what leaves the process, value by value; when it throws, the value is withheld and the step says so. */
  mask?: Mask | undefined
  /** The most characters of a value; a mark shows the place of a cut. Default: 1,000,000. */
  maxValueLength?: number | undefined
  /**
   * Other receivers of the same steps, such as `otlp()` of `stepwell/otlp`. Each has a buffer of its own in memory, with
   * the same limits, and none delays another. Without an API key, they are the only ones.
   */
  exporters?: readonly Exporter[] | undefined
  /** The time after which a silent stream or query ends its step, without the rest, in milliseconds. Default: 600,000. */
  streamTimeoutMs?: number | undefined
}

const STREAM_TIMEOUT_MS = 600_000

/** @internal Reads the options of a recorder. @throws StepwellError when one is invalid. */
export const readTracerOptions = (
  options: TracerOptions,
  environment: Environment | undefined,
): RecorderOptions => {
  const { sample, mask, release } = options
  if (typeof sample === 'number' && !(sample >= 0 && sample <= 1))
    throw invalidArgument(`sample: expected a share from 0 to 1, got ${sample}`)
  const { exporters = [] } = options
  if (!Array.isArray(exporters)) throw invalidArgument('exporters: expected a list')
  for (const [index, exporter] of exporters.entries())
    if (typeof (exporter as Partial<Exporter> | undefined)?.createDelivery !== 'function')
      throw invalidArgument(
        `exporters[${index}]: expected an exporter, such as otlp() of stepwell/otlp`,
      )
  return {
    environment,
    release: textOf(release),
    sample,
    mask,
    maxValueLength: count('maxValueLength', options.maxValueLength ?? MAX_VALUE_LENGTH),
    streamTimeoutMs: positive('streamTimeoutMs', options.streamTimeoutMs ?? STREAM_TIMEOUT_MS),
  }
}

/** The names of all options of all clients, in one text. */
const OPTIONS =
  'apiKey apiUrl environment disabled fetch release sample mask maxValueLength streamTimeoutMs exporters spool waitUntil onReport flushAtExit exitTimeoutMs delivery timeoutMs uploadTimeoutMs prompts'.split(
    ' ',
  )

/** @internal Reports options that no client has, all at once: a typo has no other effect, and is hard to see. */
export const reportUnknown = (options: object, report: (message: string) => void): void => {
  const unknown = Object.keys(options).filter((name) => !OPTIONS.includes(name))
  if (unknown.length > 0)
    report(`unknown option ${unknown.join(', ')}: expected some of ${OPTIONS.join(', ')}`)
}
