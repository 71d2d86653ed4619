import { addressOf } from '../../model-calls/address.js'
import type { Asked } from '../../model-calls/apis/api.js'
import { bodyOf, methodOf, UNREAD, urlOf } from '../../model-calls/body/request-body.js'
import { apiOf, pathOf } from '../../model-calls/recognise.js'
import { isPlain } from '../../values/fit.js'
import { Sayings } from '../comparing/messages.js'
import { keyOf, type Normal } from '../comparing/normal.js'
import { exactDifferences } from '../comparing/values.js'
import type { RecordedCall, RecordedNode } from '../fixtures/read-fixture.js'
import { lineOf } from '../tree.js'
import { toldOf } from '../writing/told.js'
import type { Written } from '../writing/writer.js'
import { WRITTEN_APIS, writerOf } from '../writing/writers.js'
import type { Fork } from './fork.js'
import type { Problems } from './problem.js'
import { nearestOf, Slots } from './slots.js'

/** A recorded model call that answers. */
interface Answer {
  readonly node: RecordedNode
  readonly call: RecordedCall
  readonly place: number
}

/** Members of a request that concern its transport, and not its answer. */
const TRANSPORT = ['stream', 'stream_options', 'streamOptions', 'user', 'metadata', 'store']

/** Roles of messages that a prompt's version changes. */
const INSTRUCTIONS = ['system', 'developer']

/** Answers requests to models from a record, in its order, each answer once. */
export class ModelAnswers {
  readonly #slots = new Slots<Answer>()
  /** The contents of the calls behind the fork: with calls at once, one of them may come before the last one in front of it. */
  readonly #behind = new Set<string>()
  readonly #normal: Normal
  readonly #sayings: Sayings
  readonly #problems: Problems
  readonly #fork: Fork | undefined
  #asked = 0

  constructor(nodes: readonly RecordedNode[], normal: Normal, problems: Problems, fork?: Fork) {
    this.#normal = normal
    this.#sayings = new Sayings(normal)
    this.#problems = problems
    this.#fork = fork
    let place = 0
    for (const node of nodes) {
      const { call } = node
      if (call === undefined || (call.messages === undefined && call.prompt === undefined)) continue
      if (fork === undefined || fork.isBefore(node.step.id))
        this.#slots.add({ node, call, place }, this.#keyOf(call))
      else this.#behind.add(this.#keyOf(call))
      place++
    }
  }

  /** True once every call before the fork was answered. */
  get isPastFork(): boolean {
    return this.#fork !== undefined && this.#slots.left === 0
  }

  /** Gives up calls that nobody will make. */
  drop(steps: ReadonlySet<string>): void {
    this.#slots.drop(({ node }) => steps.has(node.step.id))
  }

  /** Answers a request as `fetch` does. Rejects where the record has no answer. */
  async fetch(input: unknown, init: RequestInit | undefined): Promise<Response> {
    // Requests after one without an answer have no meaning, and would cost money.
    if (this.#fork !== undefined && this.#problems.first !== undefined) throw this.#problems.first
    const given = { input, init: init as Parameters<typeof bodyOf>[0]['init'] }
    const url = urlOf(input)
    const shown = `${methodOf(given)} ${pathOf(url)}`
    const address = addressOf(url)
    const body = address === undefined ? undefined : await bodyOf(given)
    if (address === undefined || body === undefined || body === UNREAD)
      throw this.#problems.note(
        `${shown} asks no model, and only calls of models are answered from the record: answer it by the option fetch`,
      )
    const api = apiOf(address.apis, body.json)
    const write = api && writerOf(api.name)
    // Such as embeddings.
    if (write === undefined && this.#fork !== undefined && this.isPastFork)
      return this.#fork.send(input, init)
    if (api === undefined || write === undefined)
      throw this.#problems.note(
        `${shown}: expected an API whose answers can be written (${WRITTEN_APIS}), got ${api?.name ?? 'another one'}`,
      )
    const asked = api.ask(body.json, address.path)
    this.#asked++
    const found = this.#take(asked)
    if (found === undefined) {
      if (this.#fork !== undefined && (this.isPastFork || this.#behind.has(this.#keyOf(asked))))
        return this.#fork.send(input, init)
      throw this.#problems.note(this.#noAnswer(asked, shown))
    }
    const { call, place, node } = found
    this.#fork?.onAnswer(node.step.id)
    if (call.error !== undefined) return failed(call.error)
    return response(write(toldOf(call, place), { url, body: body.json }))
  }

  #take(asked: Asked): Answer | undefined {
    const key = this.#keyOf(asked)
    const known = this.#slots.last(key)
    if (known !== undefined && this.#otherDifferences(asked, known.call).length === 0) {
      const found = this.#slots.take(key)
      if (found !== undefined) return found
      // Clients repeat what failed.
      if (known.call.error !== undefined) return known
    }
    return undefined
  }

