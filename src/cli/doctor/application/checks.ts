import { StepwellClient } from '../../../client.js'
import { StepwellError } from '../../../errors.js'
import { type Connection, readConnection } from '../../../settings.js'
import { broken, type Check, type Finding, ok, skipped } from '../check.js'
import { askProject, type Reply } from './ask.js'
import { atExit } from './at-exit.js'
import { Canary, postTraces, saidOf } from './canary.js'
import { clockAgrees, type KeyFacts, keyMissing, keyOpens, keyScopes, versionFits } from './key.js'
import { nodeVersion } from './node-version.js'
import { serviceAnswers, serviceReady } from './service.js'
import { spoolWorks } from './spool.js'
import { variables } from './variables.js'

export interface ApplicationOptions {
  /** The folder of a spool; undefined when clients have none. */
  spool: string | undefined
  isReadOnly: boolean
}

/** Time for several attempts, as the canary must not stay. */
const REMOVE_LIMIT_MS = 30_000
const EXIT_LIMIT_MS = 18_000
const READ_TIMEOUT_MS = 8000

/** Returns the checks of what an application depends on, in the order in which they need each other. */
export const applicationChecks = (
  { spool, isReadOnly }: ApplicationOptions,
  environment: NodeJS.ProcessEnv,
): readonly Check[] => {
  const found = new Place()
  const keyVariable = environment.STEPWELL_API_KEY ? 'STEPWELL_API_KEY' : 'LITERAL_API_KEY'
  const checks: Check[] = [
    { name: 'node', run: async () => nodeVersion(process.versions.node) },
    { name: 'variables', run: async () => variables(environment) },
    { name: 'address', run: async () => found.readSettings(environment) },
    { name: 'service', needs: ['address'], run: () => serviceAnswers(found.connection) },
    {
      name: 'ready',
      needs: ['service'],
      run: () => serviceReady(found.connection.apiUrl, ['database', 'migrations']),
    },
    {
      name: 'files',
      needs: ['service'],
      run: () => serviceReady(found.connection.apiUrl, ['files']),
    },
    { name: 'key', needs: ['service'], run: () => found.openKey(keyVariable) },
    { name: 'clock', needs: ['key'], run: async () => clockAgrees(found.reply) },
    { name: 'version', needs: ['key'], run: async () => versionFits(found.facts) },
    { name: 'scopes', needs: ['key'], run: async () => found.readScopes(isReadOnly) },
    ...canaryChecks(found, isReadOnly),
    { name: 'prompts', needs: ['key'], run: () => found.readPrompts() },
    { name: 'exit', limitMs: EXIT_LIMIT_MS, run: () => atExit() },
  ]
  return spool === undefined
    ? checks
    : [...checks, { name: 'spool', run: () => spoolWorks(spool, isReadOnly) }]
}

const canaryChecks = (found: Place, isReadOnly: boolean): Check[] => {
  const reason = () =>
    isReadOnly
      ? 'as --read-only stores nothing'
      : 'as this key could not delete it; one with the scopes write and read can'
  const only = (isEnough: () => boolean, run: (canary: Canary) => Promise<Finding>) => async () =>
    isReadOnly || !isEnough() ? skipped(`skipped, ${reason()}`) : run(found.canary)
  const mayWrite = () => found.may('write')
  const mayReadToo = () => found.may('write') && found.may('read')
  return [
    {
      name: 'upload',
      needs: ['scopes', 'ready', 'files'],
      run: only(mayWrite, (canary) => canary.upload()),
    },
    {
      name: 'record',
      needs: ['scopes', 'ready'],
      run: () => (isReadOnly || !mayWrite() ? found.recordNothing() : found.canary.record()),
    },
    { name: 'read back', needs: ['record'], run: only(mayReadToo, (canary) => canary.readBack()) },
    {
      name: 'download',
      needs: ['upload', 'read back'],
      run: only(mayReadToo, (canary) => canary.download()),
    },
    {
      name: 'otlp',
      needs: ['scopes', 'ready'],
      run: () =>
        isReadOnly || !mayWrite() ? found.sendNoSpan() : found.canary.span(found.may('read')),
    },
    {
      name: 'deleted',
      limitMs: REMOVE_LIMIT_MS,
      isLast: true,
      run: async () => found.removeCanary(),
    },
  ]
}

