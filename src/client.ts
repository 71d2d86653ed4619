import { type Api, createApi } from './api/api.js'
import { readClientOptions, type StepwellClientOptions } from './client-options.js'
import { Spool } from './outbox/spool/spool.js'
import { PromptCache } from './prompts/prompt-cache.js'
import { Tracer } from './tracing/tracer.js'
import type { Call, QueryParameters, TypedDocument } from './transport/graphql.js'
import { createTransport } from './transport/transport.js'
import { reporter } from './values/reporter.js'

/**
 * A client of one project of a Stepwell service: records what an application does, and reads and changes what is stored.
 *
 * @example
 * const stepwell = new StepwellClient({ apiKey: 'lsk_…', apiUrl: 'http://localhost:3000' })
 * await stepwell.trace('agent', async () => { … })
 * await stepwell.api.getSteps({ first: 20 })
 */
export class StepwellClient extends Tracer {
  /** Every operation of the service, in camelCase and in snake_case. */
  readonly api: Api
  readonly #call: Call

  /** Records nothing, and says so once, when there is no API key. @throws StepwellError when an option can't be. */
  constructor(options: StepwellClientOptions = {}) {
    const { connection, settings } = readClientOptions(options)
    super(options, connection, (spoolOptions) => new Spool(spoolOptions))
    const transport = createTransport({
      ...connection,
      ...settings,
      // Looked up at each call, so that tools that replace it later are seen.
      fetch: connection.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      ambient: () => this.ambient,
      copies: new PromptCache(settings.copies, reporter(options.onReport)),
    })
    this.api = createApi(transport)
    this.#call = transport.call
  }

  /**
   * Runs a document of your own: a typed one, as `stepwell codegen` makes them, or a text. Gives its data; throws a
   * StepwellError when the answer has errors.
   *
   * @example
   * const { step } = await stepwell.query(RunDocument, { id })
   */
  query<Data, Variables extends object>(
    document: TypedDocument<Data, Variables> | string,
    ...[variables, options]: QueryParameters<Variables>
  ): Promise<Data> {
    return this.#call(document, (variables ?? {}) as Variables, options)
  }
}
