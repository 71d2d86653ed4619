import { exportProject } from '../../domain/moving/export-project.js'
import { Projects } from '../../domain/projects.js'
import { createClock } from '../../kernel/instant.js'
import { TarWriter } from '../../kernel/tar/writer.js'
import { readPlaces, SettingsError } from '../../settings.js'
import { chosenProject } from '../commands.js'
import { fail } from '../failure.js'
import { demandOnly, readMovingOptions } from './options.js'
import { writeWhole } from './output.js'
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

With a list first, as in stepwell export steps, rows of it are written: stepwell export LIST --help.
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
    const source = await openSource(readPlaces(values, process.env))
    try {
      const project = await chosenProject(new Projects(source.db, createClock()), values.project)
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

const plainName = (name: string): string =>
  name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '')
