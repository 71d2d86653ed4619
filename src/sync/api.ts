import { type Api, createApi } from '../api/api.js'
import { checkArguments } from '../api/calls/arguments.js'
import type { PromptChoice } from '../api/prompts/prompts.js'
import type { Thread, UpsertThread } from '../api/threads.js'
import { inWalkOrder, type Page, type PageParams } from '../lists/pagination.js'
import type { Prompt, SnakePrompt } from '../prompts/prompt.js'
import type { PromptName, VariablesOf } from '../prompts/variables.js'
import type { Transport } from '../transport/transport.js'
import type { Task } from './messages.js'
import { serialize } from './parameters.js'

/** A list that blocks: call it for a page, or walk over it. */
export interface BlockingList<Params, Item, Items> {
  (params?: Params): Items
  /**
   * Walks over all items: the next page is read while you work on this one.
   *
   * @returns an iterator over the items, which ends at once when there are none.
   * @throws as the call for a page does, when its page is due.
   * @example
   * for (const step of blocking.api.getSteps.all({ first: 500 })) console.log(step.name)
   */
  all(params?: Params): Generator<Item, void, undefined>
  /**
   * Walks page by page. The items of a page come in the list's order in both directions.
   *
   * @returns an iterator over the pages; a list without items has one empty page.
   * @throws as the call for a page does, when its page is due.
   * @example
   * for (const { data } of blocking.api.getSteps.pages({ first: 500 })) console.log(data.length)
   */
  pages(params?: Params): Generator<Items, void, undefined>
}

// biome-ignore lint/suspicious/noExplicitAny: inference of parameters needs it
type Any = any

/** A method that gives its result rather than a promise of it. */
export type Blocking<Method> = Method extends {
  all(params?: infer Params): AsyncGenerator<infer Item, Any, Any>
  pages(params?: Any): AsyncGenerator<infer Items, Any, Any>
}
  ? BlockingList<Params, Item, Items>
  : Method extends (...parameters: infer Parameters) => Promise<infer Result>
    ? (...parameters: Parameters) => Result
    : never

/** Methods with type parameters or overloads, whose docstrings inference would lose. */
interface Generic {
  /**
   * Creates or updates a thread. A field that is omitted keeps its stored value, null clears it. Metadata is merged
   * by key.
   *
   * @returns the thread as it is stored now.
   * @throws `INVALID_ARGUMENT` when there is no id, or when the environment is unknown.
   * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
   * @scope `ingest` or `write`
   * @example
   * blocking.api.upsertThread({ threadId, name: 'Refund', participantId: 'ada@example.org' })
   */
  upsertThread: UpsertThread<Thread>
  /**
   * Gets a prompt by name: the given version, the one with a label, or one drawn by the prompt's split. Until somebody
   * sets a split, that is version 0. A `key` always gets the same version while the split stands. When the service
   * can't be reached, returns the last copy or that of the snapshot, within a second.
   *
   * @param version - The number of a version; omitted or null draws one by the split. The choice may take its place.
   * @param choice - Chooses the version: by a label, or by a key for the split.
   * @returns the version; null when there is no such prompt or version.
   * @throws `INVALID_ARGUMENT` when the name is empty, the version is no whole number, the prompt has no such label, or
   *   when there are both a version and a label.
   * @throws `NETWORK`, `TIMEOUT` or `UNAVAILABLE` when the service can't be reached and there is no copy.
   * @scope `read`
   * @example
   * const prompt = blocking.api.getPrompt('support', { key: userId })
   * const messages = prompt?.format({ shop: 'Ada’s' })
   */
  getPrompt<Name extends PromptName>(
    name: Name,
    version?: number | PromptChoice | null,
    choice?: PromptChoice,
  ): Prompt<VariablesOf<Name>> | null
  /**
   * Gets a prompt by id, or by name and version or label; the id wins. `getPrompt` in the other spelling.
   *
   * @returns the version; null when there is no such prompt or version.
   * @throws `INVALID_ARGUMENT` when there is neither an id nor a name, or when the prompt has no such label.
   * @throws `NETWORK`, `TIMEOUT` or `UNAVAILABLE` when the service can't be reached and there is no copy.
   * @scope `read`
   * @example
   * const prompt = blocking.api.get_prompt({ name: 'support', version: 0 })
   * const messages = prompt?.format({ shop: 'Ada’s' })
   */
  get_prompt<Name extends PromptName>(
    params: {
      /** The id of a version. */
      id?: string | null | undefined
      /** The prompt's name. */
      name?: Name | null | undefined
      /** The number of a version; omitted or null draws one by the split. */
      version?: number | null | undefined
    } & PromptChoice,
  ): SnakePrompt<VariablesOf<Name>> | null
}

/** Every operation of the service in both spellings, without promises. */
export interface SyncApi extends BlockingApi, Generic {}

/** Maps the keys of `Api` itself, as only such a mapping keeps the docstrings. */
type BlockingApi = {
  readonly [Name in keyof Api as Exclude<Name, keyof Generic>]: Blocking<Api[Name]>
}

/** @internal Runs a task in the thread, and waits for its result. */
export type Ask = (task: Task) => unknown

/** No method of it is called: it only shows which methods exist, and which of them are lists. */
const names = createApi({} as Transport) as unknown as Record<string, object>

/** @internal */
export const createSyncApi = (ask: Ask): SyncApi => {
  const method = (name: string, isList: boolean) => {
    const call = (...parameters: unknown[]) => {
      // Checked here, as the thread receives JSON, in which NaN is null.
      if (!isList) checkArguments(name, parameters)
      return ask({ kind: 'call', method: name, parameters: serialize(parameters) })
    }
    if (!isList) return call
    const pages = (...parameters: unknown[]) => walk(ask, name, parameters)
    return Object.assign(call, {
      pages,
      *all(params?: PageParams) {
        for (const page of pages(params)) yield* inWalkOrder(page, params)
      },
    })
  }
  return Object.fromEntries(
    Object.entries(names).map(([name, asynchronous]) => [
      name,
      method(name, 'all' in asynchronous),
    ]),
  ) as unknown as SyncApi
}

/** @internal Walks in the thread, which fetches the pages; no request is made before the first page is used. */
export function* walk<Part = Page<unknown>>(
  ask: Ask,
  method: string,
  parameters: unknown[],
): Generator<Part, void, undefined> {
  const id = crypto.randomUUID()
  ask({ kind: 'walk', walk: id, method, parameters: serialize(parameters) })
  try {
    for (;;) {
      const page = ask({ kind: 'next', walk: id }) as Part | undefined
      if (page === undefined) return
      yield page
    }
  } finally {
    ask({ kind: 'leave', walk: id })
  }
}
