import { FacetsDocument, RecentScoreNamesDocument } from '../../../generated/operations.js'
import { useData } from '../../data/use-data.js'
import { line } from '../../format/text.js'
import { type Environments, isOfEnvironments } from './environments.js'

/** The newest scores that say what a range has. */
const LOOKED_AT = 100

/**
 * Returns the names of scores, and the chosen one: that of the address, else the most frequent one of what the page shows.
 * The most frequent one of all is often of experiments alone.
 */
export const useScoreNames = (
  asked: string | undefined,
  { from, to, ...environments }: { from: string; to: string } & Environments,
) => {
  const frequent = useData(FacetsDocument, { field: 'score', prefix: '' })
  const recent = useData(
    RecentScoreNamesDocument,
    {
      first: LOOKED_AT,
      filters: [
        { field: 'createdAt', operator: 'gte', value: from },
        { field: 'createdAt', operator: 'lt', value: to },
      ],
    },
    { pause: asked !== undefined },
  )
  const names = frequent.data?.facets.map(({ value }) => value) ?? []
  const shown = recent.data?.scores.edges
    .map(({ node }) => node)
    .filter((score) => isOfEnvironments(score, environments))
  const isRare = asked !== undefined && frequent.data !== undefined && !names.includes(asked)
  // Only the most frequent names are listed.
  const rare = useData(FacetsDocument, { field: 'score', prefix: asked ?? '' }, { pause: !isRare })
  const isUnknown =
    isRare && rare.data !== undefined && !rare.data.facets.some(({ value }) => value === asked)
  const isLoading =
    asked === undefined &&
    (frequent.data === undefined || (recent.data === undefined && recent.problem === undefined))
  const name = asked ?? (isLoading ? undefined : (mostFrequent(shown ?? []) ?? names[0]))
  return {
    name,
    names: name === undefined || names.includes(name) ? names : [name, ...names],
    isLoading,
    problem: frequent.problem,
    refresh: frequent.refresh,
    notices: isUnknown
      ? [`“${line(asked, 60)}” in this address is the name of no recent score.`]
      : [],
  }
}

const mostFrequent = (scores: readonly { name: string }[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const { name } of scores) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}
