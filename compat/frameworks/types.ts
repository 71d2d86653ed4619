// Compiled, and never run: the hooks fit into the types of the frameworks as users have them.
import { query } from '@anthropic-ai/claude-agent-sdk'
import * as context from '@langchain/core/context'
import { ChatOpenAI } from '@langchain/openai'
import { Observability } from '@mastra/observability'
import { Client } from '@modelcontextprotocol/client'
import { McpServer } from '@modelcontextprotocol/server'
import { addTraceProcessor } from '@openai/agents'
import { generateText as generateText5, type ModelMessage as Message5 } from 'ai-5'
import { generateText as generateText6, type ModelMessage as Message6 } from 'ai-6'
import {
  generateText as generateText7,
  type ModelMessage as Message7,
  registerTelemetry,
  streamText as streamText7,
} from 'ai-7'
import { createAgent } from 'langchain'
import { stepwellIntegration, stepwellTelemetry } from '../../src/hooks/ai-sdk/index.js'
import { recordQuery } from '../../src/hooks/claude-agent-sdk/index.js'
import { recordLangChain, stepwellCallbacks } from '../../src/hooks/langchain/index.js'
import { stepwellBridge } from '../../src/hooks/mastra/index.js'
import { recordMcp } from '../../src/hooks/mcp/index.js'
import { stepwellProcessor } from '../../src/hooks/openai-agents/index.js'
import { type Prompt, StepwellClient } from '../../src/index.js'

const stepwell = new StepwellClient()
const telemetry = stepwellTelemetry(stepwell, { functionId: 'answer', metadata: { plan: 'team' } })

export const use = async (model5: never, model6: never, model7: never): Promise<void> => {
  await generateText5({ model: model5, prompt: 'a', experimental_telemetry: telemetry })
  await generateText6({ model: model6, prompt: 'a', experimental_telemetry: telemetry })
  registerTelemetry(stepwellIntegration(stepwell))
  const integrations = [stepwellIntegration(stepwell)]
  await generateText7({ model: model7, prompt: 'a', telemetry: { integrations } })
  addTraceProcessor(stepwellProcessor(stepwell))
  recordLangChain(stepwell, context)
  const callbacks = [stepwellCallbacks(stepwell)]
  await new ChatOpenAI({ callbacks }).invoke('a', { callbacks })
  await createAgent({ model: 'a', tools: [] }).invoke({ messages: [] }, { callbacks })
  const asking: typeof query = recordQuery(stepwell, query, { threads: true })
  await asking({ prompt: 'a', options: { maxTurns: 1 } }).interrupt()
  const bridge = stepwellBridge(stepwell)
  new Observability({ configs: { default: { serviceName: 'a', bridge, exporters: [bridge] } } })
  const client: Client = recordMcp(stepwell, new Client({ name: 'a', version: '1' }))
  const server: McpServer = recordMcp(stepwell, new McpServer({ name: 'a', version: '1' }))
  await Promise.all([client.close(), server.close()])
}

/** The messages of a prompt are messages of these libraries, without a cast. */
export const format = async (prompt: Prompt<{ shop: string }>, model: never): Promise<void> => {
  const messages = prompt.format({ shop: 'a' })
  const ofMajors: [Message5[], Message6[], Message7[]] = [messages, messages, messages]
  await generateText5({ model, messages })
  await generateText6({ model, messages })
  await generateText7({ model, messages })
  streamText7({ model, messages: [...prompt.formatMessages({ shop: 'a' }), ...ofMajors[2]] })
  await new ChatOpenAI().invoke(messages)
  await createAgent({ model: 'a', tools: [] }).invoke({ messages })
  // @ts-expect-error: a message of no known role does not pass
  const wrong: Message7[] = [{ ...messages[0], role: 'nobody' }]
  void wrong
}
