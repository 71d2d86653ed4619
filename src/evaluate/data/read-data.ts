import type { StepwellClient } from '../../client.js'
import { invalidArgument, StepwellError } from '../../errors.js'
import { persist, walk } from '../service/persist.js'
import { canonicalJson, hashOf } from './canonical.js'
import type { EvalItem, EvalItemInput } from './item.js'

/** A list or stream of examples. */
export type EvalItems<Input, Expected> =
  | Iterable<EvalItemInput<Input, Expected>>
  | AsyncIterable<EvalItemInput<Input, Expected>>

/** Examples: the name or id of a dataset, a list, an async iterable, or a function that returns one of these. */
export type EvalData<Input = unknown, Expected = unknown> =
  | string
  | { id: string }
  | { name: string }
  | EvalItems<Input, Expected>
  | (() => EvalItems<Input, Expected> | Promise<EvalItems<Input, Expected>>)

/** The examples of a run, as they were when it began. */
export interface PinnedData {
  readonly items: readonly EvalItem[]
  /** The id of the dataset; `undefined` when the data comes from elsewhere. */
  readonly datasetId: string | undefined
  /** The SHA-256 of all items in their order. */
  readonly hash: string
}

/** Examples that a page of a dataset holds. */
const PAGE_SIZE = 1000
const MAX_KEY_LENGTH = 128

/** Reads all examples, which stay as they are from then on. @throws StepwellError when there are none, or two of one key. */
export const readData = async (
  data: EvalData<never, never> | EvalData,
  { api }: StepwellClient,
  signal?: AbortSignal,
): Promise<PinnedData> => {
  const given = typeof data === 'function' ? await data() : data
  const isDataset = isNameOrId(given)
  if (!isDataset && !isIterable(given))
    throw invalidArgument(
      'data: expected the name or id of a dataset, a list, an iterable or a function that returns one',
    )
  const { items, datasetId } = isDataset
    ? await readDataset(given, api, signal)
    : { items: await readItems(given as EvalItems<unknown, unknown>), datasetId: undefined }
  if (items.length === 0) throw invalidArgument('data: expected at least one item, got none')
  const seen = new Set<string>()
  for (const { key } of items) {
    if (seen.has(key)) throw invalidArgument(`data: expected each key once, got ${key} twice`)
    seen.add(key)
  }
  const texts = items.map(({ key, input, expected, metadata }) =>
    jsonOf(`the item ${key}`, [key, input, expected ?? null, metadata]),
  )
  return { items, datasetId, hash: await hashOf(...texts) }
}

const isIterable = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Symbol.asyncIterator in value || Symbol.iterator in value)

const isNameOrId = (given: unknown): given is string | { id: string } | { name: string } => {
  if (typeof given === 'string') return true
  if (typeof given !== 'object' || given === null || isIterable(given)) return false
  const named = 'id' in given ? given.id : 'name' in given ? given.name : undefined
  return typeof named === 'string'
}

const readDataset = async (
  given: string | { id: string } | { name: string },
  api: StepwellClient['api'],
  signal: AbortSignal | undefined,
): Promise<{ items: EvalItem[]; datasetId: string }> => {
  const id = await findDataset(given, api, signal)
  const items: EvalItem[] = []
  const page = { datasetId: id, first: PAGE_SIZE }
  for await (const item of walk(api, api.getDatasetItems, page, signal))
    items.push({
      key: item.id,
      input: item.input,
      expected: item.expectedOutput ?? undefined,
      metadata: (item.metadata ?? {}) as Record<string, unknown>,
      datasetItemId: item.id,
    })
  return { items, datasetId: id }
}

/** Returns the id of a dataset; a text is its name or its id. */
const findDataset = async (
  given: string | { id: string } | { name: string },
  api: StepwellClient['api'],
  signal: AbortSignal | undefined,
): Promise<string> => {
  if (typeof given !== 'string' && 'id' in given) return given.id
  const text = typeof given === 'string' ? given : given.name
  const known = await persist(api, () => api.getDatasets(), signal)
  const found =
    known.find(({ name }) => name === text) ??
    (typeof given === 'string' ? known.find(({ id }) => id === text) : undefined)
  if (found === undefined)
    throw new StepwellError(`data: no dataset has the name ${JSON.stringify(text)}`, {
      code: 'NOT_FOUND',
    })
  return found.id
}

const readItems = async (given: EvalItems<unknown, unknown>): Promise<EvalItem[]> => {
  const items: EvalItem[] = []
  const copies = new Map<string, number>()
  let index = 0
  for await (const item of given) {
    if (typeof item !== 'object' || item === null || !('input' in item))
      throw invalidArgument(`data[${index}]: expected an object with an input`)
    const { input, expected, metadata = {}, key, ...rest } = item
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined)
      throw invalidArgument(
        `data[${index}].${unknown}: no such field, expected some of input, expected, metadata, key`,
      )
    if (key !== undefined && (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH))
      throw invalidArgument(
        `data[${index}].key: expected a text of 1 to ${MAX_KEY_LENGTH} characters`,
      )
    items.push({
      key: key ?? (await keyOf(jsonOf(`data[${index}]`, [input, expected ?? null]), copies)),
      input,
      expected,
      metadata,
      datasetItemId: undefined,
    })
    index++
  }
  return items
}

const jsonOf = (place: string, value: unknown): string => {
  try {
    return canonicalJson(value)
  } catch {
    throw invalidArgument(
      `data: expected values that JSON has, without a bigint or one that contains itself, in ${place}`,
    )
  }
}

/** Returns a key by the JSON of the content of an item; an item that comes again gets a number besides. */
const keyOf = async (content: string, copies: Map<string, number>): Promise<string> => {
  const hash = (await hashOf(content)).slice(0, 16)
  const count = (copies.get(hash) ?? 0) + 1
  copies.set(hash, count)
  return count === 1 ? hash : `${hash}-${count}`
}
