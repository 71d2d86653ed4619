import { builtin } from '../../builtin.js'
import { isJson } from '../shared/json.js'

/** The names, in LangChain, of the storage of its contexts and of the configuration in them. */
const STORAGE = Symbol.for('ls:tracing_async_local_storage')
const CONFIGURATION = Symbol.for('lc:child_config')

/**
 * Makes LangChain keep its contexts, as LangGraph and `@langchain/core/context` do: with the core alone, a tool would not
 * know its run. A storage that is there already stays, as all of them share it.
 */
export const keepContexts = (): void => {
  const storages = globalThis as Record<symbol, unknown>
  const Storage = builtin('node:async_hooks')?.AsyncLocalStorage
  if (Storage !== undefined) storages[STORAGE] ??= new Storage()
}

/** Returns the id of the run inside which the running code is, as LangChain's own context tells it. */
export const currentRunId = (): string | undefined => {
  const storage = (globalThis as Record<symbol, unknown>)[STORAGE] as
    | { getStore(): unknown }
    | undefined
  const store = storage?.getStore()
  if (!isJson(store) || !isJson(store.extra)) return undefined
  const configuration = (store.extra as Record<PropertyKey, unknown>)[CONFIGURATION]
  if (!isJson(configuration) || !isJson(configuration.callbacks)) return undefined
  const { callbacks } = configuration
  if (typeof callbacks.getParentRunId !== 'function') return undefined
  const id: unknown = callbacks.getParentRunId()
  return typeof id === 'string' ? id : undefined
}
