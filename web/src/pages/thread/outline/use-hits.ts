import { useEffect, useMemo, useState } from 'react'
import { OutlineMatchesDocument } from '../../../../generated/operations.js'
import { plainClient } from '../../../data/client.js'
import { read } from '../../../data/use-data.js'
import type { Outline } from './outline.js'

const FIND_MS = 200
const MIN_CONTENT_LENGTH = 3

/** Searches steps: by name and type in the outline, by content in the service. */
export const useHits = (
  outline: Outline,
  find: string,
  only: string | undefined,
  threadId: string | undefined,
  rootStepId: string | undefined,
): { hits: ReadonlySet<number> | undefined; problem: string | undefined } => {
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
      const subject = threadId === undefined ? { rootStepId } : { threadId }
      const answer = await read(
        OutlineMatchesDocument,
        { ...(subject as { threadId: string }), text },
        plainClient,
      ).catch((error: Error) => error)
      if (isCancelled) return
      if (answer instanceof Error) setInContent({ text, ids: [], problem: answer.message })
      else if (answer.outline != null) setInContent({ text, ids: answer.outline.matches })
    }, FIND_MS)
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }, [text, threadId, rootStepId])
  const hits = useMemo(() => {
    if (text === '' && only === undefined) return undefined
    const hits = new Set<number>()
    const named = outline.names.map((name) => text !== '' && name.toLowerCase().includes(text))
    const content = new Set(inContent?.text === text ? inContent.ids : [])
    for (let place = 0; place < outline.count; place++) {
      const isFound =
        text === '' ||
        named[outline.nameOf[place] ?? -1] === true ||
        content.has(outline.ids[place] ?? '')
      if (isFound && isOnly(outline, place, only)) hits.add(place)
    }
    return hits
  }, [outline, text, only, inContent])
  return { hits, problem: inContent?.text === text ? inContent.problem : undefined }
}

const isOnly = (outline: Outline, place: number, only: string | undefined): boolean => {
  if (only === undefined) return true
  if (only === 'errors') return outline.hasFailed(place)
  if (only === 'messages') return outline.isMessage(place)
  const type = outline.type(place)
  return type === only || (only === 'retrieval' && (type === 'embedding' || type === 'rerank'))
}
