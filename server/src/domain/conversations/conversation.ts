import type { Database } from '../../database/database.js'
import { DomainError, invalid, show } from '../../kernel/errors.js'
import { generationOf } from '../../storage/generations.js'
import { findSteps, findStepsOfThreads, type StepRow } from '../../storage/steps.js'
import {
  calledBy,
  exchangeOf,
  isMessage,
  type Message,
  toMessage,
  toolMessages,
} from './messages.js'

/** A conversation up to some step, and the answer that followed. */
export interface Conversation {
  messages: unknown[]
  answer: unknown
  /** The step that it ends with, and all steps whose contents it has. */
  stepId: string
  stepIds: string[]
}

/** Types of steps that a conversation is made of. Spans of calls of models may have no type. */
const TYPES = ['user_message', 'assistant_message', 'system_message', 'llm', 'tool', 'undefined']
/** Steps whose contents are held at once. */
const READ_AT_ONCE = 20

/** Steps without their contents, oldest first. */
type Steps = readonly StepRow[]

/**
 * Reads a thread as a conversation, up to a step. A call of a model has the messages that the model saw. Elsewhere they
 * are the recorded messages, with the calls of tools between them; the turn that the answer ends has none, as whoever
 * answers again makes them again.
 *
 * @throws DomainError `TOO_LARGE` when the messages are larger than `mostBytes`.
 */
export const readConversation = async (
  db: Database,
  projectId: string,
  { threadId, upToStepId }: { threadId: string; upToStepId: string | undefined },
  mostBytes: number,
): Promise<Conversation> => {
  const all = await findStepsOfThreads(db, projectId, [threadId], TYPES, 'light')
  const reader = new Reader(db, projectId, mostBytes)
  if (upToStepId !== undefined) {
    const end = all.findIndex(({ id }) => id === upToStepId)
    const step = all[end]
    if (step === undefined) throw await noSuchStep(db, projectId, threadId, upToStepId)
    if (isMessage(step.type)) return reader.endingWith(all.slice(0, end), step)
    if (step.hasGeneration) return reader.asSeen(step)
    throw wrongKind(step.type)
  }
  const last = all.findLast(({ type }) => isMessage(type))
  const calls = all.slice(last === undefined ? 0 : all.indexOf(last) + 1).filter(isCall)
  const lastCall = calls.at(-1)
  if (last === undefined) {
    if (lastCall !== undefined) return reader.asSeen(lastCall)
    throw invalid(
      `threadId: the thread ${show(threadId)} has no messages; expected steps that are messages or calls of models`,
    )
  }
  return reader.endingWith(all.slice(0, all.indexOf(last)), last, all.slice(all.indexOf(last) + 1))
}

const isCall = (step: StepRow): boolean => step.hasGeneration

const noSuchStep = async (
  db: Database,
  projectId: string,
  threadId: string,
  id: string,
): Promise<DomainError> => {
  const [step] = await findSteps(db, projectId, [id], 'light')
  return step?.threadId === threadId
    ? wrongKind(step.type)
    : new DomainError(
        'NOT_FOUND',
        `upToStepId: no step of the thread ${show(threadId)} has the id ${show(id)}`,
      )
}

const wrongKind = (type: string) =>
  invalid(`upToStepId: expected a message or a call of a model, got a step of the type ${type}`)

/** Reads the contents of steps, up to a size. */
class Reader {
  readonly #db: Database
  readonly #projectId: string
  readonly #mostBytes: number
  #bytes = 0
  readonly #read = new Set<string>()

  constructor(db: Database, projectId: string, mostBytes: number) {
    this.#db = db
    this.#projectId = projectId
    this.#mostBytes = mostBytes
  }

  /** Returns the conversation that a model saw, and its answer. */
  async asSeen({ id }: StepRow): Promise<Conversation> {
    const [step] = await this.#contents([id])
    const generation = step && generationOf(this.#projectId, step)
    if (generation == null)
      throw new DomainError('NOT_FOUND', `upToStepId: no step has the id ${show(id)}`)
    const { prompt, completion, messages, messageCompletion } = generation
    return generation.type === 'CHAT'
      ? this.#conversation(Array.isArray(messages) ? messages : [], messageCompletion ?? null, id)
      : this.#conversation(
          [{ role: 'user', content: prompt ?? '' }],
          completion === null ? null : { role: 'assistant', content: completion },
          id,
        )
  }

