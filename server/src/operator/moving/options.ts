import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Bucket } from '../../files/bucket.js'
import type { BucketLocation } from '../../files/bucket-location.js'
import { LocalStore } from '../../files/local-store.js'
import { Signatures } from '../../files/signatures.js'
import type { FileStore } from '../../files/store.js'
import { readOptions } from '../../kernel/options.js'
import { SettingsError } from '../../settings.js'

/** The options of commands that move data. */
export const readMovingOptions = (args: readonly string[]) =>
  readOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      project: { type: 'string' },
      out: { type: 'string' },
      copy: { type: 'boolean' },
      config: { type: 'string' },
      data: { type: 'string' },
      database: { type: 'string' },
      files: { type: 'string' },
      quiet: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })

type MovingOptions = ReturnType<typeof readMovingOptions>['values']

/** Rejects options that a command does not have. */
export const demandOnly = (
  values: MovingOptions,
  allowed: readonly (keyof MovingOptions)[],
): void => {
  for (const name of Object.keys(values) as (keyof MovingOptions)[])
    if (!allowed.includes(name) && name !== 'help')
      throw new SettingsError(`--${name}: this command has no such option`)
}

/** Opens the files of a service: in its bucket, or in its data folder. */
export const storeOf = (bucket: BucketLocation | undefined, dataFolder: string): FileStore =>
  bucket === undefined
    ? new LocalStore(join(dataFolder, 'files'), new Signatures(''))
    : new Bucket(bucket, Number.POSITIVE_INFINITY)

/** Rejects a folder without an embedded database. */
export const demandData = (dataFolder: string): void => {
  if (!existsSync(join(dataFolder, 'database')))
    throw new Error(
      `there is no data of Stepwell in ${dataFolder}; name the folder of stepwell serve with --data`,
    )
}
