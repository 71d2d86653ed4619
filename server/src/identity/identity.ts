/** A person, as the provider tells of them. */
export interface Identity {
  /** The provider's id of the person, which stays when names and addresses change. */
  id: string
  /** The name to show, one line: the address, or else what the provider has. */
  name: string
  /** The address, if the provider says that it is the person's. */
  verifiedEmail: string | undefined
  groups: readonly string[]
  /** True when the provider left the groups out because there are too many of them. */
  hasGroupsElsewhere: boolean
}

type Claims = Readonly<Record<string, unknown>>

/** The longest id by the standard. */
const MAX_ID = 255
const MAX_NAME = 200

/** Returns the person that claims tell of; undefined when their id is one that the standard forbids. */
export const identityOf = (claims: Claims, groupsClaim: string): Identity | undefined => {
  const { sub, email } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_ID) return undefined
  const names = [email, claims.preferred_username, claims.name, sub].map(line)
  return {
    id: sub,
    name: names.find((name) => name !== '') ?? 'a person',
    verifiedEmail:
      typeof email === 'string' && claims.email_verified === true ? email.trim() : undefined,
    groups: groupsOf(claimAt(claims, groupsClaim)),
    hasGroupsElsewhere: isObject(claims._claim_names) && groupsClaim in claims._claim_names,
  }
}

/** Returns the value of a claim: by its name as it is, or else along a path such as `realm_access.roles`. */
export const claimAt = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.'))
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  return value
}

const groupsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return Array.isArray(value) ? value.filter((group) => typeof group === 'string') : []
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Shows a text in one line, without codes that change how it is shown. */
const line = (value: unknown): string => {
  if (typeof value !== 'string') return ''
  const text = value
    .slice(0, MAX_NAME * 4)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  const characters = [...text]
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME - 1).join('')}…` : text
}