  /** Returns the conversation that ends with a message, or with the work that follows one of the user. */
  async endingWith(before: Steps, last: StepRow, after: Steps = []): Promise<Conversation> {
    const messages = await this.#messages(before)
    if (last.type === 'assistant_message') {
      const [step] = await this.#contents([last.id])
      return this.#conversation(messages, step === undefined ? null : toMessage(step), last.id)
    }
    messages.push(...(await this.#messages([last])))
    const lastCall = last.type === 'user_message' ? after.findLast(isCall) : undefined
    if (lastCall !== undefined) {
      const { answer } = await this.asSeen(lastCall)
      return this.#conversation(messages, answer, lastCall.id)
    }
    messages.push(...(await this.#work(after)))
    return this.#conversation(messages, null, last.id)
  }

  #conversation(messages: unknown[], answer: unknown, stepId: string): Conversation {
    return { messages, answer, stepId, stepIds: [...this.#read] }
  }

  /** Returns recorded messages, with the tools that were called before each answer. */
  async #messages(steps: Steps): Promise<Message[]> {
    const messages: Message[] = []
    let work: StepRow[] = []
    let waiting: StepRow[] = []
    const readWaiting = async () => {
      for (const step of await this.#contents(waiting.map(({ id }) => id)))
        messages.push(this.#counted(toMessage(step)))
      waiting = []
    }
    for (const step of steps) {
      if (!isMessage(step.type)) {
        work.push(step)
        continue
      }
      if (step.type === 'assistant_message' && work.length > 0) {
        await readWaiting()
        messages.push(...(await this.#work(work)))
      }
      work = []
      waiting.push(step)
      if (waiting.length === READ_AT_ONCE) await readWaiting()
    }
    await readWaiting()
    return messages
  }

  /** Returns the calls of tools between two messages, as the last model saw them, else as they were recorded. */
  async #work(steps: Steps): Promise<Message[]> {
    const called = outermost(steps.filter(({ type }) => type === 'tool'))
    const lastCall = steps.findLast(isCall)
    const [step] = lastCall === undefined ? [] : await this.#contents([lastCall.id])
    if (lastCall !== undefined && step !== undefined) {
      const after = called.filter((tool) => steps.indexOf(tool) > steps.indexOf(lastCall))
      const seen = [
        ...exchangeOf(step.genMessages),
        ...calledBy(step.genMessageCompletion, await this.#tools(after)),
      ]
      if (seen.length > 0) return seen.map((message) => this.#counted(message))
    }
    return toolMessages(await this.#tools(called)).map((message) => this.#counted(message))
  }

  async #tools(steps: Steps): Promise<StepRow[]> {
    const tools: StepRow[] = []
    for (let at = 0; at < steps.length; at += READ_AT_ONCE)
      tools.push(...(await this.#contents(steps.slice(at, at + READ_AT_ONCE).map(({ id }) => id))))
    return tools
  }

  /** Returns steps with their contents, in the order of the ids. */
  async #contents(ids: readonly string[]): Promise<StepRow[]> {
    if (ids.length === 0) return []
    const found = new Map(
      (await findSteps(this.#db, this.#projectId, ids)).map((step) => [step.id, step]),
    )
    return ids.flatMap((id) => {
      const step = found.get(id)
      if (step === undefined) return []
      this.#read.add(id)
      return [step]
    })
  }

  #counted(message: Message): Message {
    this.#bytes += Buffer.byteLength(JSON.stringify(message))
    if (this.#bytes > this.#mostBytes)
      throw new DomainError(
        'TOO_LARGE',
        `threadId: expected messages of at most ${this.#mostBytes} bytes; upToStepId ends them earlier`,
      )
    return message
  }
}

/** Leaves out tools that other tools called. */
const outermost = (tools: Steps): StepRow[] => {
  const ids = new Set(tools.map(({ id }) => id))
  return tools.filter(({ parentId }) => parentId === null || !ids.has(parentId))
}
