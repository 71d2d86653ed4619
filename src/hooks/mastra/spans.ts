// The part of the spans of Mastra that is read.

/** A unit of work, as Mastra exports it. */
export interface MastraSpan {
  readonly id: string
  readonly traceId: string
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly type: string
  readonly isEvent: boolean
  readonly entityName?: string | undefined
  readonly startTime: Date
  readonly endTime?: Date | undefined
  readonly attributes?: object | undefined
  readonly metadata?: Record<string, unknown> | undefined
  readonly tags?: readonly string[] | undefined
  readonly input?: unknown
  readonly output?: unknown
  readonly errorInfo?: { readonly message: string; readonly name?: string | undefined } | undefined
}

/** A moment in the life of a span. */
export interface MastraEvent {
  readonly type: string
  readonly exportedSpan: MastraSpan
}

/** Spans that stand for a call of a model together with what is around it; the call is inside them. */
export const AROUND_CALLS = new Set(['model_generation', 'model_step'])

/** Returns true for the span of a tool, wherever it runs. */
export const isTool = (type: string): boolean => type.endsWith('tool_call')

/** Returns the name of a span without its kind: `weather` of `tool: 'weather'`. */
export const nameOf = ({ entityName, name }: MastraSpan): string =>
  /'(.+)'$/.exec(name)?.[1] ?? entityName ?? name
