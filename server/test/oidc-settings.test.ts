import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SettingsError } from '../src/configuration.js'
import { grantsOf, type RoleRule } from '../src/identity/rules.js'
import { roleIn } from '../src/kernel/scopes.js'
import { readSettings } from '../src/settings.js'

// The options of the provider with which people sign in, and the rules of who has which role.
const RULES = '[{"group":"llm-devs","role":"editor","project":"default"}]'
const COMPLETE = {
  STEPWELL_OIDC_ISSUER: 'https://login.example.org/realms/main',
  STEPWELL_OIDC_CLIENT_ID: 'stepwell',
  STEPWELL_OIDC_CLIENT_SECRET: 'a-secret',
  STEPWELL_OIDC_ROLES: RULES,
}

const reject = (args: string[], environment: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readSettings(args, environment)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}

test('four settings are enough, and flags come first', () => {
  const oidc = {
    issuer: 'https://login.example.org/realms/main',
    clientId: 'stepwell',
    clientSecret: 'a-secret',
    scopes: 'openid email profile',
    groupsClaim: 'groups',
    rules: [{ group: 'llm-devs', role: 'editor', project: 'default' }],
    name: 'login.example.org',
    sessionHours: 12,
  }
  expect(readSettings([], COMPLETE)?.oidc).toEqual(oidc)
  expect(
    readSettings(
      ['--oidc-name', 'Example', '--oidc-session-hours', '8', '--oidc-scopes', 'openid,groups'],
      {
        ...COMPLETE,
        STEPWELL_OIDC_NAME: 'other',
        STEPWELL_OIDC_GROUPS_CLAIM: 'realm_access.roles',
        STEPWELL_OIDC_CLIENT_SECRET: '',
      },
    ),
  ).toMatchObject({
    warnings: [],
    oidc: {
      name: 'Example',
      sessionHours: 8,
      scopes: 'openid groups',
      groupsClaim: 'realm_access.roles',
      clientSecret: undefined,
    },
  })
})

test('rules are in a file, or are the value itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stepwell-rules-'))
  try {
    const path = join(folder, 'roles.json')
    writeFileSync(path, `\n${RULES}\n`)
    expect(readSettings(['--oidc-roles', path], COMPLETE)?.oidc?.rules).toHaveLength(1)
    writeFileSync(path, '{"group": "llm-devs"}')
    expect(reject(['--oidc-roles', path], COMPLETE)).toEqual([
      expect.stringContaining('--oidc-roles: expected a JSON list of rules such as [{"group"'),
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  expect(reject(['--oidc-roles', '/nowhere/at.all'], COMPLETE)).toEqual([
    '--oidc-roles: expected rules that begin with [, or a file that this user may read, got "/nowhere/at.all" (ENOENT)',
  ])
})

test('every mistake is told at once, with the option that has it and without the secret', () => {
  const problems = reject(
    [
      ...['--oidc-issuer', 'http://login.example.org', '--oidc-scopes', 'email'],
      ...['--oidc-session-hours', '1000', '--oidc-name', 'x'.repeat(61)],
    ],
    {
      STEPWELL_OIDC_CLIENT_SECRET: 'a-secret',
      STEPWELL_OIDC_ROLES: JSON.stringify([
        { group: 'a', role: 'viewer', project: 'p' },
        { group: 'a', email: 'a@b', role: 'owner' },
        { role: 'viewer', project: '' },
        { email: 'a', emailDomain: '@b', anybody: false, rol: 1, role: 'viewer', project: 'p' },
        'viewer',
      ]),
    },
  )
  expect(problems.map((problem) => problem.split(': ').slice(0, 3).join(': '))).toEqual([
    '--oidc-client-id: expected the id that the provider has for this service, as --oidc-issuer, --oidc-scopes, --oidc-roles, --oidc-name, --oidc-session-hours, STEPWELL_OIDC_CLIENT_SECRET are set',
    expect.stringMatching(/^--oidc-issuer: expected an https URL/),
    expect.stringMatching(/^--oidc-scopes: expected openid among the scopes/),
    '--oidc-roles: rule 2: expected one of group, email, emailDomain, anybody, got group and email',
    '--oidc-roles: rule 2: role',
    '--oidc-roles: rule 2: project',
    '--oidc-roles: rule 3: expected one of group, email, emailDomain, anybody, got none',
    '--oidc-roles: rule 3: project',
    '--oidc-roles: rule 4: "rol"',
    expect.stringMatching(/^--oidc-roles: rule 4: expected one of/),
    '--oidc-roles: rule 4: anybody',
    '--oidc-roles: rule 4: email',
    '--oidc-roles: rule 4: emailDomain',
    expect.stringMatching(/^--oidc-roles: rule 5: expected an object/),
    expect.stringMatching(/^--oidc-session-hours: expected a whole number from 1 to 720/),
    '--oidc-name: expected at most 60 characters',
  ])
  expect(problems.join()).not.toContain('a-secret')
})

test.each([
  'ftp://a.example',
  'https://a.example?x',
  'https://a.example#x',
  'https://user@a.example',
  'http://127.0.0.1.evil.example',
  'a.example',
])('the issuer %j is refused', (issuer) => {
  expect(reject(['--oidc-issuer', issuer], COMPLETE)[0]).toContain('--oidc-issuer: expected')
})

test('the secret has no flag, and a misspelt flag or variable is named', () => {
  expect(reject(['--oidc-client-secret', 'x'], COMPLETE)[0]).toMatch(
    /^Unknown option '--oidc-client-secret'/,
  )
  expect(reject(['--oidc-isuer', 'x'], COMPLETE)[0]).toContain('did you mean --oidc-issuer?')
  expect(readSettings([], { STEPWELL_OIDC_ISUER: 'x' })?.warnings).toEqual([
    'STEPWELL_OIDC_ISUER: nothing reads this variable (did you mean STEPWELL_OIDC_ISSUER?)',
  ])
})

test('of several rules the greatest role counts, in the projects that they name', () => {
  const rules: RoleRule[] = [
    { group: 'devs', role: 'editor', project: 'shop' },
    { group: 'devs', role: 'viewer', project: '*' },
    { group: 'admins', role: 'admin', project: 'p1' },
    { anybody: true, role: 'viewer', project: 'open' },
  ]
  const person = { id: 'x', name: 'x', verifiedEmail: undefined, hasGroupsElsewhere: false }
  const roles = (...groups: string[]) => {
    const grants = grantsOf(rules, { ...person, groups })
    return [
      { id: 'p1', name: 'shop' },
      { id: 'p2', name: 'other' },
      { id: 'p3', name: 'open' },
      { id: 'p4', name: '*' },
    ].map((project) => roleIn(grants, project))
  }
  expect(roles()).toEqual([undefined, undefined, 'viewer', undefined])
  expect(roles('devs')).toEqual(['editor', 'viewer', 'viewer', 'viewer'])
  expect(roles('admins', 'devs')).toEqual(['admin', 'viewer', 'viewer', 'viewer'])
  expect(roles('Devs', 'dev', 'devs ')).toEqual(roles())
})
