import { useEffect, useSyncExternalStore } from 'react'
import { Link } from 'wouter'

interface MadeKey {
  projectId: string
  name: string
  key: string
}

let made: MadeKey | undefined
const listeners = new Set<() => void>()

/** Has the page of keys show a key, also if it was left before the key came: nobody could ever read it elsewhere. */
export const showMadeKey = (next: MadeKey | undefined): void => {
  made = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Returns the key that was made last, until the page that shows it is left. */
export const useMadeKey = (projectId: string): MadeKey | undefined => {
  useEffect(() => () => showMadeKey(undefined), [])
  return useSyncExternalStore(subscribe, () => (made?.projectId === projectId ? made : undefined))
}

/** Tells of a key that came after its page was left. */
export const LateKey = ({ name }: { name: string }) => (
  <Link href="/settings/keys">The key “{name}” is there: open Keys, which shows it only once.</Link>
)
