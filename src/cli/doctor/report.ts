import type { Found } from './run-checks.js'

/** Shorter texts are no secrets, and may be parts of words. */
const LEAST_SECRET = 6

/** Returns a finding in which no secret is left, whatever an error repeated. */
export const withoutSecrets = (found: Found, secrets: readonly string[]): Found => {
  const hidden = (text: string): string =>
    secrets
      .filter((secret) => secret.length >= LEAST_SECRET)
      .reduce((left, secret) => left.replaceAll(secret, '…'), text)
  return {
    ...found,
    text: hidden(found.text),
    ...(found.remedy === undefined ? {} : { remedy: hidden(found.remedy) }),
  }
}

const STATE_WIDTH = 'warning'.length
const CHECK_WIDTH = 'configuration'.length

/** Returns the line of a finding. */
export const lineOf = ({ state, check, text, remedy }: Found): string => {
  const said = remedy === undefined ? text : `${text}. Remedy: ${remedy}`
  return `${state.padEnd(STATE_WIDTH)}  ${check.padEnd(CHECK_WIDTH)}  ${said.replace(/\p{Cc}+/gu, ' ')}`
}

/** Returns the last line, which counts. */
export const summaryOf = (found: readonly Found[]): string => {
  const count = (state: Found['state']) => found.filter((one) => one.state === state).length
  const [bad, doubtful, left] = [count('broken'), count('warning'), count('skipped')]
  const parts = [
    bad === 0 ? 'Nothing is broken' : `${bad} broken`,
    ...(doubtful === 0 ? [] : [`${doubtful} ${doubtful === 1 ? 'warning' : 'warnings'}`]),
    ...(left === 0 ? [] : [`${left} skipped`]),
  ]
  return `${parts.join(', ')}.`
}

const SECRETS = [
  ...['STEPWELL_API_KEY', 'LITERAL_API_KEY', 'STEPWELL_OIDC_CLIENT_SECRET'],
  ...['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
]

/** Secrets of the environment that neither a text nor a remedy repeats. */
export const secretsOf = (
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
): readonly string[] => {
  const passwords = [environment.DATABASE_URL ?? '', ...args]
    .filter((text) => URL.canParse(text))
    .map((text) => new URL(text).password)
  return [
    ...SECRETS.map((name) => environment[name]?.trim() ?? ''),
    ...passwords,
    ...passwords.map((password) => decodeURIComponent(password)),
  ].filter((secret) => secret !== '')
}
