import { useEffect, useRef, useState } from 'react'
import { ImportedContentsDocument, ImportItemDocument } from '../../../../generated/operations.js'
import { patiently } from '../../../data/patiently.js'
import { change, ProblemError, read } from '../../../data/use-data.js'
import {
  type Contents,
  type Imported,
  type ImportedItem,
  importItems,
} from '../../../importing/importing.js'

const PAGE_SIZE = 200
/** The page shows the progress this often. */
const SHOWN_EVERY_MS = 100
/** Failures that are those of a row; all others would be the same for each row that follows. */
const OF_A_ROW = new Set(['INVALID_ARGUMENT', 'TOO_LARGE'])

export interface Importing {
  isRunning: boolean
  /** Items of the dataset that were read, to leave out those that it has. */
  read: number
  imported: Readonly<Imported>
  /** The reason why it ended before its end. */
  problem?: Error
}

/** Imports items into a dataset: what it has is left out, so that an import can be run again. */
export const useImport = (datasetId: string) => {
  const [state, setState] = useState<Importing>()
  const ended = useRef(new AbortController())
  useEffect(() => () => ended.current.abort(), [])
  const start = async (items: AsyncIterable<ImportedItem>) => {
    const run = new AbortController()
    ended.current = run
    const { signal } = run
    let now: Importing = {
      isRunning: true,
      read: 0,
      imported: { created: 0, present: 0, failed: [] },
    }
    let shownAt = 0
    const show = (part: Partial<Importing>) => {
      now = { ...now, ...part }
      const isLate = performance.now() - shownAt >= SHOWN_EVERY_MS
      if (!isLate && now.isRunning) return
      shownAt = performance.now()
      setState({ ...now, imported: { ...now.imported } })
    }
    show({})
    let problem: Error | undefined
    try {
      const imported = await importItems(items, {
        signal,
        existing: contentsOf(datasetId, signal, (count) => show({ read: count })),
        create: async (contents) => {
          try {
            // One that may be stored is left to another import, which knows.
            const write = () => change(ImportItemDocument, { datasetId, ...contents })
            return await patiently(write, signal)
          } catch (error) {
            if (!(error instanceof ProblemError) || !OF_A_ROW.has(error.problem.code)) {
              problem ??= error as Error
              run.abort()
            }
            throw error
          }
        },
        onProgress: (soFar) => show({ imported: soFar }),
      })
      show({ imported })
    } catch (error) {
      problem ??= error as Error
    }
    show({ isRunning: false, ...(problem === undefined ? {} : { problem }) })
  }
  return { importing: state, start, stop: () => ended.current.abort() }
}

/** Yields the contents of the items that a dataset has. */
const contentsOf = async function* (
  id: string,
  signal: AbortSignal,
  onRead: (count: number) => void,
): AsyncGenerator<Contents> {
  let count = 0
  let after: string | null = null
  do {
    const answer: Awaited<ReturnType<typeof readContents>> = await readContents(id, after)
    if (answer.dataset === null) throw new Error('The dataset is gone.')
    const { edges, pageInfo }: NonNullable<typeof answer.dataset>['items'] = answer.dataset.items
    yield* edges.map(({ node }) => node)
    count += edges.length
    onRead(count)
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
  } while (after !== null && !signal.aborted)
}

const readContents = (id: string, after: string | null) =>
  read(ImportedContentsDocument, { id, first: PAGE_SIZE, after })
