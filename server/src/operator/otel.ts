import { readFile } from 'node:fs/promises'
import { readOptions } from '../kernel/options.js'
import { explain } from '../otlp/explaining/explain.js'
import { readRecorded } from '../otlp/explaining/recorded.js'
import { SettingsError } from '../settings.js'
import { fail } from './failure.js'

const HELP = `Usage: stepwell otel explain FILE

Says what the service understands of a request that an OpenTelemetry exporter sent: which fields of steps are read from
its spans or log records, what is kept in metadata only, and what is rejected, and why. Stores nothing, and needs no service.

  FILE   the body of the request, JSON or protobuf, as it is or compressed with gzip
`

/** Runs `stepwell otel`. Returns the exit code. */
export const otel = async (args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = readOptions({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    const [verb, file, ...others] = positionals
    if (verb !== 'explain' || file === undefined || others.length > 0)
      throw new SettingsError('expected explain FILE')
    const lines = explain(await readRecorded(await readFile(file)))
    process.stdout.write(`${lines.join('\n')}\n`)
    return 0
  } catch (error) {
    return fail(error, 'otel')
  }
}
