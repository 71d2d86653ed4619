// Counts the tokens of answers for agents by real vocabularies, over recorded conversations and made traces:
//
//   node scripts/run.js compat/answer-budgets.ts FILE
//
// FILE has conversations of tau-bench, as for examples/tau-bench.ts, which imports them first into the service at
// STEPWELL_API_URL. Made traces have up to 20,000 steps. Fails when an answer exceeds its budget.
import { Tokenizer } from 'ai-tokenizer'
import * as claude from 'ai-tokenizer/encoding/claude'
import { countTokens as inCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as inO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { diff, exportRows, find, outline, query, read } from '../src/agents/index.js'
import { StepwellClient } from '../src/index.js'

const ofClaude = new Tokenizer(claude)
const plain = { disallowedSpecial: new Set<string>() }
const realTokens = (text: string): number =>
  Math.max(inO200k(text, plain), inCl100k(text, plain), ofClaude.encode(text, 'all').length)

export interface Outcome {
  answers: number
  /** The largest part of a budget that an answer used. */
  largestShare: number
  above: string[]
}

/** Asks for all that threads have, each thread beside the one before, within each budget. */
export const checkBudgets = async (
  client: StepwellClient,
  threadIds: readonly string[],
  budgets: readonly number[],
): Promise<Outcome> => {
  const outcome: Outcome = { answers: 0, largestShare: 0, above: [] }
  for (const [index, threadId] of threadIds.entries()) {
    const base = { threadId: threadIds[index - 1] ?? threadId }
    const { steps = [] } = (await client.api.getOutline({ threadId })) ?? {}
    const stepId = steps[(index * 7) % Math.max(1, steps.length)]?.id ?? ''
    const from = '2020-01-01'
    for (const budget of budgets)
      for (const [name, answer] of Object.entries({
        outline: await outline(client, { threadId, budget }),
        diff: await diff(client, { base, other: { threadId }, budget }),
        read: await read(client, { stepId, budget }),
        find: await find(client, { subject: index % 2 === 0 ? 'steps' : 'threads', budget }),
        query: await query(client, { subject: 'steps', by: 'name', buckets: 50, from, budget }),
        ...(index % 10 === 0
          ? { export: await exportRows(client, { list: 'steps', limit: 500, budget }) }
          : {}),
      })) {
        const tokens = realTokens(answer?.text ?? '')
        outcome.answers++
        outcome.largestShare = Math.max(outcome.largestShare, tokens / budget)
        if (tokens > budget) outcome.above.push(`${name} ${threadId} ${budget}: ${tokens}`)
      }
  }
  return outcome
}

const TEXTS = [
  'The order was sent yesterday evening and is expected today. ',
  '注文は昨日の夕方に発送されました。今日届く予定です。',
  'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4',
  '{"flight":"HAT001","seats":[1,2,3],"price":123.45}',
  '👩‍👩‍👧‍👦🎉 ',
  '0123456789abcdef',
  '\n\t`'.repeat(20),
]

/** Sends a trace of so many steps: loops, trees, failures and texts of several scripts. Returns the id of its thread. */
export const makeTrace = async (client: StepwellClient, count: number): Promise<string> => {
  const threadId = `made-${count}`
  for (let from = 0; from < count; from += 500)
    await client.api.sendSteps(
      Array.from({ length: Math.min(500, count - from) }, (_, place) => {
        const index = from + place
        const text = TEXTS[(index * 5) % TEXTS.length] ?? ''
        const at = Date.UTC(2026, 10, 1) + index * 10
        return {
          id: `${threadId}-${index}`,
          threadId,
          type: index % 9 === 0 ? ('run' as const) : ('tool' as const),
          name: index % 31 === 0 ? text : `tool ${index % 7}`,
          ...(index % 9 === 0 ? {} : { parentId: `${threadId}-${index - (index % 9)}` }),
          input: { text: text.repeat((index % 11) + 1), index },
          output: text.repeat(index % 5),
          ...(index % 97 === 0 ? { error: text } : {}),
          startTime: new Date(at).toISOString(),
          endTime: new Date(at + 5 + (index % 100)).toISOString(),
        }
      }),
    )
  return threadId
}

const main = async (file: string): Promise<void> => {
  const client = new StepwellClient({ timeoutMs: 600_000 })
  const conversations: string[] = []
  for await (const { id } of client.api.getThreads.all({ filters: [] }))
    if (id.startsWith('tau-bench-')) conversations.push(id)
  const made: string[] = []
  for (const count of [10, 100, 1000, 5000, 20_000]) made.push(await makeTrace(client, count))
  const outcomes = {
    [`${conversations.length} conversations of ${file}`]: await checkBudgets(
      client,
      conversations,
      [500, 8000],
    ),
    'made traces': await checkBudgets(client, made, [500, 1000, 2000, 4000, 8000, 20_000, 50_000]),
  }
  for (const [name, { answers, largestShare, above }] of Object.entries(outcomes)) {
    console.log(
      `${name}: ${answers} answers, ${above.length} above their budget, at most ${(100 * largestShare).toFixed(1)} % of it used`,
    )
    for (const line of above) console.log(`  ${line}`)
    if (above.length > 0) process.exitCode = 1
  }
}

if (process.argv[1]?.endsWith('answer-budgets.ts')) await main(process.argv[2] ?? 'the service')
