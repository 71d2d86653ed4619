import type { Database } from '../../database/database.js'
import { Audit } from '../../domain/audit/audit.js'
import { exportProject } from '../../domain/moving/export-project.js'
import { type ProjectRow, Projects } from '../../domain/projects.js'
import { createClock } from '../../kernel/instant.js'
import { DEFAULT_LIMITS } from '../../kernel/limits.js'
import { TarWriter } from '../../kernel/tar/writer.js'
import { Pages } from '../../lists/page.js'
import { readPlaces, SettingsError } from '../../settings.js'
import { findMove } from '../../storage/moving/moves.js'
import { chosenProject } from '../chosen-project.js'
import { fail } from '../failure.js'
import { demandOnly, readMovingOptions } from './options.js'
import { demandFree, writeWhole } from './output.js'
import { counted, megabytes, progressLines } from './progress.js'
import { openSource } from './source.js'

const HELP = `Usage: stepwell export [--project P] [--out FILE]

Writes a project to one archive, with its files: for stepwell import into any service. The service may be running: the archive has
what was stored at one moment. The same data makes the same bytes.

  --project P   the id or name of a project; may be omitted when there is only one
  --out FILE    the archive; - for the standard output. Default: NAME.stepwell.tar
  --quiet       no lines about the progress
  --data FOLDER, --database URL, --files s3://…, --config FILE   the same as of stepwell serve

Keys, secrets of webhooks and keys of models are not in it.

With a list first, as in stepwell export steps, rows of it are written: stepwell export LIST --help. With
--to-otlp URL, steps go to another backend: stepwell export --to-otlp --help.
`

/** Runs `stepwell export`. Returns the exit code. */
export const exportCommand = async (args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = readMovingOptions(args)
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    demandOnly(values, ['project', 'out', 'quiet', 'config', 'data', 'database', 'files'])
    if (positionals.length > 0)
      throw new SettingsError(`expected options only, got ${JSON.stringify(positionals[0])}`)
    if (values.out !== undefined) demandFree(values.out)
    const source = await openSource(readPlaces(values, process.env), values.project)
    try {
      const project = await chosenProject(new Projects(source.db, createClock()), values.project)
      if (!source.isNoted) await noteExport(source.db, project)
      const out = values.out ?? `${plainName(project.name) || project.id}.stepwell.tar`
      const print = progressLines(values.quiet === true)
      const done = await writeWhole(out, (stream) =>
        source.db
          .transaction()
          .setIsolationLevel('repeatable read')
          .setAccessMode('read only')
          .execute((transaction) =>
            exportProject(transaction, source.store, project, new TarWriter(stream), (progress) =>
              print(
                () =>
                  `${counted(progress.rows, 'row')} of ${counted(progress.of, 'row')} (${progress.table}), ${megabytes(progress.bytes)}`,
              ),
            ),
          ),
      )
      process.stderr.write(
        `stepwell: wrote ${counted(done.rows, 'row')} and ${counted(done.files, 'file')} of the project ${project.name} to ${out === '-' ? 'the standard output' : out}; hash ${done.hash}\n`,
      )
      if (done.missing > 0)
        process.stderr.write(
          `stepwell: ${counted(done.missing, 'file')} without a content: announced, and never uploaded\n`,
        )
      return 0
    } finally {
      await source.close()
    }
  } catch (error) {
    return fail(error, 'export')
  }
}

/** Notes an export in the audit log, unless the role of the database may only read, or its data was moved. */
const noteExport = async (db: Database, project: ProjectRow): Promise<void> => {
  if ((await findMove(db))?.state === 'moved') return
  try {
    await new Audit(db, new Pages(db, DEFAULT_LIMITS)).noteCopying('EXPORT_PROJECT', [project])
  } catch (error) {
    if (!READS_ONLY.has(String((error as NodeJS.ErrnoException).code))) throw error
    process.stderr.write(
      'stepwell: not in the audit log, as the role of the database may only read\n',
    )
  }
}

/** No privilege, and a standby or a session that only reads. */
const READS_ONLY = new Set(['42501', '25006'])

const plainName = (name: string): string =>
  name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '')
