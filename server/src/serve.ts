import { join } from 'node:path'
import { shownDatabase } from './kernel/database-url.js'
import { listen } from './listen.js'
import { openAdminEndpoint } from './operator/admin-endpoint.js'
import { fail } from './operator/failure.js'
import { createService, type Service } from './service.js'
import { createLog } from './service-log.js'
import { HELP, readSettings, type Settings } from './settings.js'
import { Member } from './workers/member.js'
import { STOPPED, Stops } from './workers/stops.js'
import { supervise } from './workers/supervise.js'

const STOPS = 'Stepwell finishes requests in progress and stops'

/** Runs `stepwell serve`: the service, until SIGTERM or SIGINT. Returns the exit code. */
export const serve = async (args: readonly string[]): Promise<number> => {
  const stops = new Stops()
  try {
    const member = await Member.join(stops)
    const settings = readSettings(args, process.env)
    if (settings === null) {
      process.stdout.write(HELP)
      return 0
    }
    // Stored data is readable by the user that runs the service only.
    process.umask(0o077)
    // The readers of its output and its log may exit; the service stays.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
    if (member !== undefined) return await run(settings, stops, member)
    const { logger } = createLog(settings.log)
    for (const warning of settings.warnings) logger.log('warn', warning)
    const { workers, host, port, databaseUrl, dataFolder } = settings
    // Only a server takes several processes.
    if (workers === 1 || databaseUrl === undefined) return await run(settings, stops)
    const warn = (text: string) => logger.log('warn', text)
    void stops.told(1).then(() => sayTo(settings)(STOPS))
    return await supervise({ workers, host, port, dataFolder, databaseUrl, stops, localUrl, warn })
  } catch (error) {
    if (error === STOPPED) {
      process.stdout.write('Stepwell stops before it has started\n')
      return 0
    }
    return fail(error, 'serve')
  } finally {
    stops.close()
  }
}

/** Serves in this process, alone or as one of several. */
const run = async (settings: Settings, stops: Stops, member?: Member): Promise<number> => {
  const { host, port, dataFolder, drainMs, ...options } = settings
  const endings: (() => Promise<unknown>)[] = []
  const end = async () => {
    for (const ending of endings.splice(0).reverse()) await ending()
  }
  try {
    const service = await createService({
      dataFolder,
      ...options,
      signal: stops.signal,
      group: member,
    })
    endings.push(() => service.close())
    const { url, drain, stop } = await listen(service, host, member?.port ?? port)
    endings.push(() => stop())
    if (member === undefined) {
      const endpoint = { url: localUrl(url), token: service.operatorToken }
      endings.push(await openAdminEndpoint(dataFolder, endpoint))
    } else member.serves(url, service.metrics)
    if (member?.isFirst !== false) announce(service, url, settings)
    const signal = await stops.told(1)
    if (member === undefined) sayTo(settings)(STOPS)
    service.retire()
    // Load balancers need a moment to see that; after Ctrl+C, or a second signal, there is none to wait for.
    if (signal === 'SIGTERM') await Promise.race([drain(drainMs), stops.told(2)])
    await end()
    return 0
  } catch (error) {
    // A service that failed to start must not stay half open.
    await end().catch((reason) => fail(reason, 'serve'))
    throw error
  } finally {
    member?.leave()
  }
}

const sayTo = ({ log }: Settings): ((text: string) => void) => {
  if (log.format !== 'json') return (text) => process.stdout.write(`${text}\n`)
  const { logger } = createLog({ ...log, write: (line) => process.stdout.write(line) })
  return (text) => logger.log('info', text)
}

/** Says where the service is, and how to get in. */
const announce = (service: Service, url: string, settings: Settings): void => {
  const { databaseUrl, dataFolder, signIn, workers } = settings
  const isJson = settings.log.format === 'json'
  const say = sayTo(settings)
  const place = databaseUrl === undefined ? dataFolder : `${nameOf(databaseUrl)} and ${dataFolder}`
  say(
    `Stepwell serves at ${url}, with its data in ${place}${workers > 1 ? `, by ${workers} processes` : ''}`,
  )
  if (!service.hasUi)
    process.stderr.write(
      'stepwell: the web UI is not built; build it with: npm run build, and start again\n',
    )
  const keyFile = join(dataFolder, 'api-key')
  // Logs are kept, and read by many: neither a key nor a link that signs in belongs there.
  if (service.isNewKey)
    say(
      isJson
        ? `the API key of the first project is in ${keyFile}`
        : `API key of the first project, also in ${keyFile}: ${service.apiKey}`,
    )
  if (signIn === 'link' && service.hasUi && !isJson)
    say(
      `Web UI, with a link that signs in once within an hour: ${service.signInLink(localUrl(url))}`,
    )
}

/** Returns a local URL for a service that listens on all addresses. */
const localUrl = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Returns a database's URL without its secrets. */
const nameOf = (databaseUrl: string): string => {
  const { host, name } = shownDatabase(databaseUrl)
  return `the database ${name} at ${host}`
}
