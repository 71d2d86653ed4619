import {
  type Answer,
  diff,
  type ExportRequest,
  exportRows,
  find,
  outline,
  type QueryRequest,
  query,
  read,
  type ScoreRequest,
  score,
  tools,
} from '../../agents/index.js'
import { StepwellClient } from '../../client.js'
import { download } from '../download.js'
import { readOptions } from '../options.js'
import { noSuchCommand, UsageError } from '../usage.js'
import { HELPS } from './helps.js'

/** The options of all verbs: each takes some of them. */
const VALUES = [
  'after',
  'budget',
  'buckets',
  'by',
  'columns',
  'comment',
  'dataset',
  'environment',
  'experiment',
  'from',
  'label',
  'limit',
  'name',
  'out',
  'part',
  'run',
  'scorer',
  'to',
  'type',
  'value',
] as const
const FLAGS = ['json', 'runs', 'thread'] as const
const SCORE_TYPES = ['HUMAN', 'CODE', 'AI']
type Value = (typeof VALUES)[number]
type Flag = (typeof FLAGS)[number]

interface Given {
  positionals: readonly string[]
  values: Readonly<Partial<Record<Value, string>>>
  has: (flag: Flag) => boolean
}

interface Verb {
  values: readonly Value[]
  flags?: readonly Flag[]
  run: (client: StepwellClient, given: Given, budget: number | undefined) => Promise<Answer | null>
  /** Said when what was asked for is not there. */
  missing?: (given: Given) => string
}

const numberOf = (
  name: Value,
  given: string | undefined,
  pattern = /^\d+$/,
): number | undefined => {
  if (given === undefined) return undefined
  if (!pattern.test(given))
    throw new UsageError(
      `--${name}: expected a ${pattern.source.includes('.') ? '' : 'whole '}number, got ${JSON.stringify(given)}`,
    )
  return Number(given)
}

/** Returns a text that is one of some values. */
const among = (values: readonly string[], given: string, option = ''): string => {
  if (values.includes(given)) return given
  const got = given === '' ? 'nothing' : JSON.stringify(given)
  throw new UsageError(`${option}expected ${values.join(' or ')}, got ${got}`)
}

/** Returns the values that the tool `query` takes for an argument. */
const valuesOf = (argument: 'subject' | 'by'): readonly string[] =>
  tools.find(({ name }) => name === 'query')?.schema.properties[argument]?.enum as string[]

/** Returns positional arguments that are all there, and no more. */
const exactly = (verb: string, given: Given, ...names: readonly string[]): string[] => {
  if (given.positionals.length === names.length) return [...given.positionals]
  throw new UsageError(`${verb}: expected ${names.join(' and ')}`)
}

/** Returns a subject, and the query after it if there is one. */
const listAndQuery = (verb: string, { positionals }: Given): [string, string | undefined] => {
  const [subject = '', query, ...others] = positionals
  if (others.length > 0)
    throw new UsageError(`${verb}: expected one query in quotes, got ${others.length + 1}`)
  return [subject, query]
}

