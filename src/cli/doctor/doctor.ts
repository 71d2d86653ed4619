import { readOptions } from '../options.js'
import { applicationChecks } from './application/checks.js'
import { nodeVersion } from './application/node-version.js'
import type { Check } from './check.js'
import { lineOf, secretsOf, summaryOf, withoutSecrets } from './report.js'
import { type Found, runChecks } from './run-checks.js'

const HELP = `Usage: stepwell doctor [--read-only] [--spool FOLDER] [--json]
       stepwell doctor --service [options of stepwell serve] [--read-only] [--json]

Names what is broken, and how to mend it: a line for each check, within a minute. Exit codes: 0 nothing is broken,
1 something is, 2 an invalid command.

Where an application runs, it checks what STEPWELL_API_URL and STEPWELL_API_KEY lead to. It records a thread with the tag
stepwell-doctor in the environment dev, reads it back and deletes it. On the machine of the service, --service checks the
configuration of the next start, the data folder, the database, the bucket, and the service that runs.

  --service       check the service instead, with the options that it is started with
  --read-only     write nothing: no thread, no file, no object
  --spool FOLDER  the folder that clients have as their option spool
  --json          one object with all findings instead of lines
`
const NODE: Check = { name: 'node', run: async () => nodeVersion(process.versions.node) }
/** Time that a request which nobody waits for any more may keep the process. */
const LINGER_MS = 1000
const FLAGS = ['--service', '--read-only', '--json'] as const

/** Runs `stepwell doctor`. `serviceChecks` reads those of the service, from a package that an application does not install. */
export const doctor = async (
  args: readonly string[],
  onServer: (work: (checks: ServiceChecks) => Promise<number>) => Promise<number>,
): Promise<number> => {
  const has = (flag: (typeof FLAGS)[number]) => args.includes(flag)
  const others = args.filter((arg) => !(FLAGS as readonly string[]).includes(arg))
  if (others.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(HELP)
    return 0
  }
  const isReadOnly = has('--read-only')
  const conclude = (checks: readonly Check[]) =>
    tell(checks, { isJson: has('--json'), secrets: secretsOf(process.env, args) })
  if (has('--service'))
    return onServer(async (checks) =>
      conclude([NODE, ...(await checks(others, process.env, isReadOnly))]),
    )
  const { values } = readOptions({ args: others, options: { spool: { type: 'string' } } })
  return conclude(applicationChecks({ spool: values.spool, isReadOnly }, process.env))
}

/** Returns the checks of a service that would be started with these arguments. */
export type ServiceChecks = (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  isReadOnly: boolean,
) => Promise<readonly Check[]>

const tell = async (
  checks: readonly Check[],
  { isJson, secrets }: { isJson: boolean; secrets: readonly string[] },
): Promise<number> => {
  const all: Found[] = []
  let isLate = false
  const late = () => {
    isLate = true
  }
  for await (const found of runChecks(checks, late)) {
    const shown = withoutSecrets(found, secrets)
    all.push(shown)
    if (!isJson) process.stdout.write(`${lineOf(shown)}\n`)
  }
  const isBroken = all.some(({ state }) => state === 'broken')
  process.stdout.write(
    isJson ? `${JSON.stringify({ isBroken, findings: all }, null, 2)}\n` : `${summaryOf(all)}\n`,
  )
  if (isLate) setTimeout(() => process.exit(), LINGER_MS).unref()
  return isBroken ? 1 : 0
}
