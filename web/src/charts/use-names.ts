import { useEffect, useState } from 'react'
import type { MetricDimension } from '../../../generated/schema.js'
import { PromptNameDocument, UserPageDocument } from '../../generated/operations.js'
import { read } from '../data/use-data.js'
import { line } from '../format/text.js'

/** Names of ids, which change rarely: they are asked for once. */
const known = new Map<string, Promise<string | undefined>>()

const nameOfVersion = async (id: string): Promise<string | undefined> => {
  const { promptVersion } = await read(PromptNameDocument, { id })
  return promptVersion == null
    ? undefined
    : `${line(promptVersion.lineage.name, 60)} v${promptVersion.version}`
}

const nameOfUser = async (id: string): Promise<string | undefined> =>
  (await read(UserPageDocument, { id })).participant?.identifier

const READERS: Partial<Record<MetricDimension, (id: string) => Promise<string | undefined>>> = {
  promptVersion: nameOfVersion,
  user: nameOfUser,
}

const shortened = (id: string) => (id.length > 12 ? `${id.slice(0, 8)}…` : id)

/** Names the values of a split: ids of prompt versions and users by their names, once those are known. */
export const useNames = (
  by: MetricDimension | undefined,
  keys: readonly string[],
): ((key: string) => string) => {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const readName = by === undefined ? undefined : READERS[by]
  const asked = JSON.stringify(readName === undefined ? [] : keys)
  useEffect(() => {
    if (readName === undefined) return
    let isLeft = false
    for (const id of JSON.parse(asked) as string[]) {
      const place = `${by} ${id}`
      const name = known.get(place) ?? readName(id)
      known.set(place, name)
      name.then(
        (found) => {
          if (!isLeft && found !== undefined) setNames((before) => new Map(before).set(id, found))
        },
        // The id is shown, and the name asked for again.
        () => known.delete(place),
      )
    }
    return () => {
      isLeft = true
    }
  }, [by, readName, asked])
  return (key) => (readName === undefined ? key : (names.get(key) ?? shortened(key)))
}
