import { connect } from 'node:net'
import type { Settings } from '../../settings.js'
import { findAdminEndpoint } from '../admin-endpoint.js'
import { broken, type Finding, ok, warning } from './check.js'

const ASK_MS = 8000
const CONNECT_MS = 5000

/** Returns the URL of the service that runs with a data folder, if it answers. */
export const findRunning = async (dataFolder: string): Promise<string | undefined> => {
  const endpoint = await findAdminEndpoint(dataFolder)
  if (endpoint === undefined) return undefined
  return (await read(`${endpoint.url}/healthz`))?.status === 200 ? endpoint.url : undefined
}

/** Checks the service that runs, or that one could begin to listen. */
export const runningService = async (
  { host, port }: Settings,
  url: string | undefined,
): Promise<Finding[]> => {
  if (url !== undefined) return readiness(url)
  const at = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const isTaken = port !== 0 && (await listens(at, port))
  return isTaken
    ? [
        broken(
          `port ${port} of ${host} is in use, and not by a service with this data folder`,
          `stop that process, or start the service at another port: stepwell serve --port ${port + 1}; name the folder of a running service with --data`,
        ),
      ]
    : [warning('no service runs with this data folder', 'start it: stepwell serve')]
}

const MENDS: Record<string, string> = {
  database: 'see the check of the database here, and the log of the service',
  migrations: 'start the service again: older data was restored under it',
  files: 'see the checks of the data folder and of the bucket here',
}

const readiness = async (url: string): Promise<Finding[]> => {
  const reply = await read(`${url}/readyz`)
  if (reply?.body?.status === 'stopping')
    return [warning(`the service at ${url} is stopping`, 'start it again: stepwell serve')]
  const checks = Object.entries(reply?.body?.checks ?? {})
  if (checks.length === 0)
    return [
      broken(
        `the service at ${url} did not say that it is ready`,
        'see its log; start it again when it stays so',
      ),
    ]
  const bad = checks.filter(([, { state }]) => state === 'failing' || state === 'missing')
  return bad.length === 0
    ? [ok(`the service at ${url} is ready`)]
    : bad.map(([part, { state }]) =>
        broken(`the service at ${url} runs, with ${part} ${state}`, MENDS[part] ?? 'see its log'),
      )
}

interface Reply {
  status: number
  body:
    | {
        status?: string
        checks?: Record<string, { state: string }>
        errors?: { extensions?: { code?: string } }[]
      }
    | undefined
}

const read = async (url: string, method = 'GET'): Promise<Reply | undefined> => {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ASK_MS),
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    const text = await response.text()
    try {
      return { status: response.status, body: JSON.parse(text) as Reply['body'] }
    } catch {
      return { status: response.status, body: undefined }
    }
  } catch {
    return undefined
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Checks that the URL which clients are told leads to a Stepwell. */
export const publicUrlLeads = async (
  publicUrl: string,
  isRunning: boolean,
): Promise<Finding | readonly Finding[]> => {
  const url = publicUrl.replace(/\/+$/, '')
  const { protocol, hostname } = new URL(url)
  if (!isRunning)
    return { state: 'skipped', text: 'skipped, as no service runs with this data folder' }
  const reply = await read(`${url}/api/my-project`, 'POST')
  const code = reply?.body?.errors?.[0]?.extensions?.code
  if (reply?.status !== 401 || code !== 'UNAUTHENTICATED')
    return broken(
      `${url} does not lead to a Stepwell: ${reply === undefined ? 'no answer' : `status ${reply.status}`}`,
      'have the proxy forward it to the service, every path of it, or correct --public-url (STEPWELL_PUBLIC_URL); a network that cannot reach itself by this name may be the reason, too',
    )
  return protocol === 'http:' && !LOOPBACK.test(hostname)
    ? warning(
        `${url} leads to a Stepwell, and keys travel there without TLS`,
        'give the proxy a certificate, and --public-url an https URL',
      )
    : ok(`${url} leads to a Stepwell`)
}

/** Checks that something listens on the hosts of private networks that webhooks and models may be on. */
export const hostsListen = async (
  hosts: readonly string[],
  setting: string,
): Promise<readonly Finding[]> =>
  Promise.all(
    hosts.map(async (host) => {
      const { hostname, port } = new URL(`http://${host}`)
      const at = hostname.replace(/^\[|\]$/g, '')
      return (await listens(at, Number(port || 80)))
        ? ok(`something listens at ${host}`)
        : warning(
            `nothing listens at ${host}, which ${setting} allows`,
            `start it, let connections through to it, or take it out of ${setting}`,
          )
    }),
  )

const listens = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(CONNECT_MS, () => settle(false))
    socket.once('connect', () => settle(true))
    socket.on('error', () => settle(false))
  })
