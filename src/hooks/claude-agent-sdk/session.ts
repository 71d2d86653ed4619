import type { Step } from '../../tracing/step.js'
import type { Tracer } from '../../tracing/tracer.js'
import { now, toIso } from '../../values/clock.js'
import { newId } from '../../values/id.js'
import { describe, tokensIn } from '../shared/generation.js'
import { isJson, type Json, objectsOf, textOf } from '../shared/json.js'
import type { Runs } from '../shared/runs.js'
import { toolId } from './in-process-tools.js'
import { ModelCall } from './model-call.js'
import { resultOf } from './result.js'
import { Totals } from './totals.js'

/** A conversation with a model: the application's, or that of a subagent. */
interface Conversation {
  /** The use of the tool that began it; null for that of the application. */
  readonly of: string | null
  messages: Json[]
  call: ModelCall | undefined
  /** When its last message came: the model has been asked since. */
  lastAt: number
}

/** Records the messages of one query as steps: a run for each turn, with its calls of models and its tools. */
export class Session {
  /** True for a query that goes on with a session from before. */
  isResumed = false
  readonly #stepwell: Tracer
  readonly #runs: Runs
  readonly #hasThreads: boolean
  readonly #conversations = new Map<string | null, Conversation>()
  /** Uses of tools that have no result yet. */
  readonly #uses = new Set<string>()
  #totals: Totals | undefined
  #turnId: string | undefined
  #retries: Json[] = []
  /** Calls of models in the turn, without those of subagents. */
  #calls = 0

  constructor(stepwell: Tracer, runs: Runs, hasThreads: boolean) {
    this.#stepwell = stepwell
    this.#runs = runs
    this.#hasThreads = hasThreads
  }

  /** The step of the running turn; undefined between turns. */
  get turn(): Step | undefined {
    return this.#runs.step(this.#turnId)
  }

  /** Takes what the application says. */
  asked(content: unknown): void {
    const begins = this.turn === undefined
    if (begins) this.#begin({ input: { prompt: content } })
    const talk = this.#conversation(null)
    talk.messages.push({ role: 'user', content })
    if (begins) talk.lastAt = now()
  }

  message(value: unknown): void {
    if (!isJson(value)) return
    if (this.#turnId !== undefined) this.#runs.touch(this.#turnId)
    if (this.#hasThreads) this.#join(textOf(value.session_id))
    const of = textOf(value.parent_tool_use_id) ?? null
    switch (value.type) {
      case 'stream_event':
        if (isJson(value.event)) this.#event(of, value.event)
        return
      case 'assistant':
        if (isJson(value.message)) this.#answer(of, value.message, value.error)
        return
      case 'user':
        if (isJson(value.message)) this.#said(of, value.message)
        return
      case 'system':
        this.#noted(value)
        return
      case 'result':
        this.#end(value)
        return
    }
  }

  /** Ends the query after its last message. */
  over(): void {
    this.#close(() => {})
  }

  /** Ends the query, as the application wants no more of it. */
  left(): void {
    this.#close((step) => {
      step.metadata = { ...step.metadata, ended: 'cancelled' }
    })
  }

