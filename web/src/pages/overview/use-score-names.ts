import { FacetsDocument } from '../../../generated/operations.js'
import { useData } from '../../data/use-data.js'
import { line } from '../../format/text.js'

/** Returns the names of scores, and the chosen one: that of the address, else the most frequent one. */
export const useScoreNames = (asked: string | undefined) => {
  const frequent = useData(FacetsDocument, { field: 'score', prefix: '' })
  const names = frequent.data?.facets.map(({ value }) => value) ?? []
  const isRare = asked !== undefined && frequent.data !== undefined && !names.includes(asked)
  // Only the most frequent names are listed.
  const rare = useData(FacetsDocument, { field: 'score', prefix: asked ?? '' }, { pause: !isRare })
  const isUnknown =
    isRare && rare.data !== undefined && !rare.data.facets.some(({ value }) => value === asked)
  return {
    name: asked ?? names[0],
    names: isRare ? [asked, ...names] : names,
    isLoading: asked === undefined && frequent.data === undefined,
    problem: frequent.problem,
    refresh: frequent.refresh,
    notices: isUnknown
      ? [`“${line(asked, 60)}” in this address is the name of no recent score.`]
      : [],
  }
}
