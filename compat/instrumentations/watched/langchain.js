// LangChain with its client of OpenAI.
import { createRequire } from 'node:module'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { within } from './agent.js'

const require = createRequire(import.meta.url)

/** Watches LangChain with an instrumentation that patches its callbacks. */
export const instrumented = (create) => async () => ({
  start: async ({ modelUrl, played, ...providers }) => {
    const instrumentation = await create(require('@langchain/core/callbacks/manager'))
    registerInstrumentations({ instrumentations: [instrumentation], ...providers })
    const { ChatOpenAI } = require('@langchain/openai')
    const { model, temperature } = played
    const chat = new ChatOpenAI({
      model,
      temperature,
      apiKey: 'k',
      maxRetries: 0,
      streamUsage: true,
      configuration: { baseURL: `${modelUrl}/v1` },
    })
    return (scenario, session) => within(played, session, () => converse(chat, played, scenario))
  },
})

const converse = async (chat, { system, tool: described }, scenario) => {
  const { HumanMessage, SystemMessage } = require('@langchain/core/messages')
  const { tool } = require('@langchain/core/tools')
  const { prompt, image, calls = [], streams } = scenario
  const url = `data:image/png;base64,${image}`
  const content = image
    ? [
        { type: 'text', text: prompt },
        { type: 'image_url', image_url: { url } },
      ]
    : prompt
  const messages = [new SystemMessage(system), new HumanMessage({ content })]
  if (streams) {
    const abort = new AbortController()
    let parts = 0
    for await (const _ of await chat.stream(messages, { signal: abort.signal }))
      if (scenario.endless && ++parts === 4) abort.abort()
    return
  }
  if (calls.length === 0) {
    await chat.invoke(messages)
    return
  }
  const { name, description, parameters: schema } = described
  const weather = tool(({ city }) => calls.find((call) => call.city === city).result, {
    name,
    description,
    schema,
  })
  const able = chat.bindTools([weather])
  const answer = await able.invoke(messages)
  const results = []
  for (const call of answer.tool_calls) results.push(await weather.invoke(call))
  await able.invoke([...messages, answer, ...results])
}
