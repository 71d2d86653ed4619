import type { Json } from '../json.js'
import { fromAiSdk } from './ai-sdk.js'
import { fromAnthropic, fromBedrock } from './anthropic.js'
import { fromGemini } from './gemini.js'
import { fromOpenAI } from './openai.js'
import { fromCohere, fromOllama } from './others.js'
import type { Usage } from './usage.js'

/** The shapes in which usage is told. */
export type UsageForm =
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'cohere'
  | 'ollama'
  | 'bedrock'
  | 'ai-sdk'

const READERS: Record<UsageForm, (usage: Json) => Usage | undefined> = {
  openai: fromOpenAI,
  anthropic: fromAnthropic,
  gemini: fromGemini,
  cohere: fromCohere,
  ollama: fromOllama,
  bedrock: fromBedrock,
  'ai-sdk': fromAiSdk,
}

/** Reads usage as a provider told it; returns undefined when it told none. */
export const readUsage = (form: UsageForm, value: Json): Usage | undefined => READERS[form](value)
