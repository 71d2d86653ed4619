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
 */
export const importItems = async (
  items: readonly ImportedItem[],
  {
    existing,
    create,
    onProgress = () => undefined,
  }: {
    existing: AsyncIterable<Contents>
    create: (item: Contents) => Promise<unknown>
    onProgress?: (imported: Readonly<Imported>) => void
  },
): Promise<Imported> => {
  const counts = new Map<string, number>()
  for await (const item of existing) {
    const key = keyOf(item)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const imported: Imported = { created: 0, present: 0, failed: [] }
  const waiting = items.values()
  const work = async () => {
    for (const { row, ...contents } of waiting) {
      const key = keyOf(contents)
      const left = counts.get(key) ?? 0
      if (left > 0) {
        counts.set(key, left - 1)
        imported.present++
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
