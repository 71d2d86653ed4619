import { ProjectDocument } from '../generated/operations.js'
import { plainClient } from './data/client.js'
import { openProject, projectInAddress } from './data/current-project.js'
import { keepSessions, knownSessions, type OpenProject } from './data/known-sessions.js'
import type { Problem } from './data/problem.js'
import type { Project } from './data/project.js'
import { readSessions, type SignInProvider } from './data/session.js'
import { ProblemError, read } from './data/use-data.js'
import { BASE } from './format/base.js'
import { browserStore } from './format/store.js'

export type AppState =
  | { is: 'starting' }
  | { is: 'signed out'; reason?: string | undefined; provider: SignInProvider | null }
  | { is: 'failed'; problem: Problem }
  /** Signed in, but not to the project of the address. */
  | { is: 'elsewhere'; sessions: readonly OpenProject[]; provider: SignInProvider | null }
  | {
      is: 'open'
      project: Project
      sessions: readonly OpenProject[]
      provider: SignInProvider | null
    }

/** The project that was opened last. */
const LAST = `project${BASE}`
export const chooseProject = (id: string): void => browserStore.set(LAST, id)

/**
 * Assumes that a returning user is still signed in: the page of their project begins to read at once, while that is
 * checked.
 */
export const guessState = (location: string): AppState => {
  const id = projectInAddress(location)
  const sessions = knownSessions()
  const session = sessions.find(({ projectId }) => projectId === id)
  if (session === undefined) return { is: 'starting' }
  openProject(session.projectId)
  return {
    is: 'open',
    sessions,
    provider: null,
    project: {
      id: session.projectId,
      name: session.name ?? '',
      scopes: session.scopes as Project['scopes'],
      isEmpty: false,
      createdAt: new Date(0).toISOString(),
    },
  }
}

/** Reads the projects of this browser's sessions, and the one that the address names, or else the one opened last. */
export const readState = async (location: string): Promise<AppState> => {
  const found = await readSessions()
  if (!('sessions' in found)) return { is: 'failed', problem: found }
  const { sessions, provider } = found
  const readable = sessions.filter(({ name }) => name !== null)
  keepSessions(readable)
  if (readable.length === 0)
    return {
      is: 'signed out',
      reason: sessions.length === 0 ? undefined : MAY_ONLY_RECORD,
      provider,
    }
  const asked = projectInAddress(location)
  const last = browserStore.get(LAST)
  const wanted = asked ?? (readable.some(({ projectId }) => projectId === last) ? last : undefined)
  const session =
    wanted == null ? readable[0] : readable.find(({ projectId }) => projectId === wanted)
  if (session === undefined) return { is: 'elsewhere', sessions: readable, provider }
  openProject(session.projectId)
  try {
    const { project } = await read(ProjectDocument, {}, plainClient)
    return { is: 'open', project, sessions: readable, provider }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return error.problem.code === 'UNAUTHENTICATED'
      ? { is: 'signed out', provider }
      : { is: 'failed', problem: error.problem }
  }
}

const MAY_ONLY_RECORD = 'This key may only record. Use one with the scope read.'
