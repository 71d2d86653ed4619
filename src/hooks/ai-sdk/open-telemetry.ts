// The part of the interface of OpenTelemetry that the AI SDK calls.

/** Values by their names; undefined ones are none. */
export type Attributes = Record<string, unknown>

/** A unit of work, as OpenTelemetry has it. */
export interface StepwellSpan {
  spanContext(): { traceId: string; spanId: string; traceFlags: number }
  setAttribute(name: string, value: unknown): this
  setAttributes(attributes: object): this
  addEvent(name: string, attributes?: unknown, time?: unknown): this
  addLink(link: unknown): this
  addLinks(links: unknown): this
  setStatus(status: { code: number; message?: string }): this
  updateName(name: string): this
  end(time?: unknown): void
  isRecording(): boolean
  recordException(error: unknown, time?: unknown): void
}

/** Makes spans, as OpenTelemetry's tracers do. */
export interface StepwellTracer {
  startSpan(name: string, options?: object, context?: unknown): StepwellSpan
  startActiveSpan<Work extends (span: StepwellSpan) => unknown>(
    name: string,
    work: Work,
  ): ReturnType<Work>
  startActiveSpan<Work extends (span: StepwellSpan) => unknown>(
    name: string,
    options: object,
    work: Work,
  ): ReturnType<Work>
  startActiveSpan<Work extends (span: StepwellSpan) => unknown>(
    name: string,
    options: object,
    context: unknown,
    work: Work,
  ): ReturnType<Work>
}
