import { useEffect, useRef, useState } from 'react'
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
  const { data, isPrevious } = useData(
    FacetsDocument,
    { field: facet ?? 'name', prefix: isPart ? '' : prefix },
    { pause: facet === undefined },
  )
  // The last answer goes on while the next one is awaited, unless it is about another field.
  const answered = useRef<string>(undefined)
  if (!isPrevious) answered.current = facet
  const occurring = facet === undefined || answered.current !== facet ? [] : (data?.facets ?? [])
  return place === undefined
    ? { from: 0, options: [] }
    : { from: place.from, options: suggest(place, occurring) }
}
