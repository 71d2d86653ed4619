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
