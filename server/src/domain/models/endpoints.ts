import { randomUUID } from 'node:crypto'
import type { MutationSetModelEndpointArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid, notFound, show } from '../../kernel/errors.js'
import {
  listEndpoints,
  type ModelEndpointRow,
  updateEndpoints,
} from '../../storage/models/endpoints.js'
import { changedFields, noteFor } from '../audit/entry.js'
import { isObject } from '../values.js'
import { ask } from './ask.js'
import { checkBaseUrl } from './base-url.js'
import { anthropic } from './protocols/anthropic.js'
import { openai } from './protocols/openai.js'
import type { ModelEvent } from './protocols/protocol.js'
import type { Sealing } from './sealing.js'

const MAX_ENDPOINTS = 50
const MAX_NAME = 200
const MAX_KEY = 2000
/** Calls of a project under way at once. */
const MAX_CALLS = 20

const PROTOCOLS = { OPENAI: openai, ANTHROPIC: anthropic }

/** The models that prompts are tried with, and their calls. */
export class ModelEndpoints {
  readonly #db: Database
  readonly #sealing: Sealing
  /** Hosts of private networks that the operator allows. */
  readonly #allowed: readonly string[]
  readonly #running = new Map<string, number>()

  constructor(db: Database, sealing: Sealing, allowed: readonly string[]) {
    this.#db = db
    this.#sealing = sealing
    this.#allowed = allowed
  }

  /** Lists the endpoints of a project, by name. */
  async list({ projectId }: Caller): Promise<ModelEndpointRow[]> {
    const endpoints = await listEndpoints(this.#db, projectId)
    return endpoints.sort((a, b) =>
      a.name < b.name || (a.name === b.name && a.id < b.id) ? -1 : 1,
    )
  }

  set(
    caller: Caller,
    { id: given, name, protocol, baseUrl, model, key }: MutationSetModelEndpointArgs,
  ): Promise<ModelEndpointRow> {
    const { projectId } = caller
    const checked = {
      name: shortText('name', name),
      protocol,
      baseUrl: checkBaseUrl(baseUrl, this.#allowed),
      model: shortText('model', model),
    }
    if (typeof key === 'string') checkKey(key)
    return this.#db.transaction().execute(async (transaction) => {
      const endpoints = await listEndpoints(transaction, projectId, true)
      const before = endpoints.find(({ id }) => id === given)
      if (given && before === undefined) throw notFound('model endpoint', given)
      if (before === undefined && endpoints.length >= MAX_ENDPOINTS)
        throw invalid(`name: expected at most ${MAX_ENDPOINTS} model endpoints of a project`)
      const id = before?.id ?? randomUUID()
      // Drops the key of an endpoint that leads elsewhere now: it was entered for another server.
      const isElsewhere =
        before?.baseUrl !== checked.baseUrl || before.protocol !== checked.protocol
      const kept = isElsewhere ? null : before.sealedKey
      const sealedKey =
        typeof key !== 'string'
          ? kept
          : key === ''
            ? null
            : this.#sealing.seal(key, contextOf(projectId, id))
      const endpoint: ModelEndpointRow = { id, ...checked, sealedKey }
      const others = endpoints.filter((one) => one !== before)
      await updateEndpoints(transaction, projectId, [...others, endpoint])
      await noteFor(transaction, caller, {
        action: 'SET_MODEL_ENDPOINT',
        on: 'MODEL_ENDPOINT',
        id,
        name: endpoint.name,
        fields: changedFields(before && settingsOf(before), settingsOf(endpoint)),
      })
      return endpoint
    })
  }

  /** Returns null when there is none with this id. */
  delete(caller: Caller, id: string): Promise<ModelEndpointRow | null> {
    const { projectId } = caller
    return this.#db.transaction().execute(async (transaction) => {
      const endpoints = await listEndpoints(transaction, projectId, true)
      const found = endpoints.find((one) => one.id === id)
      if (found === undefined) return null
      const others = endpoints.filter((one) => one !== found)
      await updateEndpoints(transaction, projectId, others)
      await noteFor(transaction, caller, {
        action: 'DELETE_MODEL_ENDPOINT',
        on: 'MODEL_ENDPOINT',
        id,
        name: found.name,
      })
      return found
    })
  }

  /**
   * Asks an endpoint for an answer, with the stored key or one that came with the request. Nothing of the call is
   * stored.
   */
  async call(
    { projectId }: Caller,
    body: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<ModelEvent>> {
    const { endpointId, key = null, messages, settings = null, tools = null } = body
    if (typeof endpointId !== 'string')
      throw invalid(`endpointId: expected an id, got ${show(endpointId)}`)
    if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject))
      throw invalid('messages: expected a list of messages, at least one')
    if (settings !== null && !isObject(settings))
      throw invalid(`settings: expected an object, got ${show(settings)}`)
    if (tools !== null && !Array.isArray(tools))
      throw invalid(`tools: expected a list, got ${show(tools)}`)
    if (key !== null && typeof key !== 'string') throw invalid('key: expected a text')
    if (key !== null) checkKey(key)
    const endpoint = (await listEndpoints(this.#db, projectId)).find(({ id }) => id === endpointId)
    if (endpoint === undefined) throw notFound('model endpoint', endpointId)
    const events = ask({
      protocol: PROTOCOLS[endpoint.protocol],
      baseUrl: endpoint.baseUrl,
      key: key || this.#keyOf(projectId, endpoint),
      request: { model: endpoint.model, messages, settings: settings ?? {}, tools: tools ?? [] },
      allowed: this.#allowed,
      signal,
    })
    return this.#counted(projectId, events, signal)
  }

  #keyOf(projectId: string, { id, sealedKey }: ModelEndpointRow): string {
    if (sealedKey === null) return ''
    const key = this.#sealing.open(sealedKey, contextOf(projectId, id))
    if (key === undefined) throw invalid('key: the stored one cannot be read; enter it again')
    return key
  }

  /** Keeps the number of calls under way within its limit, until the answer ends or is abandoned. */
  #counted(
    projectId: string,
    events: AsyncGenerator<ModelEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const count = this.#running.get(projectId) ?? 0
    if (count >= MAX_CALLS)
      throw new DomainError(
        'RATE_LIMITED',
        `expected at most ${MAX_CALLS} calls of models at once; try again when one has ended`,
      )
    this.#running.set(projectId, count + 1)
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      const left = (this.#running.get(projectId) ?? 1) - 1
      if (left > 0) this.#running.set(projectId, left)
      else this.#running.delete(projectId)
    }
    // An answer that nobody begins to read runs no `finally`.
    signal.addEventListener('abort', leave)
    return until(events, leave)
  }
}

/** The settings of an endpoint under the names that its callers have for them. A key that is set anew is sealed anew. */
const settingsOf = ({ id: _, sealedKey: key, ...others }: ModelEndpointRow) => ({ ...others, key })

async function* until<Item>(items: AsyncGenerator<Item>, leave: () => void): AsyncGenerator<Item> {
  try {
    yield* items
  } finally {
    leave()
  }
}

const contextOf = (projectId: string, id: string): string => JSON.stringify([projectId, id])

const shortText = (field: string, text: string): string => {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_NAME)
    throw invalid(`${field}: expected a text of 1 to ${MAX_NAME} characters, got ${show(text)}`)
  return trimmed
}

/** A key goes into a header. The message does not repeat it. */
const checkKey = (key: string): void => {
  if (key.length > MAX_KEY || !/^[\x21-\x7e]*$/.test(key))
    throw invalid(`key: expected at most ${MAX_KEY} characters of ASCII without spaces`)
}
