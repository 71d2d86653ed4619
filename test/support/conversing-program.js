// An agent with tools, which goes through conversations of a file: their users and the results of tools come from there, all else from
// the model. Writes everything that it gets into a file for each conversation.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StepwellClient } from 'stepwell'

const { CONVERSATIONS, PREFIX, MODEL_URL, OUT, TOOLS_CALLED, STREAM } = process.env
const conversations = JSON.parse(readFileSync(CONVERSATIONS, 'utf8'))
const stepwell = new StepwellClient()

const answerOf = async (response) => {
  if (STREAM === undefined) {
    const { choices, usage } = await response.json()
    return { ...choices[0], usage }
  }
  const whole = { message: {}, finish_reason: undefined, usage: undefined }
  for (const line of (await response.text()).split('\n')) {
    if (!line.startsWith('data: {')) continue
    const { choices, usage } = JSON.parse(line.slice('data: '.length))
    const { delta = {}, finish_reason } = choices[0] ?? {}
    const { role, content, tool_calls = [] } = delta
    if (role !== undefined) whole.message.role = role
    if (content !== undefined) whole.message.content = addedTo(whole.message.content, content)
    for (const { index, ...call } of tool_calls) {
      whole.message.tool_calls ??= []
      whole.message.tool_calls[index] = call
    }
    whole.finish_reason = finish_reason ?? whole.finish_reason
    whole.usage = usage ?? whole.usage
  }
  return whole
}

const addedTo = (before, content) =>
  content === null ? (before ?? null) : (before ?? '') + content

const converse = async (index) => {
  const { length, given } = conversations[index]
  const out = join(OUT, String(index))
  writeFileSync(out, '')
  const note = (value) => appendFileSync(out, `${JSON.stringify(value)}\n`)
  const messages = [given[0], given[1]]
  while (messages.length < length) {
    const body = JSON.stringify({
      model: 'gpt-4o',
      messages,
      ...(STREAM === undefined ? {} : { stream: true, stream_options: { include_usage: true } }),
    })
    const headers = { 'content-type': 'application/json', 'x-conversation': String(index) }
    const response = await stepwell.fetch(MODEL_URL, { method: 'POST', headers, body })
    const { message, finish_reason, usage } = await answerOf(response)
    note({ status: response.status, message, finish_reason, usage })
    messages.push(message)
    for (const { id, function: called } of message.tool_calls ?? []) {
      const place = messages.length
      const tool = stepwell.traced(
        async () => {
          appendFileSync(TOOLS_CALLED, `${index} ${called.name}\n`)
          return { content: given[place].content }
        },
        { name: called.name, type: 'tool' },
      )
      const { content } = await tool(JSON.parse(called.arguments))
      note({ tool: called.name, content })
      messages.push({ role: 'tool', tool_call_id: id, name: called.name, content })
    }
    if (messages.length < length && message.tool_calls === undefined)
      messages.push(given[messages.length])
  }
}

for (const index of process.argv.slice(2))
  await stepwell
    .thread({ id: `${PREFIX}-${index}`, name: 'A conversation' })
    .wrap(() =>
      stepwell.trace({ name: 'agent', type: 'run', input: { index } }, () => converse(index)),
    )
await stepwell.close({ timeoutMs: 60_000 }).catch(() => undefined)