/** Facts that the checks find out for each other. */
class Place {
  #connection: Connection | undefined
  #reply: Reply | undefined
  #facts: KeyFacts | undefined
  #missing: readonly string[] = []
  #canary: Canary | undefined

  readSettings(environment: NodeJS.ProcessEnv): Finding {
    const name = ['STEPWELL_API_URL', 'LITERAL_API_URL'].find((one) => environment[one])
    try {
      this.#connection = readConnection({})
      const { apiUrl } = this.#connection
      return name === undefined
        ? ok(`${apiUrl}, the default, as STEPWELL_API_URL is not set`)
        : ok(`${apiUrl}, from ${name}`)
    } catch (error) {
      if (!StepwellError.is(error)) throw error
      return broken(
        error.message,
        error.message.startsWith('apiKey')
          ? 'set STEPWELL_API_KEY to the key alone, without quotes, spaces or line breaks'
          : 'set STEPWELL_API_URL to an address such as http://127.0.0.1:3000',
      )
    }
  }

  get connection(): Connection {
    return demanded(this.#connection)
  }

  get reply(): Reply {
    return demanded(this.#reply)
  }

  get facts(): KeyFacts {
    return demanded(this.#facts)
  }

  async openKey(variable: string): Promise<Finding> {
    if (this.connection.apiKey === undefined) return keyMissing()
    this.#reply = await askProject(this.connection)
    const { finding, facts } = keyOpens(this.#reply, variable)
    this.#facts = facts
    return finding
  }

  readScopes(isReadOnly: boolean): Finding {
    const { finding, missing } = keyScopes(this.facts, isReadOnly)
    this.#missing = missing
    return finding
  }

  may(scope: 'read' | 'write'): boolean {
    return !this.#missing.includes(scope)
  }

  /** The canary, which is deleted when the command is interrupted, too. */
  get canary(): Canary {
    if (this.#canary !== undefined) return this.#canary
    const canary = new Canary(this.connection)
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => void canary.remove().finally(() => process.exit(130)))
    this.#canary = canary
    return canary
  }

  async removeCanary(): Promise<Finding | readonly Finding[]> {
    return (await this.#canary?.remove()) ?? []
  }

  /** Sends a batch without a step, which the service takes as it would take others. */
  async recordNothing(): Promise<Finding> {
    try {
      await this.#client.query('mutation { ingestSteps(steps: []) { ok } }', {})
      return ok('a batch without steps was taken')
    } catch (error) {
      if ((error as { code?: unknown }).code === 'FORBIDDEN')
        return skipped('skipped, as this key may only read')
      return broken(
        `a batch without steps was not taken: ${saidOf(error)}`,
        'have the proxy let POST requests to /api/graphql through',
      )
    }
  }

  async sendNoSpan(): Promise<Finding> {
    if (this.facts.scopes?.every((scope) => scope === 'read' || scope === 'metrics'))
      return skipped('skipped, as this key may only read')
    const reply = await postTraces(this.connection, [])
    return typeof reply === 'string' ? ok(`a request without spans was taken by ${reply}`) : reply
  }

  async readPrompts(): Promise<Finding> {
    if (!this.may('read')) return skipped('skipped, as this key may not read')
    try {
      const { length } = await this.#client.api.getPromptLineages()
      return ok(`prompts can be read; there ${length === 1 ? 'is 1' : `are ${length}`}`)
    } catch (error) {
      return broken(
        `prompts could not be read: ${saidOf(error)}`,
        'see the log of the service for the reason; clients fall back on the copies of stepwell prompts pull',
      )
    }
  }

  get #client(): StepwellClient {
    const { apiUrl, apiKey } = this.connection
    return new StepwellClient({
      apiUrl,
      apiKey,
      disabled: true,
      timeoutMs: READ_TIMEOUT_MS,
      onReport: () => undefined,
    })
  }
}

const demanded = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('a check ran before the one that it needs')
  return value
}
