import { resolve } from 'node:path'
import { hideArguments } from '../../configuration.js'
import { readOptions } from '../../kernel/options.js'
import { databaseUrlOf, readPlaces, SettingsError } from '../../settings.js'
import { findAdminEndpoint } from '../admin-endpoint.js'
import { fail } from '../failure.js'
import { demandOwner } from '../folder-user.js'
import { callRunningService } from '../operate.js'
import { isListening } from './listening.js'
import { type MoveRequest, Mover, placeOf } from './mover.js'
import { type DataLocation, openData } from './open-data.js'
import { demandData, storeOf } from './options.js'
import { progressLines } from './progress.js'

const HELP = `Usage: stepwell move --to-database URL [--to-files s3://…]
       stepwell move --to-data FOLDER [--to-files s3://…]
       stepwell move --abandon

Moves all data of a service to an empty database: projects with everything in them, keys, secrets, the audit log. The service may run.
Then it goes on there itself: requests wait for the seconds of the switch.

  --to-database URL   a PostgreSQL server
  --to-data FOLDER    the folder of an embedded database; with --to-database only that of the files
  --to-files s3://…   the bucket of the files. Default: where they are; with --to-data in its folder
  --dry-run           look at both ends, and change nothing
  --abandon           forget a move that was begun. After a complete one, the data that was left is served again
  --quiet             no lines about the progress
  --data FOLDER, --database URL, --files s3://…, --config FILE   the same as of stepwell serve

A command that was ended goes on when it is started again.
`
const TURN_MS = 2000

/** Runs `stepwell move`. Returns the exit code. */
export const moveCommand = async (args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = readOptions({
      args: [...args],
      allowPositionals: true,
      options: {
        'to-database': { type: 'string' },
        'to-data': { type: 'string' },
        'to-files': { type: 'string' },
        'dry-run': { type: 'boolean' },
        abandon: { type: 'boolean' },
        config: { type: 'string' },
        data: { type: 'string' },
        database: { type: 'string' },
        files: { type: 'string' },
        quiet: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    hideArguments(values['to-database'])
    if (positionals.length > 0)
      throw new SettingsError(`expected options only, got ${JSON.stringify(positionals[0])}`)
    const { 'to-database': toDatabase, 'to-data': toData } = values
    if (!values.abandon && toDatabase === undefined && toData === undefined)
      throw new SettingsError('expected --to-database or --to-data, got neither')
    if (toData === '') throw new SettingsError('--to-data: expected a folder, got an empty text')
    const from = readPlaces(values, process.env)
    const request: MoveRequest = {
      from: from.databaseUrl === undefined ? undefined : placeOf(from),
      toDatabase:
        toDatabase === undefined ? toDatabase : databaseUrlOf('--to-database', toDatabase),
      // A running service has a working folder of its own.
      toData: toData === undefined ? toData : resolve(toData),
      toFiles: values['to-files'],
    }
    const worker = await openWorker(from)
    try {
      if (values.abandon) return told(await worker.abandon())
      if (values['dry-run']) return told(await worker.look(request))
      const print = progressLines(values.quiet === true)
      for (;;) {
        const row = await worker.continue(request)
        if (row.phase === 'moved') return told(row, worker.isRunning)
        print(() => lineOf(row))
      }
    } finally {
      await worker.close()
    }
  } catch (error) {
    return fail(error, 'move')
  }
}

const number = (text: string | undefined): string => Number(text ?? 0).toLocaleString('en')

const lineOf = ({ phase, rows, waiting }: Record<string, string>): string => {
  const changes = `${number(waiting)} changes to catch up with`
  if (phase === 'copying') return `${number(rows)} rows copied, ${changes}`
  return phase === 'comparing' ? `${number(rows)} rows compared, ${changes}` : changes
}

/** Prints how a command ended. Returns the exit code. */
const told = (row: Record<string, string>, isRunning = false): number => {
  const { phase, from, to, files, rows, hash, switchMs } = row
  const lines: Record<string, string[]> = {
    looked: [`A move would lead from ${from} to ${to}; files ${files}. Nothing was changed`],
    abandoned: ['The move is forgotten; the service goes on with the data it has here'],
    none: ['There is no move to forget'],
    moved: [
      ...(rows
        ? [
            `Moved ${number(rows)} rows to ${to}; each was compared, and writes waited for ${(Number(switchMs) / 1000).toFixed(1)} s`,
            `Hash of all rows, here and there: ${hash}`,
          ]
        : [`The data is in ${to}, all of it`]),
      isRunning
        ? 'The service goes on there. Change its settings before its next start, which fails with the old ones'
        : 'Start the service there: with the old settings its start fails, and writes are rejected',
    ],
  }
  process.stdout.write(`${(lines[phase ?? ''] ?? []).join('\n')}\n`)
  return 0
}

interface Worker {
  isRunning: boolean
  continue: (request: MoveRequest) => Promise<Record<string, string>>
  look: (request: MoveRequest) => Promise<Record<string, string>>
  abandon: () => Promise<Record<string, string>>
  close: () => Promise<void>
}

/** Lets the running service work, if there is one on this machine; else works on the database itself. */
const openWorker = async (from: DataLocation): Promise<Worker> => {
  const endpoint = await findAdminEndpoint(from.dataFolder)
  if (endpoint !== undefined && (await isListening(endpoint.url))) {
    const ask = async (verb: string, { from: place, ...to }: MoveRequest) => {
      const options = Object.fromEntries(
        Object.entries({ ...to, from: place }).filter(([, value]) => value !== undefined),
      )
      const answer = await callRunningService(endpoint.url, endpoint.token, {
        noun: 'move',
        verb,
        options,
      })
      const row = answer?.rows[0]
      if (row === undefined)
        throw new Error('the service ended; run the same command again once it runs, to go on')
      return row
    }
    return {
      isRunning: true,
      continue: (request) => ask('continue', request),
      look: (request) => ask('look', request),
      abandon: () => ask('abandon', {}),
      close: async () => undefined,
    }
  }
  if (from.databaseUrl === undefined) {
    await demandOwner(from.dataFolder)
    demandData(from.dataFolder)
  }
  const { db, close } = await openData(from)
  const mover = new Mover(db, storeOf(from.bucket, from.dataFolder), from, {
    serve: async () => undefined,
    hold: (work) => work(),
  })
  return {
    isRunning: false,
    continue: (request) => mover.continue(request, TURN_MS),
    look: (request) => mover.look(request),
    abandon: () => mover.abandon(),
    close: async () => {
      await mover.close()
      await close()
    },
  }
}
