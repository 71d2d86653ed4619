import { BASE } from '../format/base.js'
import { browserStore } from '../format/store.js'

/** A project that this browser is signed in to. */
export interface OpenProject {
  projectId: string
  /** Null if the key may only record. */
  name: string | null
  scopes: readonly string[]
  /** The name of the person who signed in with the provider; absent for a key or a link. */
  person?: string
}

/** The projects of the last visit, of which all tabs of this browser know. */
const KNOWN = `projects${BASE}`

export const knownSessions = (): OpenProject[] => {
  try {
    const kept: unknown = JSON.parse(browserStore.get(KNOWN) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one) => Array.isArray(one?.scopes)) : []
  } catch {
    return []
  }
}

export const keepSessions = (sessions: readonly OpenProject[]): void =>
  browserStore.set(KNOWN, JSON.stringify(sessions))

export const forgetSessions = (): void => browserStore.remove(KNOWN)

/**
 * Calls back when another tab finds other sessions than this one, and returns a function that ends this. `isSignOut` is
 * true if somebody signed out there, and false if a session has ended by itself, or another one began.
 */
export const onSessionsElsewhere = (callback: (isSignOut: boolean) => void): (() => void) => {
  const look = ({ key, newValue }: StorageEvent) => {
    // No key stands for an emptied store.
    if (key === KNOWN || key === null) callback(newValue === null)
  }
  window.addEventListener('storage', look)
  return () => window.removeEventListener('storage', look)
}
