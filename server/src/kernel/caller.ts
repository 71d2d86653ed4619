import { invalid, show } from './errors.js'
import type { Scope } from './scopes.js'

export const ENVIRONMENTS = ['dev', 'staging', 'prod', 'experiment'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** A person who signed in with the provider. */
export interface Person {
  /** The provider's id. */
  id: string
  /** The address, or else another name. */
  name: string
}

/**
 * A released client of Python. It checks the types of what it reads, and a single value that it does not know fails the
 * whole page, or the thread with all its steps.
 */
export interface PythonClient {
  /** True before 0.0.600, which take the image of a message as its URL alone. */
  readsImagesAsText: boolean
  /** False before 0.1.0, which know scores of people and of AI. */
  knowsCode: boolean
}

/** The caller of an operation: the project of the API key or of the person, and the environment that the request names. */
export interface Caller {
  projectId: string
  /** The id of the key; for a person, a name that no key has. */
  keyId: string
  /** The name of the key, or of the person. */
  keyName: string
  /** Undefined for a key. */
  person?: Person | undefined
  /** The scopes of the key, or of the person's role. */
  scopes: readonly Scope[]
  environment: Environment
  /** Undefined for clients that read whatever is stored. */
  pythonClient?: PythonClient | undefined
}

/** Returns an environment by its name; `prod` without a name, as released clients expect. */
export const parseEnvironment = (field: string, name: string | null | undefined): Environment => {
  if (name === null || name === undefined || name === '') return 'prod'
  const environment = ENVIRONMENTS.find((known) => known === name)
  if (environment === undefined)
    throw invalid(`${field}: expected one of ${ENVIRONMENTS.join(', ')}, got ${show(name)}`)
  return environment
}

/** Rejects a project other than the caller's. */
export const checkProject = (caller: Caller, projectId: string | null | undefined): void => {
  if (
    projectId !== null &&
    projectId !== undefined &&
    projectId !== '' &&
    projectId !== caller.projectId
  )
    throw invalid('projectId: expected the project of the API key, got another one')
}
