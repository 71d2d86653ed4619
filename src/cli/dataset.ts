import fs from 'node:fs'
import { StepwellClient } from '../client.js'
import { StepwellError } from '../errors.js'
import { checkSize, readFileRows } from '../importing/file.js'
import { importItems } from '../importing/import-items.js'
import {
  guessMapping,
  type ImportedItem,
  itemOf,
  type Mapping,
  mappingOf,
  PARTS,
  splitPlace,
} from '../importing/mapping.js'
import type { FileRows } from '../importing/rows.js'
import { noSuchCommand, readUsage, UsageError } from './usage.js'

const HELP = `Usage: stepwell dataset import FILE --dataset NAME [options]

Adds the rows of a CSV or JSONL file to a dataset, an item each. The first row of CSV names the columns; a line of JSONL is an
object.

  --dataset   the name of the dataset; it is created when there is none
  --input     the columns of the input, with commas between them
  --expected  the columns of the expected output
  --metadata  the columns of the metadata
  --dry-run   print the first items, and change nothing

A column goes to a path of its part with NAME=PATH: --metadata file=source.file.

Without columns, their names decide: input, question, prompt; expected…, answer, output; metadata. A cell with a JSON object
is the part itself, any other becomes a member by the name of its column. Rows that the dataset has already are left out, so
an import that failed can be run again. It ends when 20 rows in a row fail for a reason that is not theirs.

Exit codes: 0 all rows are in the dataset, 1 some are not: standard error names them, 2 the command or the file is invalid.
`
const SHOWN_ITEMS = 3
const MAX_NAMED = 100
/** A service that is away, or rejects the key, fails every row: the rest is not tried. */
const MAX_FAILED_IN_A_ROW = 20
const OF_ROW = new Set(['BAD_REQUEST', 'INVALID_ARGUMENT', 'TOO_LARGE'])
/** Interval of the lines that say how far a long import is. */
const PROGRESS_MS = 5000

/** Imports items into a dataset. Returns the exit code. */
export const dataset = async (args: readonly string[]): Promise<number> => {
  const [verb = '', ...rest] = args
  const isVerb = verb === 'import'
  const names = ['dataset', 'input', 'expected', 'metadata'] as const
  const usage = readUsage(isVerb ? rest : args, HELP, names, ['dry-run'])
  if (usage === undefined) return 0
  if (!isVerb) throw noSuchCommand(verb, ['import'])
  const { command: file, values, has } = usage
  if (file === '') throw new UsageError('expected a file')
  if (!values.dataset) throw new UsageError('--dataset: expected the name of a dataset')
  const { columns, rows } = read(file)
  const parts = {
    input: namesOf(values.input),
    expectedOutput: namesOf(values.expected),
    metadata: namesOf(values.metadata),
  }
  const isGiven = Object.values(parts).some((part) => part !== undefined)
  const mapping = isGiven ? mappingOf(columns, parts) : guessMapping(columns)
  const made = rows.map((row) => itemOf(row, mapping))
  const items = made.filter((one): one is ImportedItem => !('problem' in one))
  const bad = made.filter((one) => 'problem' in one)
  process.stdout.write(`${file}: ${rows.length} rows, ${shown(mapping, columns)}\n`)
  if (has('dry-run')) {
    for (const item of items.slice(0, SHOWN_ITEMS))
      process.stdout.write(`${JSON.stringify(item)}\n`)
    return report(bad)
  }
  const { api } = new StepwellClient({ disabled: true })
  const found = (await api.getDatasets()).find(({ name }) => name === values.dataset)
  const { id } = found ?? (await api.createDataset({ name: values.dataset }))
  const ending = new AbortController()
  let failedInARow = 0
  let saidAt = performance.now()
  const { created, present, failed } = await importItems(items, {
    existing: api.getDatasetItems.all({ datasetId: id, first: 200 }),
    signal: ending.signal,
    create: async ({ input, expectedOutput, metadata }) => {
      try {
        await api.createDatasetItem(id, {
          input: input as Record<string, unknown>,
          expectedOutput: expectedOutput as Record<string, unknown> | null,
          metadata: metadata as Record<string, unknown>,
        })
        failedInARow = 0
      } catch (error) {
        failedInARow = isOfRow(error) ? 0 : failedInARow + 1
        if (failedInARow >= MAX_FAILED_IN_A_ROW) ending.abort(error)
        throw error
      }
    },
    onProgress: (imported) => {
      if (performance.now() - saidAt < PROGRESS_MS) return
      saidAt = performance.now()
      const done = imported.created + imported.present + imported.failed.length
      process.stderr.write(`stepwell: ${done} of ${items.length} rows\n`)
    },
  })
  process.stdout.write(
    `${created} ${created === 1 ? 'item' : 'items'} added to ${values.dataset}${present > 0 ? `, ${present} were there` : ''}\n`,
  )
  const untried = items.length - created - present - failed.length
  const code = report(
    [...bad, ...failed].sort((a, b) => a.row - b.row),
    untried,
  )
  if (ending.signal.aborted)
    process.stderr.write(
      `stepwell: ended, for ${MAX_FAILED_IN_A_ROW} rows in a row failed: ${(ending.signal.reason as Error).message}; run the same command again\n`,
    )
  return code
}

/** Returns true for an error that says something about one row: the next may be stored. */
const isOfRow = (error: unknown): boolean => StepwellError.is(error) && OF_ROW.has(error.code)

const report = (bad: readonly { row: number; problem: string }[], untried = 0): number => {
  for (const { row, problem } of bad.slice(0, MAX_NAMED))
    process.stderr.write(`row ${row}: ${problem}\n`)
  const missing = bad.length + untried
  if (missing > 0) process.stderr.write(`stepwell: rows that are not in the dataset: ${missing}\n`)
  return missing > 0 ? 1 : 0
}

const read = (file: string): FileRows => {
  checkSize(fs.statSync(file).size)
  return readFileRows(file, fs.readFileSync(file))
}

const namesOf = (given: string | undefined): string[] | undefined =>
  given?.split(',').map((name) => name.trim())

const shown = (mapping: Mapping, columns: readonly string[]): string => {
  const parts = PARTS.map((part) => ({
    part,
    names: columns.filter((name) => {
      const place = mapping.get(name)
      return place !== undefined && splitPlace(place).part === part
    }),
  }))
  const out = columns.filter((name) => !mapping.has(name))
  return [...parts, { part: 'left out', names: out }]
    .filter(({ names }) => names.length > 0)
    .map(({ part, names }) => `${part}: ${names.join(', ')}`)
    .join('; ')
}
