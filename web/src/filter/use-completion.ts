import { useEffect, useState } from 'react'
import { FacetsDocument } from '../../generated/operations.js'
import { useData } from '../data/use-data.js'
import type { ShownLanguage } from './fields.js'
import { placeAt } from './place.js'
import { facetAt, type Suggestion, suggest } from './suggest.js'

/** Facets are asked for once keys pause. */
const PAUSE_MS = 120

/** Offers what may stand at the caret; `caret` is undefined while nothing is to be offered. */
export const useCompletion = (
  text: string,
  caret: number | undefined,
  language: ShownLanguage,
): { from: number; options: readonly Suggestion[] } => {
  const place = caret === undefined ? undefined : placeAt(text, caret, language)
  const facet = facetAt(place)
  const word = facet === undefined ? '' : (place?.word ?? '')
  const [prefix, setPrefix] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setPrefix(word), word === '' ? 0 : PAUSE_MS)
    return () => clearTimeout(timer)
  }, [word])
  // Facets are found by their beginning.
  const isPart = place?.part === 'value' && (place.sign === '~' || place.sign === '!~')
  const { data } = useData(
    FacetsDocument,
    { field: facet ?? 'name', prefix: isPart ? '' : prefix },
    { pause: facet === undefined },
  )
  const occurring = facet === undefined ? [] : (data?.facets ?? [])
  return place === undefined
    ? { from: 0, options: [] }
    : { from: place.from, options: suggest(place, occurring) }
}
