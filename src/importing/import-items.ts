import type { ImportedItem } from './mapping.js'

/** The contents of an item, by which a repeated import knows it. */
export interface Contents {
  input: unknown
  expectedOutput: unknown
  metadata: unknown
}

export interface Imported {
  created: number
  /** Rows whose contents the dataset had. */
  present: number
  failed: { row: number; problem: string }[]
}

/** Requests at once. */
const AT_ONCE = 4

/** Writes a value with the members of its objects in order, so that equal contents are equal texts. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

const keyOf = ({ input, expectedOutput, metadata }: Contents): string =>
  canonical([input, expectedOutput ?? null, metadata ?? {}])

/**
 * Creates the items that a dataset lacks. A second run after a failure creates only the rest: an item that is in the
 * dataset as often as in the file is not created again. A row that fails keeps no other from being created.
 * When the signal aborts, rows that were begun are finished, and no other begins.
 */
export const importItems = async (
  items: Iterable<ImportedItem> | AsyncIterable<ImportedItem>,
  {
    existing,
    create,
    onProgress = () => undefined,
    signal,
  }: {
    existing: AsyncIterable<Contents>
    create: (item: Contents) => Promise<unknown>
    onProgress?: (imported: Readonly<Imported>) => void
    signal?: AbortSignal
  },
): Promise<Imported> => {
  const counts = new Map<string, number>()
  for await (const item of existing) {
    if (signal?.aborted) break
    const key = keyOf(item)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const imported: Imported = { created: 0, present: 0, failed: [] }
  const waiting = one(items)
  const work = async () => {
    for await (const { row, ...contents } of waiting) {
      if (signal?.aborted) return
      const key = keyOf(contents)
      const left = counts.get(key) ?? 0
      if (left > 0) {
        counts.set(key, left - 1)
        imported.present++
        onProgress(imported)
        continue
      }
      try {
        await create(contents)
        imported.created++
      } catch (error) {
        imported.failed.push({ row, problem: (error as Error).message })
      }
      onProgress(imported)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  imported.failed.sort((a, b) => a.row - b.row)
  return imported
}

/** Makes one iterator of the items, which several loops share. */
const one = async function* (items: Iterable<ImportedItem> | AsyncIterable<ImportedItem>) {
  yield* items
}
