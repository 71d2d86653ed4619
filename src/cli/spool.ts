import { readdirSync, statSync } from 'node:fs'
import { missingKey, readConnection } from '../settings.js'
import { Tracer } from '../tracing/spool.js'
import { readOptions } from './options.js'
import { noSuchCommand, UsageError } from './usage.js'

const HELP = `Usage: stepwell spool send FOLDER [--timeout SECONDS]

Delivers the steps that clients with the option \`spool: FOLDER\` left there when their process ended. The service and the
key are those of STEPWELL_API_URL and STEPWELL_API_KEY; steps that were recorded with another key stay in the spool.

  --timeout SECONDS  the longest time to try. Default: 60
`

/** Counts the sessions in a spool that have steps. */
const sessionsIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).filter(
    (entry) =>
      entry.isDirectory() &&
      readdirSync(`${folder}/${entry.name}`).some((name) => name.endsWith('.steps')),
  ).length

/** Delivers the steps in a spool. Returns 0 when nothing is left, 1 otherwise. */
export const spool = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = readOptions({
    args: [...args],
    allowPositionals: true,
    options: { timeout: { type: 'string', default: '60' }, help: { type: 'boolean', short: 'h' } },
  })
  const [command, folder, ...others] = positionals
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const seconds = Number(values.timeout)
  if (command !== 'send') throw noSuchCommand(command ?? '', ['send'])
  if (folder === undefined || others.length > 0)
    throw new UsageError(`spool send: expected one folder, got ${positionals.length - 1}`)
  if (!(seconds > 0))
    throw new UsageError(
      `--timeout: expected seconds, more than 0, got ${JSON.stringify(values.timeout)}`,
    )
  if (readConnection({}).apiKey === undefined) throw missingKey()
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(
      `spool send: expected a folder, got ${JSON.stringify(folder)}: there is none`,
    )
  const tracer = new Tracer({
    spool: folder,
    disabled: false,
    onReport: (message) => process.stderr.write(`stepwell: ${message}\n`),
  })
  // The spool is read in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  const { delivered, pending, dropped } = await tracer.flush({ timeoutMs: seconds * 1000 })
  process.stdout.write(
    `${delivered} steps delivered, ${pending} left in the spool, ${dropped} lost\n`,
  )
  await tracer.close({ timeoutMs: 1000 })
  const unread = sessionsIn(folder)
  if (unread > 0 && pending === 0)
    process.stderr.write(
      `stepwell: the spool still holds ${unread} ${unread === 1 ? 'session' : 'sessions'} that could not be read or belongs to another key or process\n`,
    )
  return pending + dropped + unread === 0 ? 0 : 1
}
