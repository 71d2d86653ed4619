import { VERSION } from '../../../version.js'
import { broken, type Finding, ok, warning } from '../check.js'
import { compareVersions } from '../versions.js'
import { codeOf, kindOf, messageOf, type Reply } from './ask.js'

/** Facts that a service tells of a key. Versions before these fields tell the project alone. */
export interface KeyFacts {
  projectId: string
  scopes: readonly string[] | undefined
  version: string | undefined
}

const CREATE =
  'create one on the machine of the service: stepwell key create NAME; the first one is in the file api-key of its data folder'

/** Checks that a service takes the key, which a variable of the environment holds. */
export const keyOpens = (
  reply: Reply,
  variable: string,
): { finding: Finding; facts?: KeyFacts } => {
  const facts = factsOf(reply.body)
  if (reply.status === 200 && facts !== undefined) {
    const scopes = facts.scopes === undefined ? '' : `, with the scope ${facts.scopes.join(', ')}`
    return { finding: ok(`the key opens the project ${facts.projectId}${scopes}`), facts }
  }
  const code = codeOf(reply)
  const message = messageOf(reply)
  if (code === 'UNAUTHENTICATED' && /revoked|expired/.test(message))
    return {
      finding: broken(
        `the key in ${variable} was rejected: ${message}`,
        `create another one on the machine of the service, and set ${variable} to it: stepwell key create NAME`,
      ),
    }
  if (code === 'UNAUTHENTICATED')
    return {
      finding: broken(
        `the key in ${variable} was rejected: ${message}`,
        `see if STEPWELL_API_URL is the service that it is of, or ${CREATE}`,
      ),
    }
  if (code === 'FORBIDDEN')
    return {
      finding: broken(
        `the key opens no project: ${message}`,
        'create a key for applications: stepwell key create NAME --scopes ingest,read',
      ),
    }
  if (code === 'UNAVAILABLE')
    return {
      finding: broken(
        `the service could not look the key up: ${message}`,
        'run stepwell doctor --service on the machine of the service',
      ),
    }
  return {
    finding: broken(
      `the key got ${kindOf(reply)}${message === '' ? '' : `: ${message}`}`,
      'have the proxy before the service let the header x-api-key through',
    ),
  }
}

/** The finding when there is no key. */
export const keyMissing = (): Finding =>
  broken('no key is set, so clients record nothing', `set STEPWELL_API_KEY; ${CREATE}`)

/** Checks that the key may record, and do what the canary needs. `missing` are the scopes that the canary lacks. */
export const keyScopes = (
  { scopes }: KeyFacts,
  isReadOnly: boolean,
): { finding: Finding; missing: readonly string[] } => {
  const has = (scope: string) =>
    scopes === undefined || scopes.includes('admin') || scopes.includes(scope)
  const missing = ['write', 'read'].filter((scope) => !has(scope))
  if (isReadOnly && has('read')) return { finding: ok('the key may read'), missing: [] }
  if (!has('ingest') && !has('write'))
    return {
      finding: broken(
        `the key may not record: it has the scope ${scopes?.join(', ')}, and neither ingest nor write`,
        'create a key that may: stepwell key create NAME --scopes ingest,read; for one that only reads, give stepwell doctor --read-only',
      ),
      missing,
    }
  if (missing.length === 0) return { finding: ok('the key may record, read, and delete'), missing }
  return {
    finding: ok(
      `the key may record; as it lacks ${missing.join(' and ')}, what it would record could not be ${missing.includes('write') ? 'deleted' : 'read back'}`,
    ),
    missing,
  }
}

/** Compares the versions: a service keeps to all its earlier contracts, a client may ask for later ones. */
export const versionFits = ({ version }: KeyFacts): Finding => {
  const install = `update the service: npm install @stepwell/server@${VERSION}, and start it again`
  if (version === undefined)
    return warning(
      `the service is older than the SDK ${VERSION}: it does not say its version`,
      install,
    )
  if (compareVersions(version, VERSION) < 0)
    return warning(`the service ${version} is older than the SDK ${VERSION}`, install)
  return ok(`the service ${version}, the SDK ${VERSION}`)
}

const MOST_SKEW_MS = 5000
const BROKEN_SKEW_MS = 60_000

/** Compares the clocks, by the header of an answer. Its time is in whole seconds. */
export const clockAgrees = ({ headers, askedAtMs }: Reply): Finding => {
  const there = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(there)) return warning('the service does not say the time')
  const skewMs = there + 500 - askedAtMs
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  if (Math.abs(skewMs) < MOST_SKEW_MS) return ok('the clocks of both sides agree')
  const text = `the clock of this machine is ${seconds} seconds ${skewMs > 0 ? 'behind' : 'ahead of'} that of the service, which sorts steps wrongly`
  const remedy = 'set both clocks by the network: sudo timedatectl set-ntp true'
  return Math.abs(skewMs) < BROKEN_SKEW_MS ? warning(text, remedy) : broken(text, remedy)
}

const factsOf = (body: unknown): KeyFacts | undefined => {
  const { projectId, scopes, version } = (body ?? {}) as Partial<Record<string, unknown>>
  if (typeof projectId !== 'string') return undefined
  return {
    projectId,
    scopes: Array.isArray(scopes) ? scopes.map(String) : undefined,
    version: typeof version === 'string' ? version : undefined,
  }
}
