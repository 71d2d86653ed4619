import type { StepwellClient } from '../../client.js'
import { openAIChat } from '../../model-calls/apis/openai-chat.js'
import { openAICompletion } from '../../model-calls/apis/openai-completion.js'
import { isPlain } from '../../values/fit.js'
import { keyOf } from '../comparing/normal.js'
import type { RecordedCall, RecordedNode, RecordedRun } from '../fixtures/read-fixture.js'
import { toldOf } from '../writing/told.js'
import { writerOf } from '../writing/writers.js'

/** An address that leads nowhere: nothing is sent to it. */
const ADDRESS = 'https://models.invalid/v1'

type Step = Parameters<Parameters<StepwellClient['trace']>[1]>[0]

/**
 * Does what was recorded once more: the same steps in their order, and a request for each model call, whose answer comes from the
 * record. It stands in for the application until a test has that.
 */
export const play = async (
  stepwell: StepwellClient,
  { roots, scores }: RecordedRun,
  threadId = 'replayed',
): Promise<void> => {
  const thread = stepwell.thread({ id: threadId })
  await thread.wrap(async () => {
    for (const root of roots) await playStep(stepwell, root)
  })
  for (const { name, type, value } of scores) thread.score({ name, type: type as 'CODE', value })
}

const playStep = async (stepwell: StepwellClient, node: RecordedNode): Promise<void> => {
  const { step, call, children } = node
  const data = { name: step.name, type: step.type as 'run', input: step.input }
  await stepwell
    .trace(data, async (made) => {
      if (call !== undefined) await playCall(stepwell, made, call)
      for (const child of children) await playStep(stepwell, child)
      if (step.scores !== undefined)
        made.scores = step.scores.map(({ name, type, value }) => ({
          name,
          type: type as 'CODE',
          value,
        }))
      if (step.output !== undefined) made.output = step.output
      if (step.error !== undefined) made.error = step.error
    })
    // It is the recorded error of a tool, and so part of the step.
    .catch((error: unknown) => {
      if (step.error === undefined) throw error
    })
}

/** Asks the model as it was asked, where chats of OpenAI can say all of it; else notes the call. */
const playCall = async (
  stepwell: StepwellClient,
  made: Step,
  call: RecordedCall,
): Promise<void> => {
  const request = requestOf(call)
  if (request === undefined || made.type !== 'llm') {
    made.generation = generationOf(call)
    return
  }
  try {
    await (
      await stepwell.fetch(`${ADDRESS}${request.path}`, {
        method: 'POST',
        body: JSON.stringify(request.body),
      })
    ).text()
  } catch (error) {
    if (call.error === undefined) throw error
  }
}

const requestOf = (
  call: RecordedCall,
): { path: string; body: Record<string, unknown> } | undefined => {
  if (call.error !== undefined || !isTold(call)) return undefined
  const model = call.asked ?? call.model
  const { stream: _, ...settings } = isPlain(call.settings) ? call.settings : {}
  const body = { ...settings, model, tools: call.tools }
  if (call.messages !== undefined)
    return { path: '/chat/completions', body: { ...body, messages: call.messages } }
  return { path: '/completions', body: { ...body, prompt: call.prompt } }
}

/** Returns true for an answer that the tap reads as it was recorded. */
const isTold = (call: RecordedCall): boolean => {
  const isChat = call.messages !== undefined
  if (!isChat && call.prompt === undefined) return false
  const api = isChat ? openAIChat : openAICompletion
  const told = toldOf(call, 0)
  const answer = api.answer()
  const written = writerOf(api.name)?.(told, { url: '', body: {} })
  answer.whole(JSON.parse(written?.body ?? 'null'))
  const read = answer.read()
  return (
    keyOf(read.usage) === keyOf(told.usage) &&
    read.model === call.model &&
    (!isChat || (call.answer !== undefined && keyOf(read.message) === keyOf(call.answer))) &&
    (isChat || read.completion === call.completion)
  )
}

const generationOf = (call: RecordedCall): NonNullable<Step['generation']> => {
  const {
    messages,
    answer,
    tools,
    asked: _,
    isCostTold,
    cost,
    finishReason,
    responseId,
    ...rest
  } = call
  return {
    ...rest,
    ...(messages === undefined ? {} : { messages }),
    ...(answer === undefined ? {} : { messageCompletion: answer }),
    ...(tools === undefined ? {} : { tools }),
    ...(isCostTold === true ? { cost } : {}),
  } as NonNullable<Step['generation']>
}
