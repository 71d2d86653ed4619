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

/** As long as the standard allows, without characters that a database or a log cannot have. */
const ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u
const ADDRESS = /^[^@\s]+@[^@\s]+$/
const MAX_NAME = 200

/** Returns the person that claims tell of; undefined when their id is one that the standard forbids. */
export const identityOf = (claims: Claims, groupsClaim: string): Identity | undefined => {
  const { sub, email } = claims
  if (typeof sub !== 'string' || !ID.test(sub)) return undefined
  const names = [email, claims.preferred_username, claims.name, sub].map(line)
  return {
    id: sub,
    name: names.find((name) => name !== '') ?? 'a person',
    verifiedEmail:
      typeof email === 'string' && ADDRESS.test(email) && claims.email_verified === true
        ? email
        : undefined,
    groups: groupsOf(claimAt(claims, groupsClaim)),
    hasGroupsElsewhere: isObject(claims._claim_names) && groupsClaim in claims._claim_names,
  }
}

/** Adds the claims of user info to those of the ID token, which come first. An address keeps the word on it of its own source. */
export const withUserInfo = (claims: Claims, more: Claims): Claims => {
  const { email, email_verified } = claims
  const { email: moreEmail, email_verified: moreVerified } = more
  const address =
    email !== undefined && email_verified !== undefined
      ? { email, email_verified }
      : {
          email: moreEmail ?? email,
          email_verified: moreEmail === undefined ? undefined : moreVerified,
        }
  return { ...more, ...claims, ...address }
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
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim()
  const characters = [...text]
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME - 1).join('')}…` : text
}
