// The client of Anthropic, as it is used without a framework.
import { createRequire } from 'node:module'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { readAll, within } from './agent.js'

const require = createRequire(import.meta.url)

/** Lets the client watch itself, as it does since its first version. */
export const alone = (load) => async () => ({
  start: async ({ modelUrl, played }) => {
    const { Anthropic } = await load()
    const client = new Anthropic({ apiKey: 'k', baseURL: modelUrl, maxRetries: 0 })
    return (scenario, session) => within(played, session, () => converse(client, played, scenario))
  },
})

/** Watches the client with an instrumentation that patches it. */
export const instrumented = (create) => async () => ({
  start: async ({ modelUrl, played, ...providers }) => {
    const instrumentation = await create()
    registerInstrumentations({ instrumentations: [instrumentation], ...providers })
    const module = require('@anthropic-ai/sdk')
    instrumentation.manuallyInstrument?.(module)
    const client = new module.Anthropic({ apiKey: 'k', baseURL: modelUrl, maxRetries: 0 })
    return (scenario, session) => within(played, session, () => converse(client, played, scenario))
  },
})

/** Plays a scenario: asks, calls the tools that the model asks for, and asks again. */
const converse = async (client, played, scenario) => {
  const { anthropicModel: model, max_tokens, system, tool } = played
  const { prompt, image: data, calls = [], streams, reasoning } = scenario
  const source = { type: 'base64', media_type: 'image/png', data }
  const content = data
    ? [
        { type: 'text', text: prompt },
        { type: 'image', source },
      ]
    : prompt
  const messages = [{ role: 'user', content }]
  const { name, description, parameters: input_schema } = tool
  const ask = (asked) =>
    client.messages.create({
      model,
      system,
      max_tokens,
      ...(reasoning ? { thinking: { type: 'enabled', budget_tokens: 2000 } } : {}),
      messages: asked,
      ...(calls.length > 0 ? { tools: [{ name, description, input_schema }] } : {}),
      ...(streams ? { stream: true } : {}),
    })
  const answer = await ask(messages)
  if (streams) {
    await readAll(answer, scenario, () => answer.controller.abort())
    return
  }
  const results = calls.map(({ id, result }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: result,
  }))
  if (results.length > 0)
    await ask([
      ...messages,
      { role: 'assistant', content: answer.content },
      { role: 'user', content: results },
    ])
}
