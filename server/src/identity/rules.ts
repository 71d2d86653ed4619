import { type Grant, ROLES, type Role } from '../kernel/scopes.js'
import type { Identity } from './identity.js'

/** Whom a rule is about, as it is written: one of the members. */
interface Whom {
  /** A group of the provider, exactly as it writes it. */
  group?: string | undefined
  /** A verified address, in lower case. */
  email?: string | undefined
  /** The domain of a verified address, in lower case. */
  emailDomain?: string | undefined
  /** Everybody whom the provider lets in. */
  anybody?: true | undefined
}

/** A rule that gives people a role. */
export type RoleRule = Whom & Grant

const WHOM = ['group', 'email', 'emailDomain', 'anybody'] as const
const MEMBERS: readonly string[] = [...WHOM, 'role', 'project']
const MAX_TEXT = 500

/** Reads rules. Returns a sentence for each mistake beside the valid ones. */
export const readRules = (text: string): { rules: RoleRule[]; problems: string[] } => {
  const rules: RoleRule[] = []
  const problems: string[] = []
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    given = undefined
  }
  if (!Array.isArray(given) || given.length === 0)
    return {
      rules,
      problems: [
        'expected a JSON list of rules such as [{"group": "llm-devs", "role": "editor", "project": "default"}]',
      ],
    }
  for (const [index, rule] of given.entries()) {
    const found = mistakesOf(rule)
    if (found.length === 0) rules.push(inLowerCase(rule as RoleRule))
    else problems.push(...found.map((mistake) => `rule ${index + 1}: ${mistake}`))
  }
  return { rules, problems }
}

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT

const mistakesOf = (given: unknown): string[] => {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [`expected an object with a role, a project and one of ${WHOM.join(', ')}`]
  const rule = given as Record<string, unknown>
  const whom = WHOM.filter((name) => rule[name] !== undefined)
  const unknown = Object.keys(rule).filter((name) => !MEMBERS.includes(name))
  return [
    ...unknown.map((name) => `${JSON.stringify(name)}: expected only ${MEMBERS.join(', ')}`),
    ...(whom.length === 1
      ? []
      : [
          `expected one of ${WHOM.join(', ')}, got ${whom.length === 0 ? 'none' : whom.join(' and ')}`,
        ]),
    ...whom
      .filter((name) => (name === 'anybody' ? rule.anybody !== true : !isText(rule[name])))
      .map((name) => `${name}: expected ${name === 'anybody' ? 'true' : 'a text'}`),
    ...(isText(rule.email) && !/^[^@\s]+@[^@\s]+$/.test(String(rule.email))
      ? ['email: expected an address such as ada@example.org']
      : []),
    ...(isText(rule.emailDomain) && !/^[^@\s]+\.[^@\s]+$/.test(String(rule.emailDomain))
      ? ['emailDomain: expected a domain such as example.org']
      : []),
    ...(ROLES.includes(rule.role as Role)
      ? []
      : [`role: expected ${ROLES.slice(0, -1).join(', ')} or ${ROLES.at(-1)}`]),
    ...(isText(rule.project)
      ? []
      : ['project: expected the name or the id of a project, or * for every project']),
  ]
}

const inLowerCase = (rule: RoleRule): RoleRule => ({
  ...rule,
  ...(rule.email === undefined ? {} : { email: rule.email.toLowerCase() }),
  ...(rule.emailDomain === undefined ? {} : { emailDomain: rule.emailDomain.toLowerCase() }),
})

/** Returns the roles that a person has by the rules, each once. */
export const grantsOf = (rules: readonly RoleRule[], person: Identity): Grant[] => {
  const groups = new Set(person.groups)
  const email = person.verifiedEmail?.toLowerCase()
  const held = rules.filter(
    (rule) =>
      rule.anybody === true ||
      (rule.group !== undefined && groups.has(rule.group)) ||
      (email !== undefined &&
        (rule.email === email || rule.emailDomain === email.slice(email.lastIndexOf('@') + 1))),
  )
  const grants = new Map(
    held.map(({ project, role }) => [JSON.stringify([project, role]), { project, role }]),
  )
  return [...grants.values()]
}

/** Returns the projects that rules name and that do not exist, each once. */
export const unknownProjects = (
  rules: readonly RoleRule[],
  projects: readonly { id: string; name: string }[],
): string[] => {
  const known = new Set(['*', ...projects.flatMap(({ id, name }) => [id, name])])
  return [...new Set(rules.map(({ project }) => project))].filter((name) => !known.has(name))
}
