import { useEffect, useRef, useState } from 'react'
import { total } from '../../format/number.js'
import type { ListConfig } from '../list-config.js'
import { MAX_ROWS, type PageOf, readRows, type Scope } from './scope.js'

/** A list whose rows are chosen. */
interface Choosable<Row> extends Pick<ListConfig<unknown, Row>, 'keyOf' | 'noun'> {
  /** The rows of this page. */
  rows: readonly Row[]
  /** Another object when other rows match. */
  asked: object
  /** The number of mistakes in the filter. */
  mistakes: number
  /** The number of rows that match; null while it is unknown. */
  matching: number | null
  readPage: (first: number, after: string | null) => Promise<PageOf<Row>>
  /** Called when more rows match than were announced. */
  onMore: () => void
}

/** Keeps the rows of a list that are chosen for actions: some of this page, or all that match. */
export const useSelection = <Row>({
  rows,
  keyOf,
  noun,
  asked,
  mistakes,
  matching,
  readPage,
  onMore,
}: Choosable<Row>) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isAllChosen, setAllChosen] = useState(false)
  const last = useRef<string>(undefined)
  // Another filter matches other rows.
  useEffect(() => setAllChosen(false), [asked, mistakes])
  // Actions apply to visible rows alone.
  const picked = rows.filter((row) => chosen.has(keyOf(row)))
  const isAll = isAllChosen && matching !== null
  const scope: Scope<Row> = isAll
    ? {
        size: matching,
        isAll: true,
        rows: [],
        load: async (signal) => {
          const all = await readRows(readPage, keyOf, MAX_ROWS, signal)
          // Nobody has agreed to more than was announced; larger numbers are estimates.
          if (matching < MAX_ROWS && all.length > matching) {
            onMore()
            throw new Error(
              `Now ${total(all.length, ...noun)} match, more than before. Look again, and repeat it. While rows keep coming, choose a range of time that is over.`,
            )
          }
          return all
        },
      }
    : { size: picked.length, isAll: false, rows: picked, load: async () => picked }
  return {
    chosen,
    scope,
    /** Chooses a row or gives it up; with `isRange`, chooses all from the last one on. */
    choose: (key: string, isRange: boolean) => {
      const keys = rows.map(keyOf)
      const next = new Set(chosen)
      const from = keys.indexOf(last.current ?? '')
      const to = keys.indexOf(key)
      if (isRange && from >= 0)
        for (const one of keys.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one)
      else if (!next.delete(key)) next.add(key)
      last.current = key
      setChosen(next)
      setAllChosen(false)
    },
    choosePage: () => setChosen(new Set(rows.map(keyOf))),
    chooseMatching: () => setAllChosen(true),
    clear: () => {
      setChosen(new Set())
      setAllChosen(false)
    },
    /** Returns the key of the row that was chosen last. */
    last: () => last.current,
  }
}
