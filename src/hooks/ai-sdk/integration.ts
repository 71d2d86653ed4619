import type { Tracer } from '../../tracing/tracer.js'
import { Host } from '../shared/host.js'
import type { Json } from '../shared/json.js'
import { followAnswer } from './answer-stream.js'
import { Operations } from './operations.js'

type Listen = (event: unknown) => void

/** Work that is run inside the step that it belongs to. */
interface Execution<Result> {
  callId: string
  toolCallId?: string
  execute: () => PromiseLike<Result>
}

/** An integration of telemetry, as the AI SDK 7 takes them. */
export interface StepwellIntegration {
  onStart: Listen
  onEnd: Listen
  onError: Listen
  onAbort: Listen
  onStepError: Listen
  onLanguageModelCallStart: Listen
  onLanguageModelCallEnd: Listen
  onObjectStepStart: Listen
  onObjectStepEnd: Listen
  onToolExecutionStart: Listen
  onToolExecutionEnd: Listen
  onEmbedStart: Listen
  onEmbedEnd: Listen
  onRerankStart: Listen
  onRerankEnd: Listen
  executeLanguageModelCall<Result>(options: Execution<Result>): PromiseLike<Result>
  executeTool<Result>(options: Execution<Result>): PromiseLike<Result>
}

const known = new WeakMap<Tracer, StepwellIntegration>()

/**
 * Returns an integration for the AI SDK 7 that records calls as steps: themselves, their calls of models, and their tools.
 * Registered once, it records all calls; it can also be given to one call, in `telemetry.integrations`.
 *
 * @example
 * registerTelemetry(stepwellIntegration(stepwell))
 */
export const stepwellIntegration = (stepwell: Tracer): StepwellIntegration => {
  const made = known.get(stepwell) ?? integrationOf(new Host(stepwell, 'the AI SDK'))
  known.set(stepwell, made)
  return made
}

const integrationOf = (host: Host): StepwellIntegration => {
  const operations = new Operations(host)
  const listen =
    (work: (event: Json) => void): Listen =>
    (event) => {
      host.guarded(() => work(event as Json))
    }
  return {
    onStart: listen((event) => operations.start(event)),
    onEnd: listen((event) => operations.end(event)),
    onError: listen((event) => operations.failed(event)),
    onAbort: listen((event) => operations.aborted(event)),
    onStepError: listen((event) => operations.callFailed(event)),
    onLanguageModelCallStart: listen((event) => operations.callStart(event)),
    onLanguageModelCallEnd: listen((event) => operations.callEnd(event)),
    onObjectStepStart: listen((event) => operations.objectStart(event)),
    onObjectStepEnd: listen((event) => operations.callEnd(event)),
    onToolExecutionStart: listen((event) => operations.toolStart(event)),
    onToolExecutionEnd: listen((event) => operations.toolEnd(event)),
    onEmbedStart: listen((event) => operations.embedStart(event)),
    onEmbedEnd: listen((event) => operations.embedEnd(event)),
    onRerankStart: listen((event) => operations.rerankStart(event)),
    onRerankEnd: listen((event) => operations.rerankEnd(event)),
    executeLanguageModelCall: ({ callId, execute }) => {
      const step = operations.call(callId)
      if (step === undefined) return execute()
      const answered = host.inside(step, execute)
      answered.then(
        (result) => host.guarded(() => followAnswer(result, operations.listenerOf(callId, step))),
        () => {},
      )
      return answered
    },
    executeTool: ({ callId, toolCallId, execute }) => {
      const step = operations.tool(callId, toolCallId)
      return step === undefined ? execute() : host.inside(step, execute)
    },
  }
}