const VERBS = {
  find: {
    values: ['after'],
    run: (client, given, budget) => {
      const [subject, query] = listAndQuery('find', given)
      if (subject !== 'threads' && subject !== 'steps')
        throw noSuchCommand(subject, ['threads', 'steps'])
      return find(client, { subject, query, after: given.values.after, budget })
    },
  },
  outline: {
    values: ['run'],
    missing: ({ values }) =>
      `there is no ${values.run === undefined ? 'thread' : 'step'} with this id`,
    run: (client, { positionals, values }, budget) => {
      const [threadId, ...others] = positionals
      const rootStepId = values.run
      if ((threadId === undefined) === (rootStepId === undefined) || others.length > 0)
        throw new UsageError('outline: expected a thread, or --run and a step')
      return outline(client, { threadId, rootStepId, budget })
    },
  },
  read: {
    values: ['part', 'from'],
    missing: () => 'there is no step with this id',
    run: (client, given, budget) => {
      const [stepId = ''] = exactly('read', given, 'one step')
      const from = numberOf('from', given.values.from)
      return read(client, { stepId, part: given.values.part, from, budget })
    },
  },
  diff: {
    values: [],
    flags: ['runs'],
    missing: () => 'one of the two does not exist',
    run: (client, given, budget) => {
      const [base = '', other = ''] = exactly('diff', given, 'a good one', 'another one')
      const subject = (id: string) => (given.has('runs') ? { rootStepId: id } : { threadId: id })
      return diff(client, { base: subject(base), other: subject(other), budget })
    },
  },
  query: {
    values: ['from', 'to', 'by', 'buckets', 'name', 'environment'],
    run: (client, given, budget) => {
      const [subject, conditions] = listAndQuery('query', given)
      const { from, to, by, buckets, name, environment } = given.values
      return query(client, {
        subject: among(valuesOf('subject'), subject),
        query: conditions,
        from,
        to,
        by: by === undefined ? undefined : among(valuesOf('by'), by, '--by: '),
        buckets: numberOf('buckets', buckets),
        name,
        environment,
        budget,
      } as QueryRequest)
    },
  },
  export: {
    values: ['out', 'columns', 'limit', 'dataset', 'experiment'],
    run: (client, given, budget) => {
      const [list, conditions] = listAndQuery('export', given)
      const { columns, limit, dataset, experiment } = given.values
      return exportRows(client, {
        list,
        query: conditions,
        columns: columns?.split(',').map((name) => name.trim()),
        limit: numberOf('limit', limit),
        datasetId: dataset,
        experimentId: experiment,
        budget,
      } as ExportRequest)
    },
  },
  score: {
    values: ['name', 'value', 'label', 'comment', 'type', 'scorer'],
    flags: ['thread'],
    missing: (given) => `there is no ${given.has('thread') ? 'thread' : 'step'} with this id`,
    run: (client, given, budget) => {
      const [id = ''] = exactly('score', given, 'one step, or --thread and one thread')
      const { name, value, label, comment, type, scorer } = given.values
      if (name === undefined) throw new UsageError('score: expected --name')
      return score(client, {
        ...(given.has('thread') ? { threadId: id } : { stepId: id }),
        name,
        value: numberOf('value', value, /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i),
        label,
        comment,
        type: type === undefined ? undefined : among(SCORE_TYPES, type.toUpperCase(), '--type: '),
        scorer,
        budget,
      } as ScoreRequest)
    },
  },
} as const satisfies Record<string, Verb>

export type VerbName = keyof typeof VERBS

/** Runs a verb. Exit codes: 0 answered, 1 what was asked for is not there; other errors are those of all commands. */
export const runVerb = async (name: VerbName, args: readonly string[]): Promise<number> => {
  const verb: Verb = VERBS[name]
  const { values, positionals } = readOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        ['budget', ...verb.values].map((one) => [one, { type: 'string' as const }]),
      ),
      ...Object.fromEntries(
        ['json', ...(verb.flags ?? [])].map((one) => [one, { type: 'boolean' as const }]),
      ),
      help: { type: 'boolean' as const, short: 'h' },
    },
  })
  if (values.help === true) {
    process.stdout.write(HELPS[name])
    return 0
  }
  const read = values as Partial<Record<Value, string>> & Partial<Record<Flag, boolean>>
  const given: Given = { positionals, values: read, has: (flag) => read[flag] === true }
  if (name === 'export' && read.out !== undefined) return writeFile(given)
  const client = new StepwellClient({ disabled: true })
  const answer = await verb.run(client, given, numberOf('budget', read.budget))
  if (answer === null) {
    process.stderr.write(`stepwell: ${verb.missing?.(given)}\n`)
    return 1
  }
  process.stdout.write(`${given.has('json') ? JSON.stringify(answer) : answer.text}\n`)
  return 0
}

/** Writes the whole export, as `stepwell download` does. */
const writeFile = (given: Given): Promise<number> => {
  const [list, query] = listAndQuery('export', given)
  const options = { ...given.values, query }
  const names = ['out', 'query', 'columns', 'limit', 'dataset', 'experiment'] as const
  return download([
    list,
    ...names.flatMap((name) => (options[name] === undefined ? [] : [`--${name}=${options[name]}`])),
  ])
}
