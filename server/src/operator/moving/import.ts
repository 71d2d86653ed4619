import { resolve } from 'node:path'
import { verifyArchive } from '../../domain/moving/archive.js'
import {
  continueImport,
  type ImportProgress,
  type ImportRequest,
} from '../../domain/moving/import-project.js'
import { TarFile } from '../../kernel/tar/file-reader.js'
import { readPlaces, SettingsError } from '../../settings.js'
import { findAdminEndpoint } from '../admin-endpoint.js'
import { fail } from '../failure.js'
import { demandOwner } from '../folder-user.js'
import { callRunningService } from '../operate.js'
import { isListening } from './listening.js'
import { type DataLocation, openData } from './open-data.js'
import { demandOnly, readMovingOptions, storeOf } from './options.js'
import { counted, megabytes, progressLines } from './progress.js'

const HELP = `Usage: stepwell import FILE [--project NAME] [--copy]

Stores an archive of stepwell export as a project, under its id. All of the archive is verified first. An import that was ended
goes on when it is started again; one that is complete changes nothing. No other project is changed.

  --project NAME  the name of the project. Default: its name in the archive
  --copy          under a new id, beside the project that the archive is of
  --quiet         no lines about the progress
  --data FOLDER, --database URL, --files s3://…, --config FILE   the same as of stepwell serve, which may be running

Keys are not in archives: make them with stepwell key create. Webhooks of alerts and keys of models have to be set again.

stepwell import --from literalai|langfuse|phoenix SOURCE copies the data of another product instead.
`
const TURN_MS = 2000

/** Runs `stepwell import`. Returns the exit code. */
export const importCommand = async (args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = readMovingOptions(args)
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    demandOnly(values, ['project', 'copy', 'quiet', 'config', 'data', 'database', 'files'])
    const [file, ...others] = positionals
    if (file === undefined || others.length > 0)
      throw new SettingsError(`expected one FILE, got ${positionals.length}`)
    const print = progressLines(values.quiet === true)
    const verified = await verify(file, print)
    const request: ImportRequest = {
      file: resolve(file),
      hash: verified.hash,
      name: values.project,
      isCopy: values.copy === true,
    }
    const target = await openTarget(readPlaces(values, process.env))
    try {
      let progress: ImportProgress
      do {
        progress = await target.continue(request)
        const { bytes, of } = progress
        print(() => `${megabytes(bytes)} of ${megabytes(of)} imported`)
      } while (!progress.isComplete)
      const { name, projectId, isRepeated } = progress
      process.stdout.write(
        isRepeated
          ? `The project ${name} (${projectId}) has all of this archive already; nothing was changed\n`
          : `Imported ${counted(verified.rows, 'row')} and ${counted(verified.files, 'file')} as the project ${name} (${projectId})\nKeys are not in archives: stepwell key create --project ${projectId} makes one. Set webhooks of alerts and keys of models again.\n`,
      )
      return 0
    } finally {
      await target.close()
    }
  } catch (error) {
    return fail(error, 'import')
  }
}

const verify = async (file: string, print: (line: () => string) => void) => {
  const tar = await TarFile.open(file)
  try {
    return await verifyArchive(tar, (bytes) =>
      print(() => `${megabytes(bytes)} of ${megabytes(tar.sizeBytes)} verified`),
    )
  } finally {
    await tar.close()
  }
}

interface Target {
  continue: (request: ImportRequest) => Promise<ImportProgress>
  close: () => Promise<void>
}

/** Opens a running service, if one uses the embedded database; else the database itself. */
const openTarget = async ({ dataFolder, databaseUrl, bucket }: DataLocation): Promise<Target> => {
  if (databaseUrl === undefined) {
    const endpoint = await findAdminEndpoint(dataFolder)
    const ask = async (request: ImportRequest) =>
      endpoint &&
      (await callRunningService(endpoint.url, endpoint.token, {
        noun: 'import',
        verb: 'continue',
        subject: request.file,
        options: {
          hash: request.hash,
          ...(request.name === undefined ? {} : { name: request.name }),
          ...(request.isCopy ? { copy: 'yes' } : {}),
        },
      }))
    if (endpoint !== undefined && (await isListening(endpoint.url)))
      return {
        continue: async (request) => {
          const row = (await ask(request))?.rows[0]
          if (row === undefined)
            throw new Error('the service ended; run the same command again once it runs, to go on')
          return {
            projectId: row.projectId ?? '',
            name: row.name ?? '',
            bytes: Number(row.bytes),
            of: Number(row.of),
            isComplete: row.isComplete === 'true',
            isRepeated: row.isRepeated === 'true',
          }
        },
        close: async () => undefined,
      }
    await demandOwner(dataFolder)
  }
  const store = storeOf(bucket, dataFolder)
  const { db, upkeep, close } = await openData({ databaseUrl, dataFolder })
  return {
    continue: async (request) => {
      await upkeep?.work()
      return continueImport(db, store, request, TURN_MS)
    },
    close,
  }
}
