import { type Part, placeOf, splitPlace } from '../../../importing/importing.js'
import type { FileColumn, Places } from './messages.js'

/** The part of the item that a column goes to, none for a column that is left out, and the path in it. */
export interface Target {
  part: Part | ''
  path: string
}

/** Returns true for names with dots between them, and for an empty text. */
export const isPath = (path: string): boolean => path === '' || !path.split('.').includes('')

export const proposedTargets = (columns: readonly FileColumn[]): Map<string, Target> =>
  new Map(
    columns.map(({ name, proposed }) => [
      name,
      proposed === undefined ? { part: '', path: '' } : splitPlace(proposed),
    ]),
  )

/** Returns the places of the columns; undefined while a path is not complete. */
export const placesOf = (targets: ReadonlyMap<string, Target>): Places | undefined => {
  const used = [...targets].flatMap(([column, { part, path }]) =>
    part === '' ? [] : [{ column, part, path }],
  )
  if (used.some(({ path }) => !isPath(path))) return undefined
  return used.map(({ column, part, path }) => [column, placeOf(part, path)])
}
