// The client of OpenAI, as it is used without a framework.
import { createRequire } from 'node:module'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { readAll, within } from './agent.js'

const require = createRequire(import.meta.url)

/** Watches the client with an instrumentation that patches it. */
export const instrumented = (create) => async () => ({
  start: async ({ modelUrl, played, ...providers }) => {
    const instrumentation = await create()
    registerInstrumentations({ instrumentations: [instrumentation], ...providers })
    const { OpenAI } = require('openai')
    instrumentation.manuallyInstrument?.(OpenAI)
    const client = new OpenAI({ apiKey: 'k', baseURL: `${modelUrl}/v1`, maxRetries: 0 })
    return (scenario, session) => within(played, session, () => converse(client, played, scenario))
  },
})

/** Plays a scenario: asks, calls the tools that the model asks for, and asks again. */
export const converse = async (client, played, scenario) => {
  const { model, system, temperature, tool } = played
  const { prompt, image, calls = [], streams } = scenario
  const url = `data:image/png;base64,${image}`
  const content = image
    ? [
        { type: 'text', text: prompt },
        { type: 'image_url', image_url: { url } },
      ]
    : prompt
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content },
  ]
  const ask = (asked) =>
    client.chat.completions.create({
      model,
      temperature,
      messages: asked,
      ...(calls.length > 0 ? { tools: [{ type: 'function', function: tool }] } : {}),
      ...(streams ? { stream: true, stream_options: { include_usage: true } } : {}),
    })
  const answer = await ask(messages)
  if (streams) {
    await readAll(answer, scenario, () => answer.controller.abort())
    return
  }
  const results = calls.map(({ id, result }) => ({
    role: 'tool',
    tool_call_id: id,
    content: result,
  }))
  if (results.length > 0) await ask([...messages, answer.choices[0].message, ...results])
}
