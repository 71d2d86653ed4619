import { projectInAddress } from '../data/current-project.js'
import { ownPath } from '../format/base.js'
import { tabStore } from '../format/store.js'
/** Remembers the list behind a page, for `[` and `]`, as long as the tab lives. */
export const rememberNeighbours = (title: string, links: readonly string[]): void => {
  tabStore.set(
    'neighbours',
    JSON.stringify({ title, from: `~${location.pathname}${location.search}`, links }),
  )
}

export interface Neighbours {
  title: string
  /** The address of the list. */
  from: string
  previous: string | undefined
  next: string | undefined
}

export const neighboursAt = (path: string): Neighbours | undefined => {
  try {
    const { title, from, links } = JSON.parse(tabStore.get('neighbours') ?? '') as {
      title: string
      from: string
      links: string[]
    }
    // Another project may have the same ids.
    if (projectInAddress(ownPath(from.slice(1))) !== projectInAddress()) return undefined
    const place = links.findIndex((link) => link.split('?')[0] === path)
    if (place < 0) return undefined
    return { title, from, previous: links[place - 1], next: links[place + 1] }
  } catch {
    return undefined
  }
}
