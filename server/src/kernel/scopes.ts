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
