import { createHash } from 'node:crypto'
import type { RoleRule } from './rules.js'

/** The provider by which people sign in, and the roles that they have. */
export interface OidcOptions {
  /** The provider's URL, exactly as its tokens have it. */
  issuer: string
  clientId: string
  /** Undefined for a client without a secret. */
  clientSecret?: string | undefined
  /** The scopes to ask for, separated by spaces. */
  scopes: string
  /** The claim with the groups of a person: its name, or a path such as `realm_access.roles`. */
  groupsClaim: string
  rules: readonly RoleRule[]
  /** The name of the provider, for people. */
  name: string
  /** Hours after which people have to sign in again. */
  sessionHours: number
}

/** Returns a digest of what decides who may do what: sessions that began under other rules end with them. */
export const digestOfRules = ({ issuer, clientId, groupsClaim, rules }: OidcOptions): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, clientId, groupsClaim, rules]))
    .digest('hex')
