import { parseFlags, type Settings } from '../../settings.js'
import { bucketDeletes, bucketWorks } from './bucket.js'
import type { Check } from './check.js'
import { configuration } from './configuration.js'
import { dataFolder } from './data-folder.js'
import { embeddedDatabase } from './embedded.js'
import { memory } from './memory.js'
import { postgresDatabase } from './postgres.js'
import { providerAnswers } from './provider.js'
import { findRunning, hostsListen, publicUrlLeads, runningService } from './running.js'

const DATABASE_LIMIT_MS = 25_000
const BUCKET_LIMIT_MS = 25_000
const PROVIDER_LIMIT_MS = 15_000

/**
 * Returns the checks of a service that would be started with these arguments.
 *
 * @throws the error of Node's reader of options, for an invalid one.
 */
export const checksOfService = async (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  isReadOnly: boolean,
): Promise<readonly Check[]> => {
  parseFlags(args)
  const { settings, findings } = configuration(args, environment)
  const first: Check = { name: 'configuration', run: async () => findings }
  if (settings === undefined) return [first, ...NAMES.map(unreached)]
  return [first, ...checksOf(settings, isReadOnly, await findRunning(settings.dataFolder))]
}

const NAMES = ['memory', 'data folder', 'database', 'files', 'service']

/** A check that has nothing to look at, as the settings are invalid. */
const unreached = (name: string): Check => ({
  name,
  needs: ['configuration'],
  run: async () => [],
})

const checksOf = (
  settings: Settings,
  isReadOnly: boolean,
  runningUrl: string | undefined,
): readonly Check[] => {
  const { databaseUrl, bucket, publicUrl, webhookHosts, modelHosts, oidc } = settings
  const folder = settings.dataFolder
  const isRunning = runningUrl !== undefined
  return [
    { name: 'memory', run: async () => memory(settings) },
    { name: 'data folder', run: () => dataFolder(folder, isReadOnly) },
    databaseUrl === undefined
      ? {
          name: 'database',
          needs: ['data folder'],
          limitMs: DATABASE_LIMIT_MS,
          run: () => embeddedDatabase(folder, { isRunning, isReadOnly }),
        }
      : {
          name: 'database',
          limitMs: DATABASE_LIMIT_MS,
          run: () => postgresDatabase(databaseUrl, isReadOnly),
        },
    ...(bucket === undefined
      ? []
      : [
          {
            name: 'bucket',
            limitMs: BUCKET_LIMIT_MS,
            run: () => bucketWorks(bucket, { publicUrl, isReadOnly }),
          },
          ...(isReadOnly
            ? []
            : [{ name: 'deletion', needs: ['bucket'], run: () => bucketDeletes(bucket) }]),
        ]),
    { name: 'service', run: () => runningService(settings, runningUrl) },
    ...(publicUrl === undefined
      ? []
      : [{ name: 'public URL', run: async () => publicUrlLeads(publicUrl, isRunning) }]),
    ...(oidc === undefined
      ? []
      : [
          {
            name: 'provider',
            limitMs: PROVIDER_LIMIT_MS,
            run: () => providerAnswers(oidc, publicUrl),
          },
        ]),
    ...(webhookHosts.length === 0
      ? []
      : [{ name: 'webhook hosts', run: () => hostsListen(webhookHosts, '--webhook-hosts') }]),
    ...(modelHosts.length === 0
      ? []
      : [{ name: 'model hosts', run: () => hostsListen(modelHosts, '--model-hosts') }]),
  ]
}
