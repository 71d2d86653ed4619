import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import type { StepwellClient as SyncClient } from '../src/sync/index.js'
import { useServiceProcess } from './support/service-process.js'

// As it is built: the sources have no thread.
const built = pathToFileURL(join(import.meta.dirname, '../dist/esm/src/sync/index.js')).href
const sync = (await import(/* @vite-ignore */ built)) as { StepwellClient: typeof SyncClient }

const service = useServiceProcess(1)

type Api = Record<string, (argument: unknown) => unknown>

/** The contract has the raw answer here. */
const RAW = { data: { deleteAttachment: null } }

test.each(['with promises', 'without promises'])(
  'every deletion of what is not there resolves to null, %s and in both spellings',
  async (flavour) => {
    const options = { apiKey: service.apiKeys[0] as string, apiUrl: service.url }
    const client =
      flavour === 'with promises' ? new StepwellClient(options) : new sync.StepwellClient(options)
    const api = client.api as unknown as Api
    // Counts of a person's data are no null.
    const names = Object.keys(api).filter(
      (name) => /^delete[_A-Z]/.test(name) && !/data$/i.test(name),
    )
    expect(names).toContain('deleteDataset')
    expect(names).toContain('delete_dataset_item')
    expect(names.length).toBeGreaterThanOrEqual(18)
    const outcomes: Record<string, unknown> = {}
    for (const name of names) {
      // A definition of scores is known by its name.
      const argument = name === 'delete_score_definition' ? { name: 'nobody' } : 'nobody'
      outcomes[name] = await api[name]?.(argument)
    }
    expect(outcomes).toEqual(
      Object.fromEntries(names.map((name) => [name, /attachment/i.test(name) ? RAW : null])),
    )
  },
)
