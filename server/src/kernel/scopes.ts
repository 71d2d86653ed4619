import { DomainError, invalid, show } from './errors.js'

/**
 * The scopes of a key. `ingest`: record, without reading anything. `read`: read. `write`: record and change. `admin`:
 * everything, the project's keys included. `metrics`: read the metrics of the service, and nothing of the project.
 */
export const SCOPES = ['ingest', 'read', 'write', 'admin', 'metrics'] as const
export type Scope = (typeof SCOPES)[number]

/** Parses scopes by their names; all of them must be known, and there must be at least one. */
export const parseScopes = (names: readonly string[]): Scope[] => {
  const unknown = names.find((name) => !SCOPES.includes(name as Scope))
  if (unknown !== undefined || names.length === 0)
    throw invalid(
      `scopes: expected some of ${SCOPES.join(', ')}, got ${unknown === undefined ? 'none' : show(unknown)}`,
    )
  return SCOPES.filter((scope) => names.includes(scope))
}

/**
 * Returns true when a key may only record: it must learn nothing that is stored, neither by reading nor from answers.
 */
export const onlyRecords = (scopes: readonly Scope[]): boolean =>
  scopes.every((scope) => scope === 'ingest' || scope === 'metrics')

/** Rejects a caller whose key has none of the scopes that would be enough. */
export const demand = (scopes: readonly Scope[], enough: readonly Scope[], what: string): void => {
  if (scopes.includes('admin') || enough.some((scope) => scopes.includes(scope))) return
  throw new DomainError(
    'FORBIDDEN',
    `x-api-key: ${what} needs a key with the scope ${[...new Set([...enough, 'admin'])].join(' or ')}, this one has ${scopes.join(', ')}`,
  )
}

/** The roles of people in a project, from the least to the most. */
export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

const OF_ROLES: Record<Role, readonly Scope[]> = {
  viewer: ['read'],
  editor: ['read', 'write'],
  admin: ['admin'],
}

export const scopesOf = (role: Role): readonly Scope[] => OF_ROLES[role]

/** A role in a project, which is named by its id or its name; `*` stands for every project. */
export interface Grant {
  project: string
  role: Role
}

/** Returns the greatest role that grants give in a project; undefined when they give none. */
export const roleIn = (
  grants: readonly Grant[],
  { id, name }: { id: string; name: string },
): Role | undefined => {
  const held = grants.filter(({ project }) => project === '*' || project === id || project === name)
  return [...ROLES].reverse().find((role) => held.some((grant) => grant.role === role))
}
