import { useRef, useState } from 'react'
import { browserStore, tabStore } from '../../../format/store.js'

/** Returns the name of this tab, which stays when the page is loaded again. */
const tabName = (): string => {
  const known = tabStore.get('tab')
  if (known !== null) return known
  const made = Math.random().toString(36).slice(2)
  tabStore.set('tab', made)
  return made
}

interface Kept<Draft> {
  key: string
  /** The time of the last change. */
  at: number
  draft: Draft
}

const readKept = <Draft>(key: string): Kept<Draft> | undefined => {
  try {
    const kept = JSON.parse(browserStore.get(key) ?? 'null')
    return kept === null ? undefined : { key, at: Number(kept.at), draft: kept.draft }
  } catch {
    return undefined
  }
}

/** Returns the draft of this tab, or else the newest one of any tab. */
const readDraft = <Draft>(prefix: string, own: string): Kept<Draft> | undefined =>
  readKept<Draft>(own) ??
  browserStore
    .names()
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => readKept<Draft>(key) ?? [])
    .sort((a, b) => b.at - a.at)[0]

/**
 * A draft that stays in this browser until it is saved or dropped: `place` names what it is a draft of. Each tab keeps one of its own, so that two of them
 * don't overwrite each other; one that a closed tab left is found again.
 */
export const useKeptDraft = <Draft>(place: readonly (string | null)[]) => {
  const prefix = `draft ${JSON.stringify(place)} `
  const own = `${prefix}${tabName()}`
  const [found] = useState(() => readDraft<Draft>(prefix, own))
  const [draft, setDraft] = useState<Draft | null>(found?.draft ?? null)
  /** The one that was left by another tab, until that goes on with it. */
  const source = useRef(found)
  const forget = () => {
    browserStore.remove(own)
    const { key, at } = source.current ?? {}
    if (key !== undefined && readKept(key)?.at === at) browserStore.remove(key)
    source.current = undefined
  }
  return {
    draft,
    /** True for a draft of before this page. */
    wasKept: found !== undefined,
    begin: setDraft,
    change: (next: Draft) => {
      setDraft(next)
      // A draft that is too large for the browser lives as long as the page.
      browserStore.set(own, JSON.stringify({ at: Date.now(), draft: next }))
    },
    forget,
    discard: () => {
      forget()
      setDraft(null)
    },
  }
}
