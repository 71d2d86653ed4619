import { find, outline, read } from '../agents/index.js'
import { StepwellClient } from '../client.js'
import { readOptions } from './options.js'
import { noSuchCommand, UsageError } from './usage.js'

const FIND = `Usage: stepwell find threads|steps ['QUERY'] [--after CURSOR] [--budget TOKENS]

Lists what passes a query, the newest first, in at most so many tokens, each in a line with its id. A query is what the filter
field of the web UI takes:

  stepwell find threads 'any(type=tool error:any)'

  --after CURSOR   go on where the answer before ended
  --budget TOKENS  the most tokens of the answer. Default: 8000
`
const OUTLINE = `Usage: stepwell outline THREAD [--budget TOKENS]
       stepwell outline --run STEP [--budget TOKENS]

Prints a thread, or a step with all below it, in at most so many tokens: failures first, then what stands out, then the steps,
with repetitions folded. Every line names the id to read on.

  --run STEP       the step with everything below it, instead of a thread
  --budget TOKENS  the most tokens of the answer. Default: 8000
`
const READ = `Usage: stepwell read STEP [--part NAME [--from CHARACTER]] [--budget TOKENS]

Prints the input and output of a step in at most so many tokens. Parts without room are cut, and end with how to read on.

  --part NAME       one part alone, such as output or messages.3
  --from CHARACTER  where in the part to begin. Default: 0
  --budget TOKENS   the most tokens of the answer. Default: 8000
`

type Name = 'after' | 'budget' | 'part' | 'from' | 'run'

const readArgs = (args: readonly string[], help: string, names: readonly Name[]) => {
  const { values, positionals } = readOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      help: { type: 'boolean' as const, short: 'h' },
    },
  })
  if (values.help !== true) return { values: values as Partial<Record<Name, string>>, positionals }
  process.stdout.write(help)
  return undefined
}

const wholeNumber = (name: Name, given: string | undefined): number | undefined => {
  if (given === undefined) return undefined
  if (!/^\d+$/.test(given))
    throw new UsageError(`--${name}: expected a whole number, got ${JSON.stringify(given)}`)
  return Number(given)
}

/** Code 1: what was asked for is not there. */
const print = (text: string | null, missing: string): number => {
  if (text === null) process.stderr.write(`stepwell: ${missing}\n`)
  else process.stdout.write(`${text}\n`)
  return text === null ? 1 : 0
}

const client = () => new StepwellClient({ disabled: true })

/** Lists threads or steps for an agent. */
export const findItems = async (args: readonly string[]): Promise<number> => {
  const given = readArgs(args, FIND, ['after', 'budget'])
  if (given === undefined) return 0
  const [subject = '', query, ...others] = given.positionals
  if (subject !== 'threads' && subject !== 'steps')
    throw noSuchCommand(subject, ['threads', 'steps'])
  if (others.length > 0)
    throw new UsageError(`find: expected one query in quotes, got ${others.length + 1}`)
  const budget = wholeNumber('budget', given.values.budget)
  return print(await find(client(), { subject, query, after: given.values.after, budget }), '')
}

/** Prints the outline of a thread or a run. */
export const printOutline = async (args: readonly string[]): Promise<number> => {
  const given = readArgs(args, OUTLINE, ['run', 'budget'])
  if (given === undefined) return 0
  const [threadId, ...others] = given.positionals
  const rootStepId = given.values.run
  if ((threadId === undefined) === (rootStepId === undefined) || others.length > 0)
    throw new UsageError('outline: expected a thread, or --run and a step')
  const budget = wholeNumber('budget', given.values.budget)
  const text = await outline(client(), { threadId, rootStepId, budget })
  return print(text, `there is no ${threadId === undefined ? 'step' : 'thread'} with this id`)
}

/** Prints what a step took and gave. */
export const printStep = async (args: readonly string[]): Promise<number> => {
  const given = readArgs(args, READ, ['part', 'from', 'budget'])
  if (given === undefined) return 0
  const [stepId, ...others] = given.positionals
  if (stepId === undefined || others.length > 0) throw new UsageError('read: expected one step')
  const budget = wholeNumber('budget', given.values.budget)
  const from = wholeNumber('from', given.values.from)
  const text = await read(client(), { stepId, part: given.values.part, from, budget })
  return print(text, 'there is no step with this id')
}
