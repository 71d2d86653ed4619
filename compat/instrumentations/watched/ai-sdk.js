// The AI SDK, which watches itself.

/** Watches an AI SDK; `register` sets its telemetry up, and `processor` changes its spans on their way. */
export const watching =
  ({ load, provider = () => import('@ai-sdk/openai-compatible'), register, processor }) =>
  async () => ({
    processor: await processor?.(),
    start: async ({ modelUrl, played }) => {
      const ai = await load()
      await register?.(ai)
      const { createOpenAICompatible } = await provider()
      const models = createOpenAICompatible({
        name: 'play',
        baseURL: `${modelUrl}/v1`,
        apiKey: 'k',
        includeUsage: true,
      })
      const { z } = await import('zod')
      return (scenario, session) =>
        converse(ai, z, models.chatModel(played.model), played, scenario, session)
    },
  })

const converse = async (ai, z, model, played, scenario, session) => {
  const { system, temperature, tool, user } = played
  const { prompt, image, calls, streams } = scenario
  const metadata = { sessionId: session, userId: user }
  const telemetry = { isEnabled: true, functionId: 'agent', metadata }
  const abort = new AbortController()
  const asked = {
    model,
    system,
    temperature,
    maxRetries: 0,
    abortSignal: abort.signal,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: prompt },
          ...(image ? [{ type: 'file', mediaType: 'image/png', data: image }] : []),
        ],
      },
    ],
    ...(calls
      ? {
          tools: {
            [tool.name]: ai.tool({
              description: tool.description,
              inputSchema: z.object({ city: z.string() }),
              execute: async ({ city }) => calls.find((call) => call.city === city).result,
            }),
          },
        }
      : {}),
    stopWhen: (ai.stepCountIs ?? ai.isStepCount)(3),
    experimental_telemetry: telemetry,
    telemetry: { ...telemetry, includeRuntimeContext: { sessionId: true, userId: true } },
    runtimeContext: metadata,
  }
  if (!streams) {
    await ai.generateText(asked)
    return
  }
  const { fullStream } = ai.streamText({ ...asked, onError: () => undefined })
  let pieces = 0
  for await (const { type } of fullStream)
    if (scenario.endless && type === 'text-delta' && ++pieces === 3) abort.abort()
}
