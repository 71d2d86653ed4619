// Attributes that the SDK of LangSmith writes: an input and an output in whole for each run, of whatever form, and its metadata.
import { isObject } from '../../../domain/values.js'
import type { Attributes } from '../../encoding/schema.js'
import { firstText, structure } from '../attributes.js'

/** The input and the output of a run, under names that others have for messages of models. */
export const RUN_INPUT = 'gen_ai.prompt'
export const RUN_OUTPUT = 'gen_ai.completion'

/** The type of a run. LangSmith names an operation beside it, by which retrievers embed and templates of prompts chat. */
export const RUN_TYPE = 'langsmith.span.kind'

/** Returns what a run put out. It wraps all that is no object, and nothing, too, after a failure. */
export const outputOf = (attributes: Attributes): unknown => {
  const said = attributes.get(RUN_OUTPUT)
  const output = attributes.has(RUN_TYPE) ? structure(said) : undefined
  return isObject(output) && Object.keys(output).join() === 'output' ? output.output : said
}

const METADATA = 'langsmith.metadata.'

/** Returns the usage of a call, as LangChain counts it. */
export const usageOfLangSmith = (attributes: Attributes): unknown =>
  structure(attributes.get(`${METADATA}usage_metadata`))

/** Returns the provider that the integration names; the attribute by convention is guessed from the name of the model. */
export const providerOfLangSmith = (attributes: Attributes): string | undefined =>
  firstText(attributes, `${METADATA}ls_provider`)

const SETTINGS = ['temperature', 'max_tokens', 'stop']

/** Returns the number that the SDK for JavaScript writes as a text, as all metadata. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value

/** Returns the settings of a call. */
export const settingsOfLangSmith = (
  attributes: Attributes,
): Record<string, unknown> | undefined => {
  const settings = SETTINGS.flatMap((name) => {
    const value = structure(attributes.get(`${METADATA}ls_${name}`))
    return value === undefined || value === null
      ? []
      : [[name, name === 'stop' ? value : numberOf(value)] as const]
  })
  return settings.length === 0 ? undefined : Object.fromEntries(settings)
}

/** Tags that LangChain gives to the parts of a sequence by itself. */
const PLACE = /^(?:seq|graph|map):/

/** Returns the tags of a run, which are one text. */
export const tagsOfLangSmith = (attributes: Attributes): string[] =>
  (firstText(attributes, 'langsmith.span.tags') ?? '').split(', ').filter((tag) => !PLACE.test(tag))
