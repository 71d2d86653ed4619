import { invalidArgument, kindOf } from '../errors.js'
import type { Json } from '../model-calls/json.js'
import { mustBeObject } from '../settings.js'

export interface OtlpOptions {
  /**
   * The address that takes traces. Default: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT with
   * `/v1/traces`, or `http://localhost:4318/v1/traces`.
   */
  url?: string | undefined
  /** Headers of each request, such as a key. Default: OTEL_EXPORTER_OTLP_TRACES_HEADERS, or OTEL_EXPORTER_OTLP_HEADERS. */
  headers?: Readonly<Record<string, string>> | undefined
  /** The name of the application, `service.name`. Default: OTEL_SERVICE_NAME, or `unknown_service`. */
  serviceName?: string | undefined
  /** Further attributes of the resource: where the application runs. */
  resource?: Readonly<Record<string, string | number | boolean>> | undefined
  /** Whether inputs, outputs, messages, errors' texts and metadata are sent. Default: true. */
  content?: boolean | undefined
  /** The name in `stats().exports` and in messages. Default: the host of the address. */
  name?: string | undefined
}

const LOCAL = 'http://localhost:4318/v1/traces'

const environment = (name: string): string | undefined =>
  globalThis.process?.env?.[name]?.trim() || undefined

/** Checks the options that have no reader of their own; throws with the name of the first that is invalid. */
export const checkOptions = (options: OtlpOptions): void => {
  mustBeObject('options', options)
  const { content, resource } = options
  if (content !== undefined && typeof content !== 'boolean')
    throw invalidArgument(`content: expected true or false, got ${kindOf(content)}`)
  if (resource !== undefined) mustBeObject('resource', resource)
  for (const option of ['url', 'serviceName', 'name'] as const)
    if (options[option] !== undefined && typeof options[option] !== 'string')
      throw invalidArgument(`${option}: expected a text, got ${kindOf(options[option])}`)
}

/** @throws StepwellError when it is no address. */
export const endpointOf = ({ url }: OtlpOptions): string => {
  const base = environment('OTEL_EXPORTER_OTLP_ENDPOINT')
  const said =
    url ??
    environment('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    (base === undefined ? LOCAL : `${base.replace(/\/+$/, '')}/v1/traces`)
  const { protocol = '', username = '', password = '' } = URL.canParse(said) ? new URL(said) : {}
  // Requests with either are refused by fetch. No message repeats them.
  if (`${username}${password}` !== '')
    throw invalidArgument('url: expected an address without user and password; use headers')
  if (!/^https?:$/.test(protocol))
    throw invalidArgument(`url: expected the http address of a collector, got ${said}`)
  return said
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** Tabs, and the characters of Latin-1 that can be printed: others cannot be sent. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** @throws StepwellError when a header is no text, or one that cannot be sent. No message repeats its value. */
export const headersOf = ({ headers }: OtlpOptions): Record<string, string> => {
  if (headers !== undefined) {
    mustBeObject('headers', headers)
    // Its members are no headers: none would be sent.
    if (Symbol.iterator in headers)
      throw invalidArgument(
        'headers: expected a plain object; Object.fromEntries(headers) makes one',
      )
  }
  const said =
    headers ??
    fromList(
      environment('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? environment('OTEL_EXPORTER_OTLP_HEADERS'),
    )
  for (const [name, value] of Object.entries(said)) {
    if (!HEADER_NAME.test(name))
      throw invalidArgument(`headers: expected names of headers, got ${JSON.stringify(name)}`)
    if (typeof value !== 'string')
      throw invalidArgument(`headers.${name}: expected a text, got ${kindOf(value)}`)
    if (!HEADER_VALUE.test(value))
      throw invalidArgument(
        `headers.${name}: expected characters of Latin-1 without line breaks, as headers have`,
      )
  }
  return { ...said }
}

/** Reads `name=value,name=value`, with values as in URLs, as OpenTelemetry's variables have them. */
const fromList = (list = ''): Record<string, string> =>
  Object.fromEntries(
    list.split(',').flatMap((entry) => {
      const at = entry.indexOf('=')
      if (at < 1) return []
      return [[entry.slice(0, at).trim(), decoded(entry.slice(at + 1).trim())]]
    }),
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const resourceOf = (
  { serviceName, resource }: OtlpOptions,
  release: string | undefined,
): Json => ({
  'service.name': serviceName ?? environment('OTEL_SERVICE_NAME') ?? 'unknown_service',
  'service.version': release,
  ...resource,
})
