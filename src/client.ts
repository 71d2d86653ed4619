import { type Api, createApi } from './api/api.js'
import { readClientOptions, type StepwellClientOptions } from './client-options.js'
import {
  camelExportParams,
  type ExportedList,
  type ExportParams,
  exportList,
  type SnakeExportParams,
} from './exports.js'
import { Spool } from './outbox/spool/spool.js'
import { PromptCache } from './prompts/prompt-cache.js'
import type { Fetch } from './settings.js'
import type { CreateDelivery } from './tracing/recording/sink.js'
import { Tracer } from './tracing/tracer.js'
import type { Call, QueryParameters, TypedDocument } from './transport/graphql.js'
import { createStream, type Stream } from './transport/stream.js'
import { createTransport } from './transport/transport.js'
import { reporter } from './values/reporter.js'

/**
 * A client of one project of a Stepwell service: records the work of an application, and reads and changes stored data.
 *
 * @example
 * import { StepwellClient } from 'stepwell'
 * // The key and the address are those of STEPWELL_API_KEY and STEPWELL_API_URL, unless options name others.
 * const stepwell = new StepwellClient({ environment: 'staging' })
 * const answer = await stepwell.trace('agent', () => agent(question))
 * await stepwell.close()
 */
export class StepwellClient extends Tracer {
  /** Every operation of the service, in camelCase and in snake_case. */
  readonly api: Api
  /** The address of the service, without a slash at the end. */
  readonly apiUrl: string
  readonly #call: Call
  readonly #stream: Stream

  /**
   * Makes a client. Without an API key, it records nothing, and reports so once.
   *
   * @throws `INVALID_ARGUMENT` when an option is invalid.
   */
  constructor(options?: StepwellClientOptions)
  /** @internal Takes the delivery that a test replaces. */
  constructor(options: StepwellClientOptions | undefined, createDelivery: CreateDelivery)
  constructor(options: StepwellClientOptions = {}, createDelivery?: CreateDelivery) {
    const { connection, settings } = readClientOptions(options)
    super(options, connection, (spoolOptions) => new Spool(spoolOptions), undefined, createDelivery)
    // Looked up at each call, so that tools that replace it later are seen.
    const fetch: Fetch = connection.fetch ?? ((input, init) => globalThis.fetch(input, init))
    const transport = createTransport({
      ...connection,
      ...settings,
      fetch,
      ambient: () => this.ambient,
      copies: new PromptCache(settings.copies, reporter(options.onReport)),
    })
    this.api = createApi(transport)
    this.apiUrl = connection.apiUrl
    this.#call = transport.call
    this.#stream = createStream({ ...connection, ...settings, fetch })
  }

  /**
   * Runs a document of your own: a typed one, as `stepwell codegen` makes them, or a text.
   *
   * @returns the data of the answer.
   * @throws `BAD_REQUEST` when the document does not fit the schema, `INVALID_ARGUMENT` when it is no GraphQL, and the
   *   code of the answer's first error.
   * @scope that of the document
   * @example
   * const document = 'query Name($id: String!) { step(id: $id) { name } }'
   * const { step } = await stepwell.query<{ step: { name: string } | null }, { id: string }>(document, { id: stepId })
   */
  query<Data, Variables extends object>(
    document: TypedDocument<Data, Variables> | string,
    ...[variables, options]: QueryParameters<Variables>
  ): Promise<Data> {
    return this.#call(document, (variables ?? {}) as Variables, options)
  }

  /**
   * Streams a list as CSV, JSONL or Parquet, of any size, no faster than you read. Leaving the loop ends the export; `writeFile` of
   * `node:fs/promises` takes it as it is, `ReadableStream.from` makes it a stream of the web.
   *
   * @returns the bytes, part by part; only the names of the columns, or nothing, when the list is empty.
   * @throws `INVALID_ARGUMENT` or `BAD_REQUEST` when a parameter is invalid, `NOT_FOUND` when there is no such list, dataset or
   *   experiment, `TOO_LARGE` when a search passes a million rows without a match, `UNAVAILABLE` when the key has four exports
   *   under way, and `NETWORK` when the answer is no export, or when it broke off: what came is not the whole list.
   * @scope `read`
   * @example
   * const slowest = { column: 'duration', direction: 'DESC' } as const
   * for await (const part of stepwell.exportList('threads', { format: 'csv', orderBy: slowest })) process.stdout.write(part)
   */
  exportList<List extends ExportedList>(
    list: List,
    params?: ExportParams<List>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    return exportList(this.#stream, list, params)
  }

  /**
   * Streams a list; `exportList` in the other spelling.
   *
   * @returns the bytes, part by part; only the names of the columns, or nothing, when the list is empty.
   * @throws the codes of `exportList`.
   * @scope `read`
   * @example
   * for await (const part of stepwell.export_list('datasetItems', { dataset_id: datasetId })) process.stdout.write(part)
   */
  export_list<List extends ExportedList>(
    list: List,
    params?: SnakeExportParams<List>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    return exportList(this.#stream, list, camelExportParams(params))
  }
}
