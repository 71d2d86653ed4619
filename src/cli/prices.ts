import fs from 'node:fs'
import type { Price, PriceInput, Repricing } from '../api/costs/prices.js'
import { StepwellClient } from '../client.js'
import { demandNone, noSuchCommand, readUsage, UsageError } from './usage.js'

const HELP = `Usage: stepwell prices list [--book] [--json]
       stepwell prices set MODEL [--provider NAME] [--from TIME] [--until TIME] [--PART DOLLARS …]
       stepwell prices remove ID
       stepwell prices import FILE
       stepwell prices reprice

Prices of models, in dollars per million tokens. Those of the project come before the price book of the service.

  list       print the prices of the project, or with --book those of the book
  set        create or replace a price: --input 2.5 --cached 1.25 --output 10. The parts are input, cached, cache-write,
             cache-write-5m, cache-write-1h, audio-input, image-input, output, reasoning, audio-output, image-output
  remove     delete a price of the project
  import     set the prices of a JSON file, a list in the form of list --json
  reprice    compute the costs of all stored calls anew, and show the progress
`

const PARTS = {
  input: 'input',
  cached: 'cached',
  'cache-write': 'cacheWrite',
  'cache-write-5m': 'cacheWrite5m',
  'cache-write-1h': 'cacheWrite1h',
  'audio-input': 'audioInput',
  'image-input': 'imageInput',
  output: 'output',
  reasoning: 'reasoning',
  'audio-output': 'audioOutput',
  'image-output': 'imageOutput',
} as const satisfies Record<string, keyof PriceInput['rates']>
type PartOption = keyof typeof PARTS

const VERBS = ['list', 'set', 'remove', 'import', 'reprice'] as const
/** Prices of a request. */
const AT_ONCE = 500
const POLL_MS = 500

/** Lists and changes the prices of the project, and applies them. */
export const prices = async (args: readonly string[]): Promise<number> => {
  const [first = '', ...rest] = args
  const verb = VERBS.find((one) => one === first)
  const names = ['provider', 'from', 'until', ...(Object.keys(PARTS) as PartOption[])] as const
  const usage = readUsage(verb === undefined ? args : rest, HELP, names, ['book', 'json'])
  if (usage === undefined) return 0
  if (verb === undefined) throw noSuchCommand(first, [...VERBS])
  if (verb === 'list' || verb === 'reprice') demandNone(`prices ${verb}`, usage.command)
  const { api } = new StepwellClient({ disabled: true })
  const say = (line: string) => process.stdout.write(`${line}\n`)
  switch (verb) {
    case 'list': {
      const { asOf, ageDays, isOld, prices: book } = await api.getPriceBook()
      const listed = usage.has('book') ? book : await api.getPrices()
      if (usage.has('json')) say(JSON.stringify(listed.flatMap(inputsOf), null, 2))
      else for (const price of listed) say(lineOf(price))
      if (isOld)
        process.stderr.write(
          `stepwell: the price book is of ${asOf}, ${ageDays} days ago; prices have probably changed since\n`,
        )
      return 0
    }
    case 'set': {
      const { provider, from, until } = usage.values
      const model = required(usage.command, 'a model')
      const rates: { [part in keyof PriceInput['rates']]: number } = {}
      for (const name of Object.keys(PARTS) as PartOption[]) {
        const given = usage.values[name]
        if (given !== undefined) rates[PARTS[name]] = numberOf(name, given)
      }
      if (Object.keys(rates).length === 0) throw new UsageError('expected a price, as --input 2.5')
      await api.setPrices([{ model, provider, from, until, rates }])
      say(`${model} has a price; stepwell prices reprice applies it to stored calls`)
      return 0
    }
    case 'remove': {
      const id = required(usage.command, 'the id of a price')
      if ((await api.deletePrice(id)) === null) {
        process.stderr.write(`stepwell: there is no price ${JSON.stringify(id)}\n`)
        return 1
      }
      say(`${id} is removed`)
      return 0
    }
    case 'import': {
      const given = readPrices(required(usage.command, 'a file'))
      for (let from = 0; from < given.length; from += AT_ONCE)
        await api.setPrices(given.slice(from, from + AT_ONCE))
      say(given.length === 1 ? '1 price is set' : `${given.length} prices are set`)
      return 0
    }
    case 'reprice': {
      let run: Repricing | null = await api.reprice()
      const { startedAt } = run
      while (run !== null && run.endedAt === null && run.startedAt === startedAt) {
        process.stderr.write(`${run.done} of ${run.total} calls\n`)
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
        run = await api.getRepricing()
      }
      say(run?.done === 1 ? '1 call is priced anew' : `${run?.done ?? 0} calls are priced anew`)
      return 0
    }
  }
}

const required = (given: string, expected: string): string => {
  if (given === '') throw new UsageError(`expected ${expected}, got nothing`)
  return given
}

const numberOf = (name: string, given: string): number => {
  const dollars = given.trim() === '' ? Number.NaN : Number(given)
  if (!Number.isFinite(dollars))
    throw new UsageError(`--${name}: expected dollars per million tokens, got ${given}`)
  return dollars
}

const readPrices = (file: string): PriceInput[] => {
  let read: unknown
  try {
    read = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file}: expected JSON`)
    throw error
  }
  if (!Array.isArray(read)) throw new UsageError(`${file}: expected a list of prices`)
  return read as PriceInput[]
}

/** Returns a listed price in the form in which it is set: one for each name of the model. */
const inputsOf = ({ provider, models, from, until, rates, tiers }: Price): PriceInput[] =>
  models.map((model) => ({ provider, model, from, until, rates, tiers: [...tiers] }))

const lineOf = ({ id, provider, models, from, until, rates }: Price): string => {
  const shown = Object.entries(rates).flatMap(([part, dollars]) =>
    dollars === null ? [] : `${part} ${dollars}`,
  )
  const time = `${from.slice(0, 10)} to ${until === null ? 'now' : until.slice(0, 10)}`
  return [id, provider ?? 'any', models.join(', '), time, shown.join(', ')]
    .filter((value) => value !== null)
    .join('  ')
}
