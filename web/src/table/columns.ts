import { useCallback, useEffect, useMemo, useState } from 'react'
import { useAddress } from '../address/use-address.js'
import { browserStore } from '../format/store.js'

interface Chosen {
  id: string
  isMain?: boolean
}

/** Returns the columns that `a,b,c` names, in its order. The main one always stays, as it leads to the row. */
export const chosenColumns = <C extends Chosen>(
  columns: readonly C[],
  said: string | undefined,
): readonly C[] => {
  if (said === undefined) return columns
  const named = said.split(',').flatMap((id) => columns.find((column) => column.id === id) ?? [])
  const chosen = [...new Set(named)]
  const missing = columns.filter((column) => column.isMain && !chosen.includes(column))
  return [...missing, ...chosen]
}

const MIN_WIDTH = 40
const MAX_WIDTH = 1200

/** Returns the stored widths; drops invalid ones. */
export const readWidths = (text: string | null): Record<string, number> => {
  try {
    const kept: unknown = JSON.parse(text ?? '{}')
    if (typeof kept !== 'object' || kept === null) return {}
    return Object.fromEntries(
      Object.entries(kept).flatMap(([id, width]) =>
        typeof width === 'number' && Number.isFinite(width) ? [[id, limited(width)]] : [],
      ),
    )
  } catch {
    return {}
  }
}

const limited = (width: number): number =>
  Math.round(Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, width)))

/**
 * The columns of a list. The address holds the choice and order, so that a link shows the same; the last choice and the
 * widths stay in this browser.
 */
export const useColumns = <C extends Chosen & { width?: number }>(
  list: string,
  columns: readonly C[],
) => {
  const address = useAddress()
  const said = address.get('cols')
  const choiceKey = `columns of ${list}`
  const widthKey = `widths of ${list}`
  const [widths, setWidths] = useState(() => readWidths(browserStore.get(widthKey)))
  const kept = browserStore.get(choiceKey)
  // The last choice becomes part of the address, so that a link shows the same.
  useEffect(() => {
    if (said === undefined && kept !== null) address.set({ cols: kept }, { replace: true })
  }, [said, kept])
  const shown = useMemo(
    () =>
      chosenColumns(columns, said ?? kept ?? undefined).map((column) =>
        widths[column.id] === undefined ? column : { ...column, width: widths[column.id] },
      ) as readonly C[],
    [columns, said, kept, widths],
  )
  return {
    shown,
    choose: (ids: readonly string[] | undefined) => {
      if (ids === undefined) {
        browserStore.remove(choiceKey)
        browserStore.remove(widthKey)
        setWidths({})
      } else browserStore.set(choiceKey, ids.join(','))
      address.set({ cols: ids?.join(',') ?? null }, { replace: true })
    },
    resize: useCallback(
      (id: string, width: number) =>
        setWidths((all) => {
          const next = { ...all, [id]: limited(width) }
          browserStore.set(widthKey, JSON.stringify(next))
          return next
        }),
      [widthKey],
    ),
  }
}
