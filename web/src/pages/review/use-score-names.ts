import { useMemo } from 'react'
import { DefinitionsDocument, FacetsDocument } from '../../../generated/operations.js'
import { useData } from '../../data/use-data.js'
import { readNames } from './score-names.js'

/** The names of scores: all known ones, and those to give, which are the first one when the address names none. */
export const useScoreNames = (wanted: string | undefined) => {
  const definitions = useData(DefinitionsDocument, {})
  const facets = useData(FacetsDocument, { field: 'score', prefix: '' })
  const known = useMemo(
    () => [
      ...new Set([
        ...(definitions.data?.scoreDefinitions.map(({ name }) => name) ?? []),
        ...(facets.data?.facets.map(({ value }) => value) ?? []),
      ]),
    ],
    [definitions.data, facets.data],
  )
  const isKnown = !definitions.isLoading && !facets.isLoading
  const names = useMemo(
    () => (wanted !== undefined ? readNames(wanted) : isKnown ? known.slice(0, 1) : []),
    [wanted, isKnown, known],
  )
  return { definitions, known, names, isKnown }
}
