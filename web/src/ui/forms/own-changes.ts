import { useLayoutEffect, useRef } from 'react'
import { line } from '../../format/text.js'

/** Names of the parts of a form, for people. */
type Titles<Parts extends object> = Readonly<Record<keyof Parts, string>>

const LONGEST_SHOWN = 80

/** Writes a value without the names of types that the client's cache adds. */
const written = (value: unknown): string =>
  JSON.stringify(value ?? null, (key, member) => (key === '__typename' ? undefined : member))

const isSame = (one: unknown, other: unknown): boolean => written(one) === written(other)

const shown = (value: unknown): string => {
  if (value == null || value === '') return 'empty'
  return line(typeof value === 'string' ? value : written(value), LONGEST_SHOWN)
}

const of = <Parts extends object>(parts: Parts, names: readonly (keyof Parts)[]): Partial<Parts> =>
  Object.fromEntries(names.map((name) => [name, parts[name]])) as unknown as Partial<Parts>

/**
 * Returns the parts that a form changed since it began. Others may have changed the rest meanwhile, and keep it.
 *
 * @throws Error when others changed the same parts to other values.
 */
export const ownChanges = <Parts extends object>(
  begun: Parts,
  mine: Parts,
  stored: Parts,
  titles: Titles<Parts>,
): Partial<Parts> => {
  const names = (Object.keys(titles) as (keyof Parts)[]).filter(
    (name) => !isSame(mine[name], begun[name]),
  )
  const both = names.filter(
    (name) => !isSame(stored[name], begun[name]) && !isSame(stored[name], mine[name]),
  )
  if (both.length > 0) throw new ChangedMeanwhile(stored, both, titles)
  return of(mine, names)
}

class ChangedMeanwhile<Parts extends object> extends Error {
  /** The parts as they are stored. */
  readonly theirs: Partial<Parts>

  constructor(stored: Parts, names: readonly (keyof Parts)[], titles: Titles<Parts>) {
    const told = names.map((name) => `${titles[name]} is now ${shown(stored[name])}`)
    super(`Somebody changed this meanwhile: ${told.join('; ')}. Save again to replace it.`)
    this.theirs = of(stored, names)
  }
}

/**
 * Finds what a form changed since it was opened, in parts as they are in it and as they are stored now. Throws once for
 * parts that others changed to other values; what is sent again replaces those.
 */
export const useOwnChanges = <Parts extends object>(opened: Parts, titles: Titles<Parts>) => {
  const begun = useRef(opened)
  return {
    changes: (mine: Parts, stored: Parts = begun.current): Partial<Parts> => {
      try {
        return ownChanges(begun.current, mine, stored, titles)
      } catch (error) {
        if (error instanceof ChangedMeanwhile) begun.current = { ...begun.current, ...error.theirs }
        throw error
      }
    },
    /** Begins anew with what is stored. */
    begin: (parts: Parts) => {
      begun.current = parts
    },
  }
}

/** Fills a form that stays in the page anew when other values are stored, unless something was typed into it. */
export const useRefill = <Parts extends object>(
  stored: Parts,
  isEdited: boolean,
  fill: (parts: Parts) => void,
): void => {
  const filled = useRef(written(stored))
  useLayoutEffect(() => {
    const now = written(stored)
    if (filled.current === now || isEdited) return
    filled.current = now
    fill(stored)
  })
}
