import { useCallback, useEffect, useMemo, useState } from 'react'
import { useAddress } from '../address/use-address.js'

interface Chosen {
  id: string
  isMain?: boolean
}

/** The columns that `a,b,c` names, in its order; the main one stays wherever it is left out, as it leads to the row. */
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

/** The widths that were kept; whatever is none is left out. */
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
 * The columns of a list: which ones and in what order the address says, so that a link shows the same; what was chosen
 * last, and how wide they are, stays in this browser.
 */
export const useColumns = <C extends Chosen & { width?: number }>(
  list: string,
  columns: readonly C[],
) => {
  const address = useAddress()
  const said = address.get('cols')
  const choiceKey = `columns of ${list}`
  const widthKey = `widths of ${list}`
  const [widths, setWidths] = useState(() => readWidths(localStorage.getItem(widthKey)))
  const kept = localStorage.getItem(choiceKey)
  // The choice of last time becomes part of the address, so that whoever gets the link sees the same.
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
        localStorage.removeItem(choiceKey)
        localStorage.removeItem(widthKey)
        setWidths({})
      } else localStorage.setItem(choiceKey, ids.join(','))
      address.set({ cols: ids?.join(',') ?? null }, { replace: true })
    },
    resize: useCallback(
      (id: string, width: number) =>
        setWidths((all) => {
          const next = { ...all, [id]: limited(width) }
          localStorage.setItem(widthKey, JSON.stringify(next))
          return next
        }),
      [widthKey],
    ),
  }
}
