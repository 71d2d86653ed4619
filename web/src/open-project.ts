import { ProjectDocument } from '../generated/operations.js'
import { segment } from './address/segment.js'
import { plainClient } from './data/client.js'
import type { Problem } from './data/problem.js'
import type { Project } from './data/project.js'
import { ProblemError, read } from './data/use-data.js'

export type AppState =
  | { is: 'starting' }
  | { is: 'signed out'; reason?: string | undefined }
  | { is: 'failed'; problem: Problem }
  | { is: 'open'; project: Project }

export const LAST_PROJECT = 'project'

/**
 * Assumes that a returning user is still signed in: the page of their project begins to read at once, while that is
 * checked. Until then it offers no changes.
 */
export const guessState = (location: string): AppState => {
  const id = localStorage.getItem(LAST_PROJECT)
  if (id === null || !location.startsWith(`/projects/${segment(id)}/`)) return { is: 'starting' }
  return {
    is: 'open',
    project: {
      id,
      name: 'default',
      scopes: [],
      isEmpty: false,
      createdAt: new Date(0).toISOString(),
    },
  }
}

/** Reads the project of the session. */
export const readState = async (): Promise<AppState> => {
  try {
    const { project } = await read(ProjectDocument, {}, plainClient)
    return { is: 'open', project }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    if (error.problem.code === 'FORBIDDEN')
      return { is: 'signed out', reason: 'This key may only record. Use one with the scope read.' }
    if (error.problem.code !== 'UNAUTHENTICATED') return { is: 'failed', problem: error.problem }
    return { is: 'signed out' }
  }
}