  failed(error: unknown): void {
    this.#close((step) => {
      step.error ??= error ?? 'failed without a reason'
    })
  }

  #begin(data: { input?: unknown; startTime?: string }): Step {
    this.#turnId = newId()
    this.#calls = 0
    this.#totals ??= new Totals(this.isResumed)
    return this.#runs.open(this.#turnId, undefined, { type: 'run', name: 'claude', ...data })
  }

  #conversation(of: string | null): Conversation {
    const known = this.#conversations.get(of)
    if (known !== undefined) return known
    const made = { of, messages: [], call: undefined, lastAt: now() }
    this.#conversations.set(of, made)
    return made
  }

  /** Makes the session the thread of the turn, unless there is one around it. */
  #join(session: string | undefined): void {
    const { turn } = this
    if (session === undefined || turn === undefined || turn.threadId !== undefined) return
    void this.#stepwell.thread({ id: session }).wrap(() => {})
    turn.threadId = session
  }

  #event(of: string | null, event: Json): void {
    const talk = this.#conversation(of)
    const { type, message } = event
    if (type === 'message_start' && isJson(message)) this.#callOf(talk, message).event(event)
    else talk.call?.event(event)
  }

  #answer(of: string | null, message: Json, error: unknown): void {
    const talk = this.#conversation(of)
    const call = this.#callOf(talk, message)
    call.message(message)
    if (error !== undefined && error !== null) {
      const texts = objectsOf(message.content).map(({ text }) => text)
      call.step.error ??= texts.find((text) => typeof text === 'string') ?? error
    }
    for (const use of objectsOf(message.content)) if (use.type === 'tool_use') this.#use(talk, use)
  }

  /** Returns the call that a message is of, and begins it with its first message. */
  #callOf(talk: Conversation, message: Json): ModelCall {
    const id = `call:${String(message.id)}`
    if (talk.call?.id === id) return talk.call
    this.#finish(talk)
    const { lastAt: startedAt } = talk
    if (this.turn === undefined) this.#begin({ startTime: toIso(startedAt) })
    const step = this.#runs.open(id, this.#around(talk), {
      type: 'llm',
      name: 'chat',
      startTime: toIso(startedAt),
      metadata: this.#retries.length === 0 ? undefined : { retries: this.#retries },
    })
    this.#retries = []
    if (talk.of === null) this.#calls++
    talk.call = new ModelCall(id, step, [...talk.messages], startedAt)
    return talk.call
  }

  /** Returns the run that a conversation is inside: the tool that began it, or the turn. */
  #around({ of }: Conversation): string | undefined {
    const id = of === null ? undefined : toolId(of)
    return id !== undefined && this.#runs.has(id) ? id : this.#turnId
  }

  #use(talk: Conversation, { id, name, input }: Json): void {
    if (typeof id !== 'string' || this.#uses.has(id)) return
    this.#uses.add(id)
    const around = this.#around(talk)
    const known = this.#runs.step(toolId(id))
    if (known === undefined)
      this.#runs.open(toolId(id), around, { type: 'tool', name: textOf(name), input })
    else {
      // The tool was called before the application read of it.
      known.name = textOf(name)
      known.parentId = this.#runs.step(around)?.id ?? known.parentId
    }
  }

  #said(of: string | null, message: Json): void {
    const talk = this.#conversation(of)
    const results = objectsOf(message.content).filter(({ type }) => type === 'tool_result')
    if (results.length > 0 || of !== null) this.#finish(talk)
    talk.messages.push({ role: 'user', content: message.content })
    talk.lastAt = now()
    for (const { tool_use_id: id, content, is_error: isError } of results) {
      if (typeof id !== 'string') continue
      this.#uses.delete(id)
      this.#finish(this.#conversations.get(id))
      this.#conversations.delete(id)
      const { output, text } = resultOf(content)
      this.#runs.close(toolId(id), (step) => {
        step.output ??= output
        if (isError === true) step.error ??= text ?? 'the tool failed'
      })
    }
  }

  #noted(value: Json): void {
    const { subtype, attempt, error_status: status, error } = value
    if (subtype === 'api_retry') this.#retries.push({ attempt, status, error })
    // The model is asked with a summary from then on.
    else if (subtype === 'compact_boundary') this.#conversation(null).messages = []
  }

  #finish(talk: Conversation | undefined): void {
    const call = talk?.call
    if (talk === undefined || call === undefined) return
    talk.call = undefined
    if (call.step.error === undefined && call.blocks.length > 0)
      talk.messages.push({ role: 'assistant', content: [...call.blocks] })
    talk.lastAt = now()
    this.#runs.close(call.id, () => {
      this.#totals?.count(call.usage)
      call.write()
    })
  }

  /** Ends a turn, by its result. */
  #end(result: Json): void {
    const { subtype, is_error: isError, errors, result: text, usage } = result
    if (this.#calls === 1 && isJson(usage))
      this.#conversations.get(null)?.call?.answered(usage.output_tokens)
    for (const talk of this.#conversations.values()) this.#finish(talk)
    this.#rest(result.modelUsage)
    this.#close((step) => {
      const output = result.structured_output ?? text
      if (step.type === 'run') {
        if (output !== undefined) step.output ??= { result: output }
        step.metadata = { ...step.metadata, claude: factsOf(result) }
      }
      if (isError === true) {
        const told = Array.isArray(errors) && errors.length > 0 ? errors.join('\n') : textOf(text)
        step.error ??= told ?? String(subtype)
      } else if (step.type === 'tool') step.error ??= 'the turn ended without a result of the tool'
    })
  }

  /** Makes a step for the tokens that no call had, so that the sum is that of the result. */
  #rest(models: unknown): void {
    const rest = this.#totals?.rest(models)
    if (rest === undefined || this.turn === undefined) return
    const id = newId()
    const [model, ...others] = Object.keys(models as Json)
    const step = this.#runs.open(id, this.#turnId, { type: 'llm', name: 'tokens of no shown call' })
    this.#runs.close(id, () =>
      describe(step, {
        type: 'CHAT',
        provider: 'anthropic',
        model: others.length === 0 ? model : undefined,
        ...tokensIn('anthropic', rest),
      }),
    )
  }

  /** Ends the running turn, and whatever is open in it. */
  #close(change: (step: Step) => void): void {
    const { turn } = this
    for (const talk of this.#conversations.values()) {
      if (talk.call !== undefined && turn !== undefined) change(talk.call.step)
      this.#finish(talk)
    }
    for (const id of this.#uses) this.#runs.close(toolId(id), change)
    this.#uses.clear()
    if (this.#turnId !== undefined) this.#runs.close(this.#turnId, change)
    this.#turnId = undefined
    for (const talk of this.#conversations.values()) talk.lastAt = now()
  }
}

const factsOf = (result: Json): Json => ({
  sessionId: result.session_id,
  turns: result.num_turns,
  stopReason: result.stop_reason,
  costUsdSoFar: result.total_cost_usd,
  ended: result.terminal_reason ?? result.subtype,
})
