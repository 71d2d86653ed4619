import { invalid, show } from './errors.js'
import type { Scope } from './scopes.js'

export const ENVIRONMENTS = ['dev', 'staging', 'prod', 'experiment'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

/** The caller of an operation: the project of the API key, and the environment that the request names. */
export interface Caller {
  projectId: string
  /** The id of the key. */
  keyId: string
  keyName: string
  /** The scopes of the key. */
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
