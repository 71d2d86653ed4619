import { nearest } from '../../options.js'
import { type Finding, ok, warning } from '../check.js'

const OF_CLIENTS = [
  'STEPWELL_API_KEY',
  'STEPWELL_API_URL',
  'STEPWELL_DISABLED',
  'STEPWELL_RELEASE',
  'LITERAL_API_KEY',
  'LITERAL_API_URL',
]
/** Variables of the service, which may run on the same machine. */
const OF_SERVICE = [
  ...['CONFIG', 'HOST', 'PORT', 'DATA', 'FILES', 'PUBLIC_URL', 'CORS_ORIGINS', 'SIGN_IN'],
  ...['LOG_FORMAT', 'LOG_LEVEL', 'ACCESS_LOG', 'MODEL_HOSTS', 'WEBHOOK_HOSTS'],
  ...['CONTENT_INDEX', 'DRAIN_MS', 'WORKERS'],
].map((name) => `STEPWELL_${name}`)
const KNOWN = [...OF_CLIENTS, ...OF_SERVICE]
/** Limits of the service, its provider, and the names by which Kubernetes describes a Service called stepwell. */
const OF_OTHERS = /^STEPWELL_(?:LIMIT_|OIDC_|SERVICE_|PORT_\d+_)/

/** Finds variables that nothing reads, and those that turn recording off. */
export const variables = (environment: NodeJS.ProcessEnv): Finding[] => {
  const names = Object.keys(environment).filter((name) => /^(?:STEPWELL|LITERAL)_/.test(name))
  const unread = names.filter((name) => !KNOWN.includes(name) && !OF_OTHERS.test(name))
  const findings = unread.map((name) => {
    const near = nearest(
      name.toLowerCase(),
      KNOWN.map((known) => known.toLowerCase()),
    )?.toUpperCase()
    return warning(
      `the variable ${name} is set, and nothing reads it`,
      near === undefined
        ? `unset ${name}; clients read ${OF_CLIENTS.join(', ')}`
        : `rename it to ${near}`,
    )
  })
  if (/^(1|true|yes|on)$/i.test(environment.STEPWELL_DISABLED ?? ''))
    findings.push(
      warning(
        `clients record nothing, as STEPWELL_DISABLED is ${environment.STEPWELL_DISABLED}`,
        'unset STEPWELL_DISABLED',
      ),
    )
  if (findings.length > 0) return findings
  const read = OF_CLIENTS.filter((name) => environment[name])
  return [ok(read.length === 0 ? 'none is set' : `${read.join(', ')} set, none misspelt`)]
}