  #noAnswer(asked: Asked, shown: string): string {
    const request = `request ${this.#asked} (${shown}, ${sizeOf(asked)}) has no recorded answer`
    const nearest = nearestOf(this.#slots.candidates, ({ call }) => this.#differences(asked, call))
    if (nearest === undefined) return `${request}: no model call is recorded`
    const { item, differences } = nearest
    const name = `number ${item.place + 1}: ${lineOf(item.node.step)} (recorded as ${item.node.step.id})`
    const why =
      differences.length === 0 ? ['it was asked once, and has been answered'] : differences
    return [`${request}. The nearest is ${name}`, ...why.map((line) => `  ${line}`)].join('\n')
  }

  /** A request is told by what it says; the rest is compared then. */
  #keyOf({ messages, prompt }: Pick<RecordedCall, 'messages' | 'prompt'> | Asked): string {
    return `${this.#sayings.keyOf(this.#compared(messages))} ${keyOf(this.#normal(prompt))}`
  }

  #differences(asked: Asked, call: RecordedCall): string[] {
    return [
      ...exactDifferences(
        'messages',
        this.#sayings.read(this.#compared(call.messages)),
        this.#sayings.read(this.#compared(asked.messages)),
      ),
      ...this.#compare('prompt', call.prompt, asked.prompt),
      ...this.#otherDifferences(asked, call),
    ]
  }

  /** Leaves out instructions where they are those of another prompt. */
  #compared(messages: readonly unknown[] | undefined): readonly unknown[] | undefined {
    if (this.#fork?.hasOtherPrompt !== true) return messages
    return messages?.filter(
      (message) => !isPlain(message) || !INSTRUCTIONS.includes(String(message.role)),
    )
  }

  /** Lists the differences beside what a request says. */
  #otherDifferences(asked: Asked, call: RecordedCall): string[] {
    if (this.#fork?.hasOtherPrompt === true) return []
    return [
      ...modelDifferences(asked.model, call, this.#normal),
      ...(call.tools === undefined ? [] : this.#compare('tools', call.tools, asked.tools)),
      ...(isPlain(call.settings)
        ? this.#compare('settings', settingsOf(call.settings), settingsOf(asked.settings ?? {}))
        : []),
    ]
  }

  #compare(name: string, expected: unknown, got: unknown): string[] {
    return exactDifferences(name, this.#normal(expected), this.#normal(got))
  }
}

/** An answer often names its model more exactly than the request: `gpt-4o-2024-08-06`. */
const modelDifferences = (
  asked: string | undefined,
  call: RecordedCall,
  normal: Normal,
): string[] => {
  const expected = call.asked ?? call.model
  if (expected === undefined || asked === undefined || normal(expected) === normal(asked)) return []
  return call.asked === undefined && expected.startsWith(asked.replace(/-latest$/, ''))
    ? []
    : [`model: expected ${JSON.stringify(expected)}, got ${JSON.stringify(asked)}`]
}

const settingsOf = (settings: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !TRANSPORT.includes(name)))

const sizeOf = ({ model, messages }: Asked): string =>
  [model ?? 'no model', messages === undefined ? 'a prompt' : `${messages.length} messages`].join(
    ', ',
  )

const response = ({ type, body }: Written, status = 200): Response =>
  new Response(body, {
    status,
    // Clients of OpenAI and Anthropic ask this header before they repeat a request.
    headers: { 'content-type': type, 'x-should-retry': 'false' },
  })

/** Fails as it was recorded: by a status, or without any answer. */
const failed = (error: string): Response => {
  const [, status, message = ''] = /^HTTP ([45]\d\d)(?:: ([\s\S]*))?$/.exec(error) ?? []
  if (status === undefined) throw errorOf(error)
  return response(
    { type: 'application/json', body: JSON.stringify({ error: { message } }) },
    Number(status),
  )
}

/** Makes an error of its recorded text. */
export const errorOf = (text: string): Error => {
  const [, name, message] = /^(\w*Error): ([\s\S]*)$/.exec(text) ?? []
  const error = new Error(message ?? text)
  error.name = name ?? 'Error'
  return error
}
