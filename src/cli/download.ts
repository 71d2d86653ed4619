import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StepwellClient } from '../client.js'
import type { ExportedList, ExportParams } from '../exports.js'
import type { OrderBy } from '../lists/filters.js'
import { readUsage, UsageError } from './usage.js'
import { unfit, writeOut } from './write-out.js'

const HELP = `Usage: stepwell download LIST [--out FILE] [options]

Writes a list as CSV, JSONL or Parquet: threads, steps, generations, scores, users, datasets, datasetItems, experiments or
experimentItems.

  --out         the file to write, whose ending is the format. Default: -, the standard output
  --format      csv, jsonl or parquet. Default: that of the file, else jsonl
  --query       conditions as text: "error:any duration>30"
  --filters     conditions that must all hold, as JSON: [{"field":"name","operator":"eq","value":"agent"}]
  --order       a column and ASC or DESC: "duration DESC". Default: the newest first
  --columns     the fields to write, with commas between them. Default: all plain ones
  --limit       the most rows to write
  --dataset     the id of the dataset whose items to write
  --experiment  the id of the experiment whose results to write
  --excel       begin CSV with a byte order mark, by which Excel knows UTF-8

A file has its name only once it is whole. In CSV, texts that spreadsheets would run as formulas begin with an apostrophe.
`
const NAMES = [
  'out',
  'format',
  'query',
  'filters',
  'order',
  'columns',
  'limit',
  'dataset',
  'experiment',
] as const

/** Writes a list to a file, or to standard output. */
export const download = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, NAMES, ['excel'])
  if (usage === undefined) return 0
  const { command: list, values } = usage
  if (list === '') throw new UsageError('expected a list, such as threads')
  const out = values.out === '-' ? undefined : values.out
  const { format = formatOf(out) } = values
  if (format === 'parquet' && out === undefined && process.stdout.isTTY)
    throw new UsageError('--out: expected a file for Parquet, which no terminal shows')
  const params = {
    format,
    query: values.query,
    filters: values.filters === undefined ? undefined : listOf('filters', values.filters),
    orderBy: values.order === undefined ? undefined : orderOf(values.order),
    columns: values.columns?.split(',').map((name) => name.trim()),
    limit: values.limit === undefined ? undefined : numberOf('limit', values.limit),
    datasetId: values.dataset,
    experimentId: values.experiment,
    ...(usage.has('excel') ? { bom: true } : {}),
  } as ExportParams
  const parts = new StepwellClient({ disabled: true }).exportList(list as ExportedList, params)
  if (out === undefined) {
    await pipeline(Readable.from(parts, { objectMode: false }), process.stdout, { end: false })
    return 0
  }
  const bytes = await toFile(out, parts)
  process.stdout.write(`${bytes.toLocaleString('en')} bytes written to ${out}\n`)
  return 0
}

/** Returns the format that the ending of a file names. */
const formatOf = (out = ''): string => /\.(csv|parquet)$/i.exec(out)?.[1]?.toLowerCase() ?? 'jsonl'

/**
 * Writes a file under another name first: a download that breaks off leaves an older file as it is. The name is its own, as
 * another download to the same file may run. Devices and pipes are written to as they are, and a link's file is replaced,
 * not the link.
 */
const toFile = async (given: string, parts: AsyncIterable<Uint8Array>): Promise<number> => {
  const before = fs.statSync(given, { throwIfNoEntry: false })
  const out = before === undefined ? given : fs.realpathSync(given)
  // A folder is refused when the file takes its name.
  const isFile = before === undefined || before.isFile() || before.isDirectory()
  const partial = isFile ? `${out}.${randomUUID().slice(0, 8)}.part` : out
  let bytes = 0
  const remove = () => {
    if (isFile) fs.rmSync(partial, { force: true })
  }
  const takeBack = atSignals(remove)
  try {
    if (isFile) writeOut(partial, '')
    if (before?.isFile()) fs.chmodSync(partial, before.mode)
    for await (const part of parts) {
      fs.appendFileSync(partial, part)
      bytes += part.length
    }
    if (isFile) fs.renameSync(partial, out)
  } catch (error) {
    remove()
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : unfit(out, error)
  } finally {
    takeBack()
  }
  return bytes
}

/** Tidies up before a signal ends the process. Returns a function that takes this back. */
const atSignals = (tidyUp: () => void): (() => void) => {
  const end = (signal: NodeJS.Signals) => {
    tidyUp()
    takeBack()
    process.kill(process.pid, signal)
  }
  const takeBack = () => {
    for (const signal of ENDS) process.off(signal, end)
  }
  for (const signal of ENDS) process.on(signal, end)
  return takeBack
}

const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const listOf = (name: string, text: string): unknown[] => {
  try {
    const value = JSON.parse(text)
    if (Array.isArray(value)) return value
  } catch {
    // Said below.
  }
  throw new UsageError(`--${name}: expected a list as JSON, got ${JSON.stringify(text)}`)
}

const orderOf = (text: string): OrderBy<string> => {
  const [, column, direction = 'DESC'] = /^\s*(\w+)(?:\s+(asc|desc))?\s*$/i.exec(text) ?? []
  if (column === undefined)
    throw new UsageError(`--order: expected a column and ASC or DESC, got ${JSON.stringify(text)}`)
  return { column, direction: direction.toUpperCase() as 'ASC' | 'DESC' }
}

const numberOf = (name: string, text: string): number => {
  if (/^\d+$/.test(text)) return Number(text)
  throw new UsageError(`--${name}: expected a whole number, got ${JSON.stringify(text)}`)
}
