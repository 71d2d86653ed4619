import type { StepsFilter } from '../../lists/filters.js'
import { endpointOf, headersOf } from '../../otlp/settings.js'
import { readOptions } from '../options.js'
import { secondsOf, UsageError } from '../usage.js'

const HELP = `Usage: stepwell export --to-otlp URL [options]

Sends the steps of the project of STEPWELL_API_KEY, which needs the scope read, to any backend of OpenTelemetry: as spans by the
conventions for generative AI, over OTLP/HTTP in protobuf with gzip. URL is the backend's address for traces; one without a
path gets /v1/traces.

  --header 'NAME: VALUE'  a header of each request, such as a key; may come several times. Default: OTEL_EXPORTER_OTLP_HEADERS
  --query TEXT            only steps that pass: "type=llm time>2026-11-21"
  --filters JSON          conditions that must all hold: [{"field":"name","operator":"eq","value":"agent"}]
  --resource NAME=VALUE   an attribute of the resource, such as service.name=shop; may come several times
  --no-content            leave out inputs, outputs, messages, metadata and the texts of errors
  --resume FILE           keep the progress in a file; the same command goes on where it was ended, or with what came since
  --settle SECONDS        with --resume: read steps again that were younger when they were read, as others may still come
                          before them. Default: 60
  --report FILE           write the report as JSON
  --patience SECONDS      how long to repeat a request that is not answered. Default: 300
  --quiet                 no lines about the progress

Steps come in the order of their arrival. Ids of spans follow from those of steps: a span that is sent again is the same span. A
Stepwell service stores equal steps. The report says how many spans the backend took, and what was changed or dropped and why.

stepwell export without --to-otlp writes an archive; stepwell export LIST writes rows.

Exit codes: 0 everything was taken, 1 some spans were dropped, 2 the command is invalid, or a side could not be reached.
`

export interface ExportSettings {
  url: string
  headers: Record<string, string>
  query: string | undefined
  filters: StepsFilter[] | undefined
  resource: Record<string, string>
  hasContent: boolean
  resume: string | undefined
  settleMs: number
  report: string | undefined
  patienceMs: number
  isQuiet: boolean
}

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const

/** Reads the options. When help was asked for, prints it and returns undefined. */
export const readExportSettings = (args: readonly string[]): ExportSettings | undefined => {
  // Also as the word after `--to-otlp`, which would be its address.
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(HELP)
    return undefined
  }
  const { values, positionals } = readOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      'to-otlp': text,
      header: texts,
      query: text,
      filters: text,
      resource: texts,
      'no-content': flag,
      resume: text,
      settle: text,
      report: text,
      patience: text,
      quiet: flag,
    },
  })
  if (positionals.length > 0)
    throw new UsageError(`expected options only, got ${JSON.stringify(positionals[0])}`)
  const { header, query, filters, resource = [], resume, report } = values
  return {
    url: addressOf(values['to-otlp'] ?? ''),
    headers: headersOf({
      headers:
        header &&
        Object.fromEntries(header.map((one) => pairOf('header', one, /[:=]/, 'NAME: VALUE'))),
    }),
    query,
    filters: filters === undefined ? undefined : conditionsOf(filters),
    resource: {
      'service.name': process.env.OTEL_SERVICE_NAME?.trim() || 'stepwell',
      ...Object.fromEntries(resource.map((one) => pairOf('resource', one, /=/, 'NAME=VALUE'))),
    },
    hasContent: values['no-content'] !== true,
    resume,
    settleMs: secondsOf('settle', values.settle ?? '60') * 1000,
    report,
    patienceMs: secondsOf('patience', values.patience ?? '300') * 1000,
    isQuiet: values.quiet === true,
  }
}

const addressOf = (given: string): string => {
  if (given === '')
    throw new UsageError('--to-otlp: expected the address of a backend, got nothing')
  const address = endpointOf({ url: given })
  const url = new URL(address)
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url.href
}

/** No message repeats the value, which may be a secret. */
const pairOf = (
  option: string,
  given: string,
  separator: RegExp,
  form: string,
): [string, string] => {
  const at = given.search(separator)
  if (at < 1) throw new UsageError(`--${option}: expected ${form}`)
  return [given.slice(0, at).trim(), given.slice(at + 1).trim()]
}

const conditionsOf = (given: string): StepsFilter[] => {
  try {
    const list = JSON.parse(given)
    if (Array.isArray(list)) return list
  } catch {
    // Said below.
  }
  throw new UsageError(`--filters: expected a list as JSON, got ${JSON.stringify(given)}`)
}
