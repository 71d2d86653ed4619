import { print } from 'graphql'
import { readClientOptions, type StepwellClientOptions } from '../client-options.js'
import { invalidArgument } from '../errors.js'
import {
  camelExportParams,
  type ExportedList,
  type ExportParams,
  type SnakeExportParams,
} from '../exports.js'
import type { Stats } from '../outbox/account.js'
import type { FlushOptions } from '../outbox/limits.js'
import { Spool } from '../outbox/spool/spool.js'
import type { PromptFields } from '../prompts/fields.js'
import { toSnakePrompt, withMethods } from '../prompts/prompt.js'
import { type Snake, toCamel } from '../spelling.js'
import type { StepData } from '../tracing/step-data.js'
import { Tracer } from '../tracing/tracer.js'
import type { QueryParameters, TypedDocument } from '../transport/graphql.js'
import { reporter } from '../values/reporter.js'
import { createSyncApi, type SyncApi, walk } from './api.js'
import { reviveError } from './error-copy.js'
import type { Reply, Setup, Task } from './messages.js'
import { serialize } from './parameters.js'
import { askThread } from './thread.js'

/** Methods that return promises there block here. */
const Recording = Tracer as unknown as new (
  ...parameters: ConstructorParameters<typeof Tracer>
) => Omit<Tracer, 'flush' | 'close'>

/**
 * The client without promises, for scripts, REPLs and migrations: each call of `api` blocks until its result is there. A
 * thread does the work, so nothing else of the process runs meanwhile, a service in the same process least of all. Node
 * only.
 *
 * @example
 * import { StepwellClient } from 'stepwell/sync'
 * // The key and the address are those of STEPWELL_API_KEY and STEPWELL_API_URL, unless options name others.
 * const stepwell = new StepwellClient()
 * for (const step of stepwell.api.getSteps.all()) console.log(step.name)
 */
export class StepwellClient extends Recording {
  /** Every operation of the service, in camelCase and in snake_case. */
  readonly api: SyncApi
  readonly #id = crypto.randomUUID()
  readonly #report: (message: string) => void
  readonly #setup: Setup
  /** True once the thread knows how to make this client's calls. */
  #isKnown = false

  /**
   * Makes a client. Without an API key, it records nothing, and reports so once.
   *
   * @throws `INVALID_ARGUMENT` when an option is invalid.
   */
  constructor(options: StepwellClientOptions = {}) {
    if (options.fetch !== undefined)
      throw invalidArgument('fetch: expected none, as a function cannot be handed to a thread')
    const { connection, settings } = readClientOptions(options)
    super(options, connection, (spoolOptions) => new Spool(spoolOptions))
    const { fetch, ...rest } = connection
    this.#setup = { connection: rest, ...settings }
    this.#report = reporter(options.onReport)
    this.api = createSyncApi((task) => this.#ask(task))
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
   * const { step } = blocking.query<{ step: { name: string } | null }, { id: string }>(document, { id: stepId })
   */
  query<Data, Variables extends object>(
    document: TypedDocument<Data, Variables> | string,
    ...[variables, options]: QueryParameters<Variables>
  ): Data {
    // A syntax tree may keep the whole text that it was read from, token by token.
    const text = typeof document === 'string' ? document : print(document)
    const parameters = serialize([text, variables ?? {}, options])
    return this.#ask({ kind: 'query', parameters }) as Data
  }

  /**
   * Streams a list as CSV, JSONL or Parquet, of any size: each part of it is fetched when you ask for it. Leaving the loop ends the
   * export.
   *
   * @returns an iterator over the bytes; only the names of the columns, or nothing, when the list is empty.
   * @throws the codes of `exportList` of the asynchronous client, when a part is due.
   * @scope `read`
   * @example
   * for (const part of blocking.exportList('threads', { format: 'csv' })) process.stdout.write(part)
   */
  exportList<List extends ExportedList>(
    list: List,
    params?: ExportParams<List>,
  ): Generator<Uint8Array, void, undefined> {
    return walk<Uint8Array>((task) => this.#ask(task), 'exportList', [list, params])
  }

  /**
   * Streams a list; `exportList` in the other spelling.
   *
   * @returns an iterator over the bytes; only the names of the columns, or nothing, when the list is empty.
   * @throws the codes of `exportList`.
   * @scope `read`
   * @example
   * for (const part of blocking.export_list('datasetItems', { dataset_id: datasetId })) process.stdout.write(part)
   */
  export_list<List extends ExportedList>(
    list: List,
    params?: SnakeExportParams<List>,
  ): Generator<Uint8Array, void, undefined> {
    return this.exportList(list, camelExportParams(params))
  }

  /**
   * Delivers the recorded steps. Blocks until the service has them, or for `timeoutMs` (default: 30 s). Never throws.
   *
   * @returns the counts of all steps; `pending` counts those that the service does not have yet.
   * @scope `ingest` or `write`
   * @example
   * const { pending } = blocking.flush({ timeoutMs: 5000 })
   */
  flush(options: FlushOptions = {}): Stats {
    return this.deliverNow(false, options)
  }

  /**
   * Delivers the recorded steps and ends the session. Steps that are still open are recorded as they are, with an error.
   * Steps that are not delivered within `timeoutMs` (default: 30 s) are dropped, or stay in the spool. Never throws.
   *
   * @returns the counts of all steps.
   * @scope `ingest` or `write`
   * @example
   * const { dropped } = blocking.close()
   */
  close(options: FlushOptions = {}): Stats {
    const stats = this.deliverNow(true, options)
    // Without an earlier request, the thread has nothing to forget.
    if (this.#isKnown) this.#ask({ kind: 'forget' })
    this.#isKnown = false
    return stats
  }

  #ask(task: Task): unknown {
    const { step, threadId, experimentItemRunId, environment } = this.ambient
    const reply = askThread({
      client: this.#id,
      setup: this.#isKnown ? undefined : this.#setup,
      place: { stepId: step?.id, threadId, experimentItemRunId, environment },
      task,
    })
    this.#isKnown = true
    for (const message of reply.reports) this.#report(message)
    const attached = reply.attachments as NonNullable<StepData['attachments']>
    for (const attachment of attached) step?.attach(attachment)
    return resultOf(reply)
  }
}

const resultOf = (reply: Reply): unknown => {
  switch (reply.kind) {
    case 'error':
      throw reviveError(reply.error)
    case 'prompt':
      return withMethods(reply.value as PromptFields)
    case 'snakePrompt':
      return toSnakePrompt(
        withMethods(toCamel<PromptFields>(reply.value as Snake<PromptFields>, 'PromptVersion')),
      )
    case 'value':
      return reply.value
  }
}
