import { join } from 'node:path'
import { shownDatabase } from './kernel/database-url.js'
import { listen } from './listen.js'
import { openAdminEndpoint } from './operator/admin-endpoint.js'
import { fail } from './operator/failure.js'
import { createService } from './service.js'
import { createLog } from './service-log.js'
import { HELP, readSettings } from './settings.js'

/** Runs `stepwell serve`: the service, until SIGTERM or SIGINT. Returns the exit code. */
export const serve = async (args: readonly string[]): Promise<number> => {
  const endings: (() => Promise<unknown>)[] = []
  const end = async () => {
    for (const ending of endings.splice(0).reverse()) await ending()
  }
  try {
    const settings = readSettings(args, process.env)
    if (settings === null) {
      process.stdout.write(HELP)
      return 0
    }
    const { host, port, dataFolder, drainMs, signIn, warnings, ...options } = settings
    const { databaseUrl, log } = options
    const isJson = log.format === 'json'
    const { logger } = createLog({ ...log, write: (line) => process.stdout.write(line) })
    const say = (text: string) =>
      isJson ? logger.log('info', text) : process.stdout.write(`${text}\n`)
    const { logger: warned } = createLog(log)
    for (const warning of warnings) warned.log('warn', warning)
    // Stored data is readable by the user that runs the service only.
    process.umask(0o077)
    const { stopped, signal: stopping } = stopSignal()
    // The reader of standard output may exit; the service stays.
    process.stdout.on('error', () => undefined)
    const service = await createService({ dataFolder, ...options, signal: stopping })
    endings.push(() => service.close())
    const { url, drain, stop } = await listen(service, host, port)
    endings.push(() => stop())
    endings.push(
      await openAdminEndpoint(dataFolder, { url: localUrl(url), token: service.operatorToken }),
    )
    const place =
      databaseUrl === undefined ? dataFolder : `${nameOf(databaseUrl)} and ${dataFolder}`
    say(`Stepwell serves at ${url}, with its data in ${place}`)
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
    const signal = await stopped
    say('Stepwell finishes requests in progress and stops')
    service.retire()
    // Load balancers need a moment to see that; after Ctrl+C, or a second signal, there is none to wait for.
    if (signal === 'SIGTERM') await Promise.race([drain(drainMs), stopSignal().stopped])
    await end()
    return 0
  } catch (error) {
    // A service that failed to start must not stay half open.
    await end().catch((reason) => fail(reason, 'serve'))
    if (error === STOPPED) {
      process.stdout.write('Stepwell stops before it has started\n')
      return 0
    }
    return fail(error, 'serve')
  }
}

/** Returns a local URL for a service that listens on all addresses. */
const localUrl = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Returns a database's URL without its secrets. */
const nameOf = (databaseUrl: string): string => {
  const { host, name } = shownDatabase(databaseUrl)
  return `the database ${name} at ${host}`
}

const STOPPED = new Error('it was told to stop')
const SIGNALS = ['SIGTERM', 'SIGINT'] as const

const stopSignal = (): { stopped: Promise<(typeof SIGNALS)[number]>; signal: AbortSignal } => {
  const controller = new AbortController()
  const stopped = new Promise<(typeof SIGNALS)[number]>((resolve) => {
    for (const signal of SIGNALS)
      process.once(signal, () => {
        controller.abort(STOPPED)
        resolve(signal)
      })
  })
  return { stopped, signal: controller.signal }
}
