import type { GenerationPayloadInput } from '../../../generated/resolvers.js'
import { isObject } from '../../domain/values.js'
import type { Attributes } from '../encoding/schema.js'
import type { Span } from '../span.js'
import { firstText, firstValue, structure } from './attributes.js'
import { asSent } from './dialects/as-sent.js'
import { modelOfGenkit } from './dialects/genkit.js'
import { msToFirstChunkOfLangfuse, settingsOfLangfuse } from './dialects/langfuse.js'
import { providerOfLangSmith, settingsOfLangSmith } from './dialects/langsmith.js'
import { detailsOf, msToFirstPiece } from './events.js'
import { answerOf, askedOf, type CallSource, toolsOf } from './exchange.js'
import { Taken } from './taken.js'
import { costOf, msToFirstChunk, usageOf } from './usage.js'

const SECOND = 1_000_000_000
/** The settings of a request, under the names of models' own APIs. */
const SETTING = /^(?:gen_ai\.request|llm\.request|ai\.settings)\.(\w+(?:\.\w+)?)$/
const NO_SETTING = /^(?:model|type|model_name|(?:functions|context)\..*)$/
/** Settings that OpenLLMetry writes without a word in between. */
const PLAIN = /^llm\.(top_k|frequency_penalty|presence_penalty|chat\.stop_sequences)$/

/** Reads what a span says about a model call, and notes the attributes that the fields hold in whole. */
export const toGeneration = (span: Span, taken: Taken): GenerationPayloadInput => {
  const details = detailsOf(span.events)
  const { startTimeUnixNano: start, endTimeUnixNano: end } = span
  const isTimed = start > 0n && end >= start
  const duration = isTimed ? Number(end - start) / SECOND : undefined
  const toFirstChunk = isTimed
    ? (msToFirstChunkOfLangfuse(span.attributes, start) ?? msToFirstPiece(span.events, start, end))
    : undefined
  return {
    ...given('ttFirstToken', toFirstChunk),
    // Attributes of an event are in the metadata as the event has them, whatever is read from them.
    ...(details === undefined
      ? generationOf(span, taken, duration)
      : generationOf(
          { attributes: new Map([...details, ...span.attributes]), events: span.events },
          new Taken(),
          duration,
        )),
    ...given('duration', duration),
  }
}

/** Reads what attributes and events say about a model call. */
export const generationOf = (
  source: CallSource,
  taken: Taken,
  duration?: number,
): GenerationPayloadInput => {
  const { attributes } = source
  const sent = asSent(attributes)
  const whole = { ...source, sent }
  const asked = askedOf(whole, taken)
  const settings = settingsOf(attributes) ?? sent.settings
  return {
    type: 'CHAT',
    ...given('provider', providerOf(attributes)),
    ...given('model', modelOf(attributes, sent.model, settings)),
    ...given('settings', settings),
    ...given('tools', toolsOf(whole, taken)),
    ...given('messages', asked.length === 0 ? undefined : asked),
    ...given('messageCompletion', answerOf(whole, taken)),
    ...given('variables', variablesOf(attributes)),
    ...usageOf(attributes, sent.usage),
    ...given('cost', costOf(attributes)),
    ...given('ttFirstToken', msToFirstChunk(attributes, duration)),
  }
}

const PROVIDERS = [
  'gen_ai.provider.name',
  'gen_ai.system',
  'llm.provider',
  'llm.system',
  'ai.model.provider',
]
/** Names of frameworks that stand in the place of a provider, whichever model is called. */
const FRAMEWORKS: ReadonlySet<string | undefined> = new Set([
  'gcp.vertex.agent',
  'langchain',
  'strands-agents',
])

const providerOf = (attributes: Attributes): string | undefined => {
  const named =
    providerOfLangSmith(attributes) ??
    firstText(attributes, ...PROVIDERS) ??
    modelOfGenkit(attributes)?.provider
  return FRAMEWORKS.has(named) ? undefined : named
}

const ANSWERING = ['gen_ai.response.model', 'llm.response.model_name', 'ai.response.model']
const ASKED = [
  'gen_ai.request.model',
  'llm.model_name',
  'llm.request.model_name',
  'embedding.model_name',
  'reranker.model_name',
  'ai.model.id',
  'langfuse.observation.model.name',
]

/** Returns the model that answered, or else the one that was asked. */
const modelOf = (
  attributes: Attributes,
  sent: string | undefined,
  settings: Record<string, unknown> | undefined,
): string | undefined =>
  firstText(attributes, ...ANSWERING) ??
  sent ??
  firstText(attributes, ...ASKED) ??
  (typeof settings?.model === 'string' ? settings.model : modelOfGenkit(attributes)?.model)

const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value }

const settingsOf = (attributes: Attributes): Record<string, unknown> | undefined => {
  const parameters = firstValue(attributes, 'llm.invocation_parameters')
  if (isObject(parameters)) return parameters
  const settings = new Map<string, unknown>()
  for (const [name, value] of attributes) {
    const setting = SETTING.exec(name)?.[1] ?? PLAIN.exec(name)?.[1]
    if (setting !== undefined && !NO_SETTING.test(setting)) settings.set(setting, value)
  }
  return settings.size === 0
    ? (settingsOfLangfuse(attributes) ?? settingsOfLangSmith(attributes))
    : Object.fromEntries(settings)
}

/** Returns the values of a prompt's variables: an object, of OpenInference. */
const variablesOf = (attributes: Attributes): unknown => {
  const variables = structure(attributes.get('llm.prompt_template.variables'))
  return isObject(variables) ? variables : undefined
}
