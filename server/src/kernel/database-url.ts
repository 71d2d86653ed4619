import { accessSync, constants } from 'node:fs'

const EXAMPLES =
  'such as postgres://user@host:5432/database, or postgres://user@/database?host=/var/run/postgresql for a Unix socket'
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const SSL_FILES = ['sslcert', 'sslkey', 'sslrootcert']

/**
 * Returns the URL of a PostgreSQL server in a form that all parts of the program read alike. Errors begin with the part that
 * is wrong and don't repeat the URL, as it may contain a password.
 */
export const readDatabaseUrl = (text: string): string => {
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new Error('expected a URL that begins with postgres://')
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(text) ?? []
  const hosts = authority.slice(authority.lastIndexOf('@') + 1)
  if (hosts.includes(',')) throw oneHost('host')
  const credentials = hosts === '' ? authority : ''
  const url = urlOf(text, credentials)
  try {
    decodeURIComponent(url.pathname)
    decodeURIComponent(url.host)
  } catch {
    throw new Error(`expected a URL ${EXAMPLES}, with special characters percent-encoded`)
  }
  demandParameters(url.searchParams)
  return credentials === '' ? text : url.href
}

/** @param credentials - A user before an empty host, for which URLs have no place: parameters name them instead. */
const urlOf = (text: string, credentials: string): URL => {
  const plain = credentials === '' ? text : text.replace(credentials, '')
  if (!URL.canParse(plain))
    throw new Error(`expected a URL ${EXAMPLES}, with special characters percent-encoded`)
  const url = new URL(plain)
  if (credentials === '') return url
  const [user = '', ...password] = credentials.slice(0, -1).split(':')
  const named = { user, password: password.join(':') }
  for (const [name, value] of Object.entries(named))
    try {
      if (value !== '') url.searchParams.set(name, decodeURIComponent(value))
    } catch {
      throw new Error(`${name}: expected special characters percent-encoded`)
    }
  return url
}

const oneHost = (name: string) =>
  new Error(
    `${name}: expected one host, got several; name the address that leads to the primary server`,
  )

const demandParameters = (parameters: URLSearchParams): void => {
  if (parameters.get('host')?.includes(',')) throw oneHost('host')
  const port = parameters.get('port')
  if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw new Error(`port: expected a number from 1 to 65535, got ${JSON.stringify(port)}`)
  const mode = parameters.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new Error(`sslmode: expected one of ${SSL_MODES.join(', ')}, got ${JSON.stringify(mode)}`)
  for (const name of SSL_FILES) {
    const path = parameters.get(name)
    if (path === null) continue
    try {
      accessSync(path, constants.R_OK)
    } catch (error) {
      throw new Error(
        `${name}: expected a file that this user may read, got ${JSON.stringify(path)} (${(error as NodeJS.ErrnoException).code})`,
      )
    }
  }
}

/** Returns the host and the name of a database, to show to people: without the secrets of its URL. */
export const shownDatabase = (url: string): { host: string; name: string } => {
  const { host, pathname, searchParams } = new URL(url)
  const port = searchParams.get('port')
  return {
    host: `${searchParams.get('host') || decodeURIComponent(host) || process.env.PGHOST || 'localhost'}${port === null ? '' : `:${port}`}`,
    name: decodeURIComponent(pathname.slice(1)),
  }
}
