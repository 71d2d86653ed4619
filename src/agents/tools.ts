import type { Answer } from './budget.js'
import { type DiffRequest, diff } from './diff/diff.js'
import { type ExportRequest, type ExportSource, exportRows } from './export.js'
import { type FindRequest, find } from './find.js'
import { outline } from './outline/outline.js'
import { type QueryRequest, query } from './query.js'
import { type ReadRequest, read } from './read.js'
import { type ScoreRequest, score } from './score.js'

/** A JSON Schema of the arguments of a tool. */
export interface Schema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

/** A verb as a tool of an agent, of whatever framework. */
export interface AgentTool {
  readonly name: string
  /** Short: agents read the descriptions of all their tools with every request. */
  readonly description: string
  readonly schema: Schema
  /** True if it changes what is stored. */
  readonly writes: boolean
  /** Runs it. The arguments must fit the schema. Resolves to null when what was asked for is not there. */
  readonly run: (source: ExportSource, given: Record<string, unknown>) => Promise<Answer | null>
}

const budget = { type: 'integer', minimum: 200, maximum: 100_000, description: 'most tokens; 8000' }
const text = (description?: string) => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
})
const oneOf = (...values: readonly string[]) => ({ type: 'string', enum: values })
const conditions = text('e.g. error:any name=agent duration>30 any(type=tool error:any)')

const schemaOf = (required: readonly string[], properties: Schema['properties']): Schema => ({
  type: 'object',
  properties: { ...properties, budget },
  required,
  additionalProperties: false,
})

/** A request of the verb, by arguments that fit the tool's schema. */
const as = <Request>(given: Record<string, unknown>): Request => given as unknown as Request

/** The verbs as tools. The one that writes is last. */
export const tools: readonly AgentTool[] = [
  {
    name: 'find',
    description: 'List threads or steps that pass a query, newest first, with ids.',
    schema: schemaOf(['subject'], {
      subject: oneOf('threads', 'steps'),
      query: conditions,
      after: text('cursor of the answer before'),
    }),
    writes: false,
    run: (source, given) => find(source, as<FindRequest>(given)),
  },
  {
    name: 'outline',
    description:
      'Summarize a thread, or a step with all below it: failures, oddities, then the tree with ids.',
    schema: schemaOf([], { threadId: text(), stepId: text('instead of a thread') }),
    writes: false,
    run: (source, { threadId, stepId, budget }) =>
      outline(source, as({ threadId, rootStepId: stepId, budget })),
  },
  {
    name: 'read',
    description: 'Read what a step took and gave; or one part of it, from a character on.',
    schema: schemaOf(['stepId'], {
      stepId: text(),
      part: text('e.g. output, messages.3'),
      from: { type: 'integer', minimum: 0 },
    }),
    writes: false,
    run: (source, given) => read(source, as<ReadRequest>(given)),
  },
  {
    name: 'diff',
    description:
      'Show what differs between two threads or, with of=steps, two steps and all below.',
    schema: schemaOf(['base', 'other'], {
      base: text('id of the good one'),
      other: text('id'),
      of: oneOf('threads', 'steps'),
    }),
    writes: false,
    run: (source, { base, other, of, budget }) => {
      const subject = (id: unknown) => (of === 'steps' ? { rootStepId: id } : { threadId: id })
      return diff(source, as<DiffRequest>({ base: subject(base), other: subject(other), budget }))
    },
  },
  {
    name: 'query',
    description:
      'Measure rows: counts, failures, percentiles, tokens, cost, mean scores; by a property or over time.',
    schema: schemaOf(['subject'], {
      subject: oneOf('threads', 'runs', 'steps', 'generations', 'scores'),
      query: conditions,
      from: text('ISO 8601, or 30m, 24h, 7d ago; 7d'),
      to: text('the same; now'),
      by: oneOf(
        'environment',
        'model',
        'promptVersion',
        'release',
        'name',
        'type',
        'provider',
        'user',
      ),
      buckets: { type: 'integer', minimum: 1, maximum: 500, description: 'spans of time; 1' },
      name: text('of scores'),
    }),
    writes: false,
    run: (source, given) => query(source, as<QueryRequest>(given)),
  },
  {
    name: 'export',
    description: 'Say how large an export is, and show its first rows as JSONL.',
    schema: schemaOf(['list'], {
      list: oneOf(
        'threads',
        'steps',
        'generations',
        'scores',
        'users',
        'datasets',
        'datasetItems',
        'experiments',
        'experimentItems',
      ),
      query: conditions,
      columns: { type: 'array', items: { type: 'string' } },
      limit: { type: 'integer', minimum: 0 },
      datasetId: text(),
      experimentId: text(),
    }),
    writes: false,
    run: (source, given) => exportRows(source, as<ExportRequest>(given)),
  },
  {
    name: 'score',
    description: 'Write a score on a step or a thread.',
    schema: schemaOf(['name'], {
      stepId: text(),
      threadId: text('instead of a step'),
      name: text(),
      value: { type: 'number' },
      label: text('of a defined score, instead of a value'),
      comment: text('why'),
    }),
    writes: true,
    run: (source, given) => score(source, as<ScoreRequest>({ ...given, type: 'AI' })),
  },
]
