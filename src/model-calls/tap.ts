import { reasonOf } from '../values/capture.js'
import { now } from '../values/clock.js'
import { type Address, addressOf } from './address.js'
import type { Api } from './apis/api.js'
import {
  bodyOf,
  type FetchInput,
  headerOf,
  methodOf,
  type RequestBody,
  UNREAD,
  urlOf,
} from './body/request-body.js'
import { Call } from './call.js'
import type { CallHost, Place } from './host.js'
import { apiOf, sureApi } from './recognise.js'
import { keyOf, Retries } from './retries.js'

// biome-ignore lint/suspicious/noExplicitAny: any function that has the form of fetch, of any platform
type AnyFetch = (input: any, init?: any) => Promise<any>

/** A request to an address at which models are asked. */
interface Asking extends FetchInput {
  address: Address
  startedAt: number
  place: Place
}

/** Makes functions like `fetch` that record the model calls among their requests. */
export class Tap {
  readonly #host: CallHost
  readonly #retries = new Retries()
  /** The functions that it made. */
  readonly #made = new WeakSet<AnyFetch>()

  constructor(host: CallHost) {
    this.#host = host
  }

  /**
   * Returns a function that calls `inner` with the same arguments, and returns its results; `inner` itself when it
   * records already.
   */
  through(inner: AnyFetch): AnyFetch {
    if (this.#made.has(inner)) return inner
    const made: AnyFetch = (input, init) => {
      const asking = this.#askingOf(input, init)
      return asking === undefined ? inner(input, init) : this.#observed(asking, inner)
    }
    this.#made.add(made)
    return made
  }

  /** Returns undefined for a request that asks no model: nearly for nothing, as every request passes here. */
  #askingOf(input: unknown, init: FetchInput['init']): Asking | undefined {
    try {
      const given = { input, init }
      if (methodOf(given) !== 'POST') return undefined
      const address = addressOf(urlOf(input))
      if (address === undefined) return undefined
      return { input, init, address, startedAt: now(), place: this.#host.here() }
    } catch (error) {
      this.#host.report(`a request could not be looked at: ${reasonOf(error)}`)
      return undefined
    }
  }

  async #observed(asking: Asking, inner: AnyFetch): Promise<unknown> {
    // Read before the request is sent, which uses it up.
    const body = this.#guarded(() => bodyOf(asking))
    const reading =
      body instanceof Promise ? body.then((read) => this.#begun(asking, read)) : undefined
    const begun = body instanceof Promise ? undefined : this.#begun(asking, body)
    try {
      const response = await inner(asking.input, asking.init)
      const call = begun ?? (await reading)
      call?.answered(response)
      return response
    } catch (error) {
      const call = begun ?? (await reading)
      call?.failed(error)
      throw error
    }
  }

  /** Begins a call, or another attempt at one that failed; undefined for a request that asks no model. */
  #begun(asking: Asking, body: RequestBody | typeof UNREAD | undefined): Call | undefined {
    if (body === undefined) return undefined
    return this.#guarded(() => {
      const { address, startedAt, place } = asking
      const { apis, path, provider } = address
      const api =
        body === UNREAD ? sureApi(apis, path, provider !== undefined) : apiOf(apis, body.json)
      if (api === undefined) return undefined
      const text = body === UNREAD ? UNREAD : body.text
      const call = this.#repeated(asking, text) ?? this.#opened(asking, api, body)
      call.onRepeatable = () =>
        this.#retries.add(call, keyOf(path, text), place.around, text.length)
      call.begin(startedAt)
      return call
    })
  }

  #repeated(asking: Asking, text: string): Call | undefined {
    if (this.#retries.isEmpty) return undefined
    const count = Number.parseInt(headerOf(asking, 'x-stainless-retry-count') ?? '', 10)
    const told = Number.isNaN(count) ? undefined : count
    return this.#retries.take(keyOf(asking.address.path, text), asking.place.around, told)
  }

  #opened(
    { address, startedAt, place }: Asking,
    api: Api,
    body: RequestBody | typeof UNREAD,
  ): Call {
    const { path, host, provider, shown } = address
    const asked = body === UNREAD ? {} : api.ask(body.json, path)
    const name = asked.model === undefined ? api.operation : `${api.operation} ${asked.model}`
    const step = this.#host.open(place, { name, type: api.type, startedAt })
    return new Call(this.#host, step, {
      api,
      asked,
      provider: provider ?? api.provider ?? host,
      url: shown,
      unread: body === UNREAD ? 'the request: reading its body would use it up' : undefined,
    })
  }

  /** Runs a part that concerns the recording alone: a fault of it is reported, and the call goes on. */
  #guarded<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      this.#host.report(`a model call could not be recorded: ${reasonOf(error)}`)
      return undefined
    }
  }
}
