import { createApi } from '../api/api.js'
import { invalidArgument } from '../errors.js'
import { exportList } from '../exports.js'
import type { Page } from '../lists/pagination.js'
import type { PlatformRequestInit } from '../platform.js'
import { PromptCache } from '../prompts/prompt-cache.js'
import type { Ambient } from '../transport/ambient.js'
import type { Call } from '../transport/graphql.js'
import { createStream } from '../transport/stream.js'
import { createTransport, type Transport } from '../transport/transport.js'
import { copyError } from './error-copy.js'
import type { CallContext, Reply, Request, Setup, Task } from './messages.js'
import { deserialize } from './parameters.js'

/** Yields the pages of a list, or the parts of an export. */
type PageIterator = AsyncGenerator<Page<unknown> | Uint8Array, void, undefined>
type Method = ((...parameters: unknown[]) => Promise<unknown>) & {
  pages: (...parameters: unknown[]) => PageIterator
}

interface Client {
  transport: Transport
  methods: Record<string, Method>
  walks: Map<string, PageIterator>
  /** The context of the caller of the current request. */
  ambient: Ambient
  reports: string[]
}

/** Walks that a client may have begun and neither finished nor left: each holds pages. */
const MAX_WALKS = 1000

const tooManyWalks = () =>
  invalidArgument(
    `expected at most ${MAX_WALKS} walks that are neither finished nor left; use for-of, or call return()`,
  )

const clients = new Map<string, Client>()

/** Handles a client's request. One at a time: the thread that asks waits for the reply. */
export const handle = async ({ client: id, setup, place, task }: Request): Promise<Reply> => {
  if (setup !== undefined) clients.set(id, createClient(setup))
  const client = clients.get(id) as Client
  const attachments: unknown[] = []
  client.ambient = ambientOf(place, (attachment) => attachments.push(attachment))
  const said = () => ({ attachments, reports: client.reports.splice(0) })
  try {
    const value = await perform(client, task)
    if (task.kind === 'forget') clients.delete(id)
    const kind = task.kind === 'call' ? kindOf(value) : 'value'
    return { kind, value, ...said() }
  } catch (error) {
    return { kind: 'error', error: copyError(error), ...said() }
  }
}

const perform = async (client: Client, task: Task): Promise<unknown> => {
  const { methods, walks, transport } = client
  switch (task.kind) {
    case 'call':
      return await (methods[task.method] as Method)(...deserialize(task.parameters))
    case 'query':
      return await transport.call(...(deserialize(task.parameters) as Parameters<Call>))
    case 'walk':
      if (walks.size >= MAX_WALKS) throw tooManyWalks()
      walks.set(task.walk, (methods[task.method] as Method).pages(...deserialize(task.parameters)))
      return undefined
    case 'next': {
      const { done, value } = (await walks.get(task.walk)?.next()) ?? {
        done: true,
        value: undefined,
      }
      return done ? undefined : value
    }
    case 'forget':
      for (const walk of walks.values()) await walk.return()
      return undefined
    case 'leave':
      await walks.get(task.walk)?.return()
      walks.delete(task.walk)
      return undefined
  }
}

const createClient = ({ connection, ...settings }: Setup): Client => {
  const reports: string[] = []
  const options = {
    ...connection,
    ...settings,
    fetch: (input: string, init?: PlatformRequestInit) => globalThis.fetch(input, init),
  }
  const transport = createTransport({
    ...options,
    isBlocking: true,
    ambient: () => client.ambient,
    copies: new PromptCache(settings.copies, (message) => reports.push(message)),
  })
  const client: Client = {
    transport,
    methods: {
      ...(createApi(transport) as unknown as Record<string, Method>),
      exportList: { pages: exportList.bind(undefined, createStream(options)) } as unknown as Method,
    },
    walks: new Map(),
    ambient: ambientOf(undefined, () => {}),
    reports,
  }
  return client
}

const ambientOf = (
  place: CallContext | undefined,
  attach: (attachment: unknown) => void,
): Ambient => ({
  step: place?.stepId === undefined ? undefined : { id: place.stepId, attach },
  threadId: place?.threadId,
  experimentItemRunId: place?.experimentItemRunId,
  environment: place?.environment,
})

/** Prompts have methods, which cannot be sent. */
const kindOf = (value: unknown): 'value' | 'prompt' | 'snakePrompt' => {
  if (typeof value !== 'object' || value === null) return 'value'
  if (!('format' in value) || typeof value.format !== 'function') return 'value'
  return 'formatMessages' in value ? 'prompt' : 'snakePrompt'
}
