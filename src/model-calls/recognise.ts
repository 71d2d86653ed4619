import { anthropic } from './apis/anthropic.js'
import type { Api } from './apis/api.js'
import { bedrock } from './apis/bedrock.js'
import { cohereChat } from './apis/cohere.js'
import {
  cohereEmbeddings,
  geminiEmbeddings,
  ollamaEmbeddings,
  openAIEmbeddings,
} from './apis/embeddings.js'
import { gemini } from './apis/gemini.js'
import { ollamaChat, ollamaGenerate } from './apis/ollama.js'
import { openAIChat } from './apis/openai-chat.js'
import { openAICompletion } from './apis/openai-completion.js'
import { openAIResponses } from './apis/openai-responses.js'
import type { Json } from './json.js'

/** The ends of paths at which models are asked, and the APIs behind them. */
const PATHS: readonly (readonly [end: RegExp, api: Api])[] = [
  [/\/chat\/completions$/, openAIChat],
  [/\/responses$/, openAIResponses],
  [/\/v\d+[^/]*\/messages$|\/anthropic\/messages$|:(stream)?rawPredict$|\/invoke$/i, anthropic],
  [/:(stream)?generateContent$/i, gemini],
  [/\/embeddings$/, openAIEmbeddings],
  [/\/(fim\/)?completions$/, openAICompletion],
  [/\/api\/chat$/, ollamaChat],
  [/\/api\/generate$/, ollamaGenerate],
  [/\/api\/(embed|embeddings)$/, ollamaEmbeddings],
  [/\/v2\/chat$/, cohereChat],
  [/\/v\d\/embed$/, cohereEmbeddings],
  [/:(batch)?embedContents?$/i, geminiEmbeddings],
  [/\/model\/[^/]+\/converse$/, bedrock],
]

/** The letters with which the last part of such a path ends: most other requests are told by them alone. */
const LAST = /(?:ions|nses|ages|dict|tent|ents|ings|chat|rate|mbed|oke|erse)$/i

/** Returns the path of an address, without its query. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}

/** Returns the APIs that a path may lead to. */
export const apisAt = (path: string): readonly Api[] => {
  if (!LAST.test(path)) return NONE
  const found: Api[] = []
  for (const [end, api] of PATHS) if (end.test(path)) found.push(api)
  return found
}

const NONE: readonly Api[] = []

/** Returns the API of a request; undefined when it asks no model. */
export const apiOf = (apis: readonly Api[], body: Json): Api | undefined =>
  apis.find((api) => api.isRequest(body))

/** Returns the API of a request whose body can't be read; undefined when its path may mean something else. */
export const sureApi = (
  apis: readonly Api[],
  path: string,
  isKnownHost: boolean,
): Api | undefined =>
  isKnownHost || /\/chat\/completions$|:(stream)?generateContent$/i.test(path) ? apis[0] : undefined
