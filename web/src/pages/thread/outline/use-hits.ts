import { useEffect, useMemo, useState } from 'react'
import { OutlineMatchesDocument } from '../../../../generated/operations.js'
import { read } from '../../../data/use-data.js'
import type { Outline } from './outline.js'
import { Places } from './places.js'

const FIND_MS = 200
const MIN_CONTENT_LENGTH = 3

/** The thread or run whose contents are searched, and its outline as it is shown. */
interface Searched {
  threadId: string | undefined
  rootStepId: string | undefined
  revision: string | undefined
}

interface Hits {
  /** The steps found so far; undefined when nothing is searched. */
  hits: Places | undefined
  /** The steps to show; undefined for all. Until the first is found, the others stay. */
  shown: Places | undefined
  /** True while contents are still searched. */
  isSearching: boolean
  /** The reason why only names were searched. */
  problem: string | undefined
}

/** Searches steps: by name and type in the outline, by content in the service. */
export const useHits = (
  outline: Outline,
  find: string,
  only: string | undefined,
  { threadId, rootStepId, revision }: Searched,
): Hits => {
  const text = find.trim().toLowerCase()
  const [inContent, setInContent] = useState<{
    text: string
    ids: readonly string[]
    problem?: string
  }>()
  useEffect(() => {
    if (text.length < MIN_CONTENT_LENGTH) return
    let isCancelled = false
    const timer = setTimeout(async () => {
      // The service still has what the page shows of a large thread.
      const searched = { threadId, rootStepId, revision, text }
      const answer = await read(OutlineMatchesDocument, searched).catch((error: Error) => error)
      if (isCancelled) return
      if (answer instanceof Error) setInContent({ text, ids: [], problem: answer.message })
      else setInContent({ text, ids: answer.outline?.matches ?? [] })
    }, FIND_MS)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [text, threadId, rootStepId, revision])
  const hits = useMemo(() => {
    if (text === '') return stepsOf(outline, only)
    const hits = new Places(outline.count)
    const named = outline.names.map((name) => name.toLowerCase().includes(text))
    const content = new Set(
      (inContent?.text === text ? inContent.ids : []).map((id) => outline.placeOf(id)),
    )
    for (let place = 0; place < outline.count; place++) {
      const isFound = named[outline.nameOf[place] ?? -1] === true || content.has(place)
      if (isFound && isOnly(outline, place, only)) hits.add(place)
    }
    return hits
  }, [outline, text, only, inContent])
  const isSearching = text.length >= MIN_CONTENT_LENGTH && inContent?.text !== text
  const isInVain = isSearching && hits?.size === 0
  const shown = useMemo(
    () => (isInVain ? stepsOf(outline, only) : hits),
    [isInVain, outline, only, hits],
  )
  return {
    hits,
    shown,
    isSearching,
    problem: inContent?.text === text ? inContent.problem : undefined,
  }
}

/** Returns the steps of a kind; undefined for all of them. */
const stepsOf = (outline: Outline, only: string | undefined): Places | undefined => {
  if (only === undefined) return undefined
  const found = new Places(outline.count)
  for (let place = 0; place < outline.count; place++)
    if (isOnly(outline, place, only)) found.add(place)
  return found
}

const isOnly = (outline: Outline, place: number, only: string | undefined): boolean => {
  if (only === undefined) return true
  if (only === 'errors') return outline.hasFailed(place)
  if (only === 'messages') return outline.isMessage(place)
  const type = outline.type(place)
  return type === only || (only === 'retrieval' && (type === 'embedding' || type === 'rerank'))
}
