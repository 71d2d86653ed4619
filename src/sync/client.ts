import { print } from 'graphql'
import { readClientOptions, type StepwellClientOptions } from '../client-options.js'
import { invalidArgument } from '../errors.js'
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
import { createSyncApi, type SyncApi } from './api.js'
import { reviveError } from './error-copy.js'
import type { Reply, Setup, Task } from './messages.js'
import { serialize } from './parameters.js'
import { askThread } from './thread.js'

/** What blocks here would give promises there. */
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
 * const stepwell = new StepwellClient({ apiKey: 'lsk_…' })
 * for (const step of stepwell.api.getSteps.all()) console.log(step.name)
 */
export class StepwellClient extends Recording {
  /** Every operation of the service, in camelCase and in snake_case. */
  readonly api: SyncApi
  readonly #id = crypto.randomUUID()
  readonly #report: (message: string) => void
  readonly #setup: Setup
  /** Whether the thread knows how to make this client's calls. */
  #isKnown = false

  /** Records nothing, and says so once, when there is no API key. @throws StepwellError when an option can't be. */
  constructor(options: StepwellClientOptions = {}) {
    if (options.fetch !== undefined)
      throw invalidArgument('fetch: expected none, as a function can not be handed to a thread')
    const { connection, settings } = readClientOptions(options)
    super(options, connection, (spoolOptions) => new Spool(spoolOptions))
    const { fetch, ...rest } = connection
    this.#setup = { connection: rest, ...settings }
    this.#report = reporter(options.onReport)
    this.api = createSyncApi((task) => this.#ask(task))
  }

  /** Runs a document of your own, typed or a text. Gives its data. */
  query<Data, Variables extends object>(
    document: TypedDocument<Data, Variables> | string,
    ...[variables, options]: QueryParameters<Variables>
  ): Data {
    // A syntax tree may drag along the whole text that it was read from, token by token.
    const text = typeof document === 'string' ? document : print(document)
    const parameters = serialize([text, variables ?? {}, options])
    return this.#ask({ kind: 'query', parameters }) as Data
  }

  /** Delivers what was recorded, for 30 s at most when `timeoutMs` is absent. Gives what became of all steps. */
  flush(options: FlushOptions = {}): Stats {
    return this.deliverNow(false, options)
  }

  /** Delivers what was recorded and ends the session; what could not be delivered is dropped, or stays in the spool. */
  close(options: FlushOptions = {}): Stats {
    const stats = this.deliverNow(true, options)
    // Where nothing was asked, there is no thread that would have to forget.
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
