import type { LiveStep, LiveThread, Prompt, SnakePrompt, StepwellClient } from 'stepwell'
import type { StepwellClient as BlockingClient } from 'stepwell/sync'

/** The names that examples of docstrings use beside what they import: a project with something in it, and an application. */
export interface ExampleWorld {
  stepwell: StepwellClient
  /** A thread of `ada@example.org` with a run, a model call below it, and an attachment. */
  threadId: string
  stepId: string
  generationId: string
  attachmentId: string
  scoreId: string
  /** A dataset called `refunds`, with an item. */
  datasetId: string
  datasetItemId: string
  experimentId: string
  userId: string
  /** The id of the first of two versions of the prompt `support`. */
  promptId: string
  sessionId: string
  apiKeyId: string
  alertId: string
  /** An hour, ISO 8601. */
  from: string
  to: string
  prompt: Prompt
  snake_prompt: SnakePrompt
  step: LiveStep
  thread: LiveThread
  blocking: BlockingClient
  question: string
  agent(question: string): Promise<string>
  search(query: string): Promise<string[]>
  /** Calls a model. */
  model(messages: readonly object[]): Promise<string>
  /** Calls a model that answers piece by piece. */
  stream(question: string): AsyncGenerator<string>
  /** The class of LangChain, as far as it is needed. */
  ChatPromptTemplate: { fromMessages(messages: object[]): { messages: object[] } }
  request: { headers: Record<string, string> }
}
