import type { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import type { Host } from '../shared/host.js'
import { isJson, parsedOr, textOf } from '../shared/json.js'
import { Runs } from '../shared/runs.js'
import { guarded, readable } from './messages.js'
import { ModelCall } from './model-call.js'

/** The tag of runs that are LangGraph's own, and no work of the application. */
const HIDDEN = 'langsmith:hidden'
/** Errors by which LangGraph interrupts and directs graphs. */
const CONTROL = new Set(['GraphInterrupt', 'NodeInterrupt', 'GraphBubbleUp', 'ParentCommand'])

/** Of a run, from its start on. */
interface Start {
  id: string
  parentId: string | undefined
  serialized: unknown
  tags: unknown
  metadata: unknown
  name: unknown
}

/** Records the runs of LangChain as steps. */
export class LangChainRuns {
  readonly #host: Host
  readonly #runs: Runs
  readonly #calls = new WeakMap<Step, ModelCall>()

  constructor(host: Host) {
    this.#host = host
    this.#runs = new Runs(host)
  }

  /** Returns the step of a run that is known. */
  step(id: string | undefined): Step | undefined {
    return this.#runs.step(id)
  }

  chain(start: Start, inputs: unknown, type: unknown): void {
    if (this.#runs.has(start.id)) return
    const isHidden = Array.isArray(start.tags) && start.tags.includes(HIDDEN)
    if (isHidden && this.#runs.hide(start.id, start.parentId)) return
    this.#open(start, { input: readable(inputs) }, textOf(type) ?? 'chain')
  }

  tool(start: Start, input: unknown): void {
    if (this.#runs.has(start.id)) return
    const given = typeof input === 'string' ? parsedOr(input) : input
    this.#open(
      start,
      {
        type: 'tool',
        input: guarded(() =>
          isJson(given) && isJson(given.args) && given.type === 'tool_call' ? given.args : given,
        ),
      },
      'tool',
    )
  }

  retriever(start: Start, query: unknown): void {
    if (this.#runs.has(start.id)) return
    this.#open(start, { type: 'retrieval', input: { query } }, 'retriever')
  }

  /** Opens the step of a model call, and makes it the current one of the code that is about to ask the model. */
  model(
    start: Start,
    messages: readonly unknown[] | undefined,
    prompt: string | undefined,
    extra: unknown,
  ): void {
    if (this.#runs.has(start.id)) return
    const step = this.#open(start, { type: 'llm' }, 'model')
    const { metadata } = start
    this.#calls.set(step, new ModelCall(step, { messages, prompt, extra, metadata }))
    this.#host.enter(step)
  }

  token(id: string, text: unknown, fields: unknown): void {
    const step = this.#runs.touch(id)
    if (step !== undefined) this.#calls.get(step)?.token(text, fields)
  }

  modelEnd(id: string, output: unknown, extra: unknown): void {
    const isCached = isJson(extra) && extra.cached === true
    this.#runs.close(id, (step) => this.#calls.get(step)?.end(output, isCached))
  }

  end(id: string, output: unknown): void {
    this.#runs.close(id, (step) => {
      step.output ??= readable(output)
    })
  }

  failed(id: string, error: unknown): void {
    this.#runs.close(id, (step) => {
      const call = this.#calls.get(step)
      if (call !== undefined) call.failed(error)
      else if (isControl(error)) step.metadata = { ...step.metadata, interrupted: true }
      else step.error = error ?? 'failed without a reason'
    })
  }

  #open(start: Start, data: StepData, kind: string): Step {
    const { id, parentId, serialized, tags, metadata, name } = start
    return this.#runs.open(id, parentId, {
      ...data,
      name: nameOf(name, serialized) ?? kind,
      tags: Array.isArray(tags)
        ? tags.filter((tag) => !/^(seq:step|map:key|graph:step)/.test(String(tag)))
        : undefined,
      metadata:
        isJson(metadata) && Object.keys(metadata).length > 0
          ? Object.fromEntries(
              Object.keys(metadata).map((key) => [key, guarded(() => metadata[key])]),
            )
          : undefined,
    })
  }
}

const isControl = (error: unknown): boolean => isJson(error) && CONTROL.has(String(error.name))

/** Returns the name of a run: its own, or that of the class that runs. */
const nameOf = (name: unknown, serialized: unknown): string | undefined => {
  if (textOf(name) !== undefined) return textOf(name)
  if (!isJson(serialized)) return undefined
  const { id } = serialized
  return textOf(serialized.name) ?? (Array.isArray(id) ? textOf(id.at(-1)) : undefined)
}
