import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { TarWriter } from '../../kernel/tar/writer.js'
import { readPlaces, SettingsError } from '../../settings.js'
import { leaveNote } from '../../unnoted.js'
import { fail } from '../failure.js'
import { demandOnly, readMovingOptions } from './options.js'
import { demandFree, writeWhole } from './output.js'
import { megabytes, progressLines } from './progress.js'
import { holdStill } from './source.js'

const HELP = `Usage: stepwell backup [--out FILE]

Copies a data folder with its embedded database, its files and its secrets to one file, for stepwell restore. The service may be
running: the copy has all that was acknowledged before the command began, and requests go on meanwhile.

  --out FILE      the backup; - for the standard output. Default: stepwell-DATE.backup.tar.gz
  --quiet         no lines about the progress
  --data FOLDER   the same as of stepwell serve
  --config FILE   the same

Keep it as safe as the folder. For a PostgreSQL server, see the documentation.
`
/** The parts of a data folder that a backup has; others are of a running process. */
const PARTS = ['api-key', 'database', 'files']
/** Files of a database that name a process. */
const LEFT = new Set(['postmaster.pid', 'incoming'])
/** Most of a database compresses well at the lowest level, which costs a third of the time of the default. */
const GZIP_LEVEL = 1

/** Runs `stepwell backup`. Returns the exit code. */
export const backupCommand = async (args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = readMovingOptions(args)
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    demandOnly(values, ['out', 'quiet', 'config', 'data'])
    if (positionals.length > 0)
      throw new SettingsError(`expected options only, got ${JSON.stringify(positionals[0])}`)
    const { dataFolder, databaseUrl } = readPlaces(values, process.env)
    if (databaseUrl !== undefined)
      throw new SettingsError(
        'the data is on a PostgreSQL server, which pg_dump backs up; see "Back up a PostgreSQL server" in the documentation',
      )
    const out = values.out ?? `stepwell-${new Date().toISOString().slice(0, 10)}.backup.tar.gz`
    demandFree(out)
    const { folder, isCopy, release } = await holdStill(resolve(dataFolder), 'backup')
    try {
      if (!isCopy) await leaveNote(folder, 'BACK_UP')
      const print = progressLines(values.quiet === true)
      await writeWhole(out, async (stream) => {
        const source = new PassThrough()
        const compressed = pipeline(source, createGzip({ level: GZIP_LEVEL }), stream)
        const tar = new TarWriter(source)
        const written = async () => {
          for (const part of PARTS)
            await add(tar, folder, part, () => print(() => `${megabytes(tar.bytes)} copied`))
          await tar.end()
        }
        await Promise.all([written(), compressed])
      })
      process.stderr.write(
        `stepwell: backed up ${dataFolder} to ${out === '-' ? 'the standard output' : out}\n`,
      )
      return 0
    } finally {
      await release()
    }
  } catch (error) {
    return fail(error, 'backup')
  }
}

/** Adds a file, or a folder with all below it, in the order of the names. */
const add = async (
  tar: TarWriter,
  folder: string,
  path: string,
  report: () => void,
): Promise<void> => {
  const found = await stat(join(folder, path)).catch(() => undefined)
  if (found === undefined || LEFT.has(basename(path))) return
  if (!found.isDirectory()) {
    await tar.stream(path, found.size, createReadStream(join(folder, path)))
    report()
    return
  }
  await tar.folder(`${path}/`)
  for (const name of (await readdir(join(folder, path))).sort())
    await add(tar, folder, `${path}/${name}`, report)
}
