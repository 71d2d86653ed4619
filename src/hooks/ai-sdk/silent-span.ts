import type { StepwellSpan } from './open-telemetry.js'

/** Takes everything, and records nothing: in the place of a span that could not be made. */
export class SilentSpan implements StepwellSpan {
  spanContext() {
    return { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }
  }

  setAttribute(_name: string, _value: unknown): this {
    return this
  }

  setAttributes(_attributes: object): this {
    return this
  }

  addEvent(_name: string, _attributes?: unknown): this {
    return this
  }

  addLink(): this {
    return this
  }

  addLinks(): this {
    return this
  }

  setStatus(_status: { code: number; message?: string }): this {
    return this
  }

  updateName(_name: string): this {
    return this
  }

  end(_time?: unknown): void {}

  isRecording(): boolean {
    return false
  }

  recordException(_error: unknown): void {}
}
