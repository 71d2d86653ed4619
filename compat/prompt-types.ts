// Compiled with frameworks/, and never run: clients of models take the messages of a prompt without a cast, in each major.
import type Anthropic from '@anthropic-ai/sdk'
import type { OpenAI as OpenAI4 } from 'openai'
import type { OpenAI as OpenAI5 } from 'openai-5'
import type { OpenAI as OpenAI6 } from 'openai-6'
import type { OpenAI as OpenAI7 } from 'openai-7'
import type { Prompt, SnakePrompt } from '../src/index.js'

export const use = async (
  prompt: Prompt<{ shop: string }>,
  snake: SnakePrompt,
  openai4: OpenAI4,
  openai5: OpenAI5,
  openai6: OpenAI6,
  openai7: OpenAI7,
): Promise<void> => {
  const messages = prompt.format({ shop: 'a' })
  const model = 'a'
  await openai4.chat.completions.create({ model, messages })
  await openai4.responses.create({ model, input: messages })
  await openai5.chat.completions.create({ model, messages, stream: true })
  await openai5.responses.create({ model, input: messages })
  await openai6.chat.completions.create({ model, messages })
  await openai6.chat.completions.parse({ model, messages })
  await openai6.responses.create({ model, input: messages })
  await openai6.chat.completions.create({
    model,
    messages: [...prompt.formatMessages({ shop: 'a' }), { role: 'user', content: 'b' }],
  })
  await openai6.chat.completions.create({ model, messages: snake.format_messages() })
  await openai7.chat.completions.create({ model, messages })
  await openai7.responses.create({ model, input: messages })
  // @ts-expect-error: a message of no known role does not pass
  await openai6.responses.create({ model, input: [{ ...messages[0], role: 'nobody' }] })
}

/** The Messages API has the system's text apart. */
export const useMessagesApi = async (prompt: Prompt, anthropic: Anthropic): Promise<void> => {
  const messages = prompt.format()
  await anthropic.messages.create({
    model: 'a',
    max_tokens: 1,
    system: messages.find(({ role }) => role === 'system')?.content ?? '',
    messages: messages.filter((message) => message.role !== 'system'),
  })
}

/** Templates with parts or tools are for one provider, whose type is named. */
export const named = (prompt: Prompt): OpenAI6.ChatCompletionMessageParam[] =>
  prompt.format() as OpenAI6.ChatCompletionMessageParam[]
