import type { Scope } from './scopes.js'

/** The roles of people in a project, from the least to the most. */
export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

const SCOPES: Record<Role, readonly Scope[]> = {
  viewer: ['read'],
  editor: ['read', 'write'],
  admin: ['admin'],
}

export const scopesOf = (role: Role): readonly Scope[] => SCOPES[role]

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
