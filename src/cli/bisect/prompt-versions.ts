import { GetPromptDocument } from '../../../generated/operations.js'
import type { StepwellClient } from '../../client.js'
import { persist } from '../../evaluate/service/persist.js'
import { type PinnedPrompt, startRelay } from '../replay/relay.js'
import { UsageError } from '../usage.js'
import type { Place, Versions } from './versions.js'

interface PromptOptions {
  name: string
  good: string
  bad: string
  stepwell: StepwellClient
  signal: AbortSignal
}

/**
 * Returns the versions of a prompt between a good and a bad one. The command runs where it is, and gets each by a relay in front of
 * the service: neither labels nor splits of the project change.
 */
export const promptVersions = async (options: PromptOptions): Promise<Versions> => {
  const { name, stepwell, signal } = options
  const [good, bad] = (['good', 'bad'] as const).map((end) =>
    numberOf(`--${end}`, options[end]),
  ) as [number, number]
  if (bad <= good)
    throw new UsageError(`--bad: expected a version above ${good}, that of --good, got ${bad}`)
  const pinned: PinnedPrompt[] = []
  for (let version = good; version <= bad; version++) {
    const { promptVersion } = await persist(
      stepwell.api,
      () => stepwell.query(GetPromptDocument, { name, version }),
      signal,
    )
    if (promptVersion !== null)
      pinned.push({ name, version, fields: promptVersion as unknown as Record<string, unknown> })
    else if (version === good || version === bad)
      throw new UsageError(
        `--${version === good ? 'good' : 'bad'}: there is no version ${version} of ${JSON.stringify(name)}`,
      )
  }
  const relays = new Map<number, ReturnType<typeof startRelay>>()
  const asked = new Map<number, () => boolean>()
  return {
    list: pinned.map(({ version }) => ({ id: `${name}@${version}`, title: `${name}@${version}` })),
    async open(index): Promise<Place> {
      const relay =
        relays.get(index) ??
        startRelay({ apiUrl: stepwell.apiUrl, recorded: [], pinned: pinned[index] })
      relays.set(index, relay)
      const started = await relay
      asked.set(index, () => started.isPromptAsked)
      return { folder: process.cwd(), env: { ...process.env, STEPWELL_API_URL: started.url } }
    },
    faultOf: (index) =>
      asked.get(index)?.() === false
        ? `the command did not ask for the prompt ${name}: it has to get it from the service, whose address is in STEPWELL_API_URL`
        : undefined,
    adviceOn: () => undefined,
    close() {
      for (const relay of relays.values()) relay.then((one) => one.stop()).catch(() => undefined)
    },
  }
}

const numberOf = (option: string, given: string): number => {
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new UsageError(
    `${option}: expected the number of a version with --prompt, got ${JSON.stringify(given)}`,
  )
}
