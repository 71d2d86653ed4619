import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConnection } from '../../settings.js'
import { readUsage, secondsOf, UsageError } from '../usage.js'
import { writeOut } from '../write-out.js'
import { Checkpoint } from './checkpoint.js'
import { langfuseApi } from './langfuse/api.js'
import { langfuseFiles } from './langfuse/files.js'
import { literalai } from './literalai/source.js'
import { pacedFetch } from './pacing.js'
import { phoenixApi } from './phoenix/api.js'
import { phoenixFiles } from './phoenix/files.js'
import { Report } from './report.js'
import type { Source } from './source.js'
import { Target } from './target.js'
import { type WebSource, webSource } from './web-source.js'

const HELP = `Usage: stepwell import --from literalai|langfuse|phoenix SOURCE [options]

Copies the data of another product into the project of STEPWELL_API_KEY, which needs the scope write. SOURCE is the URL of
the product, or a file or folder of its export: JSON, JSONL or CSV, also with .gz. The keys of the product come from the
environment:

  literalai   LITERAL_API_KEY. A URL only: anything that answers the reads of Literal AI's clients
  langfuse    LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY
  phoenix     PHOENIX_API_KEY, when it needs one

  --prompts NAMES     literalai: the prompts to copy, with commas between them, as no read lists them
  --projects NAMES    phoenix: the projects to copy. Default: all
  --report FILE       write the report as JSON
  --resume FILE       keep the progress in a file; the same command goes on where it was ended
  --patience SECONDS  how long to repeat a request that is not answered. Default: 300
  --quiet             no lines about the progress

Ids follow from those of the source: an import that is repeated makes nothing twice. The report says of each kind of record how
many were kept, what was changed, and what was dropped and why; it has no contents.

stepwell import FILE without --from stores an archive of stepwell export.

Exit codes: 0 everything was kept, 1 some records were dropped, 2 the command is invalid, or a side could not be reached.
`
const PRODUCTS = ['literalai', 'langfuse', 'phoenix'] as const
const DEFAULT_PATIENCE = '300'
const LINE_MS = 2000

/** Imports from another product. Returns the exit code. */
export const importFrom = async (args: readonly string[]): Promise<number> => {
  const names = ['from', 'report', 'resume', 'prompts', 'projects', 'patience'] as const
  const usage = readUsage(args, HELP, names, ['quiet'])
  if (usage === undefined) return 0
  const { command: given, values, has } = usage
  const product = PRODUCTS.find((one) => one === values.from)
  if (product === undefined)
    throw new UsageError(
      `--from: expected ${PRODUCTS.join(', ')}, got ${JSON.stringify(values.from ?? '')}`,
    )
  if (given === '') throw new UsageError('expected a source: a URL, a file or a folder')
  const patienceMs = secondsOf('patience', values.patience ?? DEFAULT_PATIENCE) * 1000
  const say = (line: string) => {
    if (!has('quiet')) process.stderr.write(`${line}\n`)
  }
  const pacing = { patienceMs, onWait: say }
  const isUrl = /^https?:\/\//i.test(given)
  if (isUrl) demandPlainUrl(given)
  else if (!existsSync(given))
    throw new UsageError(
      `expected a URL, a file or a folder, got ${JSON.stringify(given)}: there is none`,
    )
  const web = isUrl ? webOf(product, given, pacedFetch(pacing)) : undefined
  const source = sourceOf(product, given, web, {
    prompts: listed(values.prompts),
    projects: listed(values.projects),
  })
  const place = isUrl ? given : resolve(given)
  const checkpoint = new Checkpoint(
    values.resume,
    JSON.stringify([product, place, readConnection({}).apiUrl]),
  )
  const report = new Report(checkpoint.report)
  const target = new Target(report, pacing)
  await runStages(source, target, report, checkpoint, say)
  if (values.report !== undefined)
    writeOut(values.report, `${JSON.stringify({ from: product, ...report.toJSON() }, null, 2)}\n`)
  process.stdout.write(report.toText())
  return report.hasDropped ? 1 : 0
}

const runStages = async (
  source: Source,
  target: Target,
  report: Report,
  checkpoint: Checkpoint,
  say: (line: string) => void,
): Promise<void> => {
  const done: string[] = []
  let last = Date.now()
  for (const stage of await source({ target, report })) {
    const wasDone = checkpoint.isDone(stage.name)
    report.isMuted = wasDone
    if (!wasDone || stage.isAlways) {
      for await (const place of stage.run(checkpoint.placeIn(stage.name))) {
        if (!stage.isAlways) checkpoint.save(done, stage.name, place, report.toJSON())
        if (Date.now() - last < LINE_MS) continue
        last = Date.now()
        const { read = 0 } = report.toJSON().kinds[stage.name] ?? {}
        say(`${stage.name}: ${read.toLocaleString('en')} read`)
      }
    }
    report.isMuted = false
    done.push(stage.name)
    // A stage of an earlier run must not take the place of the one that was ended.
    if (!wasDone) checkpoint.save(done, undefined, undefined, report.toJSON())
  }
}

const sourceOf = (
  product: (typeof PRODUCTS)[number],
  given: string,
  web: WebSource | undefined,
  options: { prompts: readonly string[]; projects: readonly string[] },
): Source => {
  if (product === 'literalai') {
    if (web === undefined)
      throw new UsageError('literalai: expected a URL that begins with http:// or https://')
    return literalai(web, options.prompts)
  }
  if (product === 'langfuse') return web === undefined ? langfuseFiles(given) : langfuseApi(web)
  return web === undefined ? phoenixFiles(given) : phoenixApi(web, options.projects)
}

const webOf = (
  product: (typeof PRODUCTS)[number],
  url: string,
  fetch: (url: string, init?: RequestInit) => Promise<Response>,
): WebSource => {
  if (product === 'literalai') {
    const headers = { 'x-api-key': keyOf('LITERAL_API_KEY') }
    return webSource({ url, headers, keys: 'LITERAL_API_KEY', fetch })
  }
  if (product === 'langfuse') {
    const pair = `${keyOf('LANGFUSE_PUBLIC_KEY')}:${keyOf('LANGFUSE_SECRET_KEY')}`
    const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
    return webSource({ url, headers, keys: 'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY', fetch })
  }
  const { PHOENIX_API_KEY: key } = process.env
  const headers: Record<string, string> = key
    ? { authorization: `Bearer ${keyOf('PHOENIX_API_KEY')}` }
    : {}
  return webSource({ url, headers, keys: 'PHOENIX_API_KEY', fetch })
}

/** Returns a key of the environment. The error does not repeat it. */
const keyOf = (name: string): string => {
  const key = process.env[name]?.trim()
  if (!key) throw new UsageError(`${name}: expected the key of the product in the environment`)
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError(`${name}: expected printable characters without spaces`)
  return key
}

/** Refuses a URL that may have a secret in it, without repeating it. */
const demandPlainUrl = (given: string): void => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || `${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw new UsageError(
      'expected a URL without user, query or fragment; keys come from the environment',
    )
}

const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
