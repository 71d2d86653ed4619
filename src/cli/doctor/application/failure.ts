import { broken, type Finding } from '../check.js'
import { ASK_MS, isStepwell } from './ask.js'

const DEFAULT_PORT = '3000'
/** The codes of certificates that this machine does not trust. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/
const TLS_OVER_PLAIN = /wrong version number|packet length too long|ERR_SSL/i
const CUT_OFF = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|HPE_\w+)$/
const SILENT = /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH)$/

/** Explains a request without an answer, by the system's code of its failure. */
export const failureOf = async (error: unknown, apiUrl: string): Promise<Finding> => {
  const { code, message } = reasonOf(error)
  const { hostname, protocol, host } = new URL(apiUrl)
  const tried = `${apiUrl} gives no answer`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return broken(
      `${tried}: no such host ${hostname} is known (${code})`,
      `correct the host in STEPWELL_API_URL, or have the DNS know it: getent hosts ${hostname}${proxyAdvice()}`,
    )
  if (code === 'ECONNREFUSED') {
    const other = `${protocol}//${hostname}:${DEFAULT_PORT}`
    if (other !== apiUrl && (await isStepwell(other)))
      return broken(
        `${tried}: nothing listens at ${host}, and a Stepwell does at ${other}`,
        `set STEPWELL_API_URL=${other}`,
      )
    return broken(
      `${tried}: nothing listens at ${host}`,
      `start the service there (npx stepwell serve), or set STEPWELL_API_URL to the address that it prints`,
    )
  }
  if (UNTRUSTED.test(code))
    return broken(
      `${tried}: this machine does not trust its certificate (${code})`,
      'set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority that signed it',
    )
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return broken(
      `${tried}: its certificate is not valid at the time of this machine (${code})`,
      'renew the certificate of the service, or set the clock of this machine: sudo timedatectl set-ntp true',
    )
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return broken(
      `${tried}: its certificate is of another host than ${hostname}`,
      'set STEPWELL_API_URL to a name that the certificate has',
    )
  if (protocol === 'https:' && TLS_OVER_PLAIN.test(`${code} ${message}`))
    return broken(
      `${tried}: it speaks no TLS`,
      `set STEPWELL_API_URL=${apiUrl.replace('https:', 'http:')}`,
    )
  if (protocol === 'http:' && CUT_OFF.test(code) && (await isTls(apiUrl)))
    return broken(
      `${tried}: it speaks TLS only`,
      `set STEPWELL_API_URL=${apiUrl.replace('http:', 'https:')}`,
    )
  if (SILENT.test(code) || /abort|timeout/i.test(`${nameOf(error)} ${message}`))
    return broken(
      `${tried} within ${ASK_MS / 1000} seconds`,
      `let requests of this machine through to ${host}, in firewalls and security groups, and see if the service is busy${proxyAdvice()}`,
    )
  return broken(
    `${tried} (${code === '' ? 'no code' : code})`,
    `see if a service of Stepwell listens at ${host}: curl -i ${apiUrl}/healthz`,
  )
}

/** Returns the first failure of several addresses of a host, and of the causes of an error the one with a code. */
const reasonOf = (error: unknown): { code: string; message: string } => {
  const inner =
    error instanceof AggregateError
      ? error.errors[0]
      : error instanceof Error
        ? error.cause
        : undefined
  if (inner instanceof Error) return reasonOf(inner)
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return { code: typeof code === 'string' ? code : '', message: String(message ?? '') }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

/** Returns true when a server at an address speaks TLS, whatever its certificate is. */
const isTls = async (apiUrl: string): Promise<boolean> => {
  const { connect } = await import('node:tls')
  const { hostname, port } = new URL(apiUrl)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 80), rejectUnauthorized: false })
    const settle = (speaks: boolean) => {
      socket.destroy()
      resolve(speaks)
    }
    socket.setTimeout(2000, () => settle(false))
    socket.once('secureConnect', () => settle(true))
    socket.on('error', () => settle(false))
  })
}

/** Node takes no notice of the variables of proxies by itself. */
const proxyAdvice = (): string => {
  const { HTTPS_PROXY, HTTP_PROXY, https_proxy, http_proxy, NODE_USE_ENV_PROXY } = process.env
  const names = Object.entries({ HTTPS_PROXY, HTTP_PROXY, https_proxy, http_proxy }).filter(
    ([, value]) => value,
  )
  const [first] = names
  return first === undefined || NODE_USE_ENV_PROXY === '1'
    ? ''
    : `; ${first[0]} is set, which Node 24 and newer use only with NODE_USE_ENV_PROXY=1`
}
