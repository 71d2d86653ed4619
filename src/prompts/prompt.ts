import { type Snake, toSnake } from '../spelling.js'
import type {
  PromptFields,
  PromptVariable,
  PromptVersionFields,
  TemplateMessage,
} from './fields.js'
import { type FormatOptions, type FormattedMessage, formatPrompt } from './format.js'
import { type ChatPromptTemplateClass, toLangChain } from './langchain.js'

/** Variables may be left out if the template needs none. */
type FormatParameters<Variables> = Record<never, never> extends Variables
  ? [variables?: Variables, options?: FormatOptions]
  : [variables: Variables, options?: FormatOptions]

export interface PromptMethods<Variables> {
  /**
   * Fills in the variables of the messages, for a model. Nothing is escaped. Objects are printed as JSON. A variable that is
   * omitted has the prompt's default, else it is blank. A generation that is recorded with these messages refers to the
   * prompt, its version and the variables.
   *
   * @returns the messages, in their order.
   * @throws `INVALID_ARGUMENT` with the option `strict`, when a variable has neither a value nor a default.
   * @example
   * const messages = prompt.format({ shop: 'Ada’s' })
   * const answer = await model(messages)
   */
  format(...parameters: FormatParameters<Variables>): FormattedMessage[]
  /**
   * Fills in the variables; `format` by the name that the legacy client had for it.
   *
   * @returns the messages, in their order.
   * @throws `INVALID_ARGUMENT` as `format` does.
   * @example
   * const answer = await model(prompt.formatMessages({ shop: 'Ada’s' }))
   */
  formatMessages(...parameters: FormatParameters<Variables>): FormattedMessage[]
  /**
   * Makes LangChain's template with the roles, contents and defaults of the messages.
   *
   * @param chatPromptTemplate - The class `ChatPromptTemplate` of `@langchain/core/prompts`.
   * @returns the template.
   * @throws whatever LangChain throws of the messages, as it is.
   * @example
   * const template = prompt.toLangChain(ChatPromptTemplate)
   */
  toLangChain<Template>(chatPromptTemplate: ChatPromptTemplateClass<Template>): Template
}

/** A version of a prompt. It never changes. Its methods are no part of its JSON. */
export type Prompt<Variables = Record<string, unknown>> = PromptFields & PromptMethods<Variables>

interface SnakePromptMethods<Variables> {
  /**
   * Fills in the variables of the messages, for a model; see `format` of a prompt in camelCase.
   *
   * @returns the messages, in their order.
   * @throws `INVALID_ARGUMENT` with the option `strict`, when a variable has neither a value nor a default.
   * @example
   * const messages = snake_prompt.format({ shop: 'Ada’s' })
   */
  format: PromptMethods<Variables>['format']
  /**
   * Fills in the variables; `format` by the name that the legacy client had for it.
   *
   * @returns the messages, in their order.
   * @throws `INVALID_ARGUMENT` as `format` does.
   * @example
   * const messages = snake_prompt.format_messages({ shop: 'Ada’s' })
   */
  format_messages: PromptMethods<Variables>['format']
  /**
   * Makes LangChain's template with the same messages and defaults; `toLangChain` in the other spelling.
   *
   * @returns the template.
   * @throws whatever LangChain throws of the messages, as it is.
   * @example
   * const template = snake_prompt.to_lang_chain(ChatPromptTemplate)
   */
  to_lang_chain: PromptMethods<Variables>['toLangChain']
}

/** A version of a prompt, in snake_case. */
export type SnakePrompt<Variables = Record<string, unknown>> = Snake<PromptFields> &
  SnakePromptMethods<Variables>

/** Creates the prompt that users get, from its fields. */
export const withMethods = (given: PromptFields): Prompt => {
  // Copies are returned more than once, and a caller's changes must affect only this one.
  const fields = structuredClone({ ...given })
  const format: Prompt['format'] = (variables, options) => formatPrompt(fields, variables, options)
  const methods: PromptMethods<Record<string, unknown>> = {
    format,
    formatMessages: format,
    toLangChain: (template) => toLangChain(fields, template),
  }
  return hidden(fields, methods)
}

/** A prompt in the other spelling. */
export const toSnakePrompt = (prompt: Prompt | null): SnakePrompt | null =>
  prompt === null
    ? null
    : hidden(toSnake<PromptFields>(prompt, 'PromptVersion'), {
        format: prompt.format,
        format_messages: prompt.format,
        to_lang_chain: prompt.toLangChain,
      })

/**
 * Adds methods that are neither enumerated nor copied, so that a prompt can be compared, stored and sent as plain data.
 */
const hidden = <Fields extends object, Methods extends object>(
  fields: Fields,
  methods: Methods,
): Fields & Methods =>
  Object.defineProperties(
    { ...fields },
    Object.fromEntries(Object.entries(methods).map(([name, value]) => [name, { value }])),
  ) as Fields & Methods

/** Picks the fields of a user's prompt from the service's answer. A query of the user's own may ask for less. */
export const promptFieldsOf = ({
  lineage,
  settings,
  ...version
}: PromptVersionFields): PromptFields => {
  const { provider, ...rest } = (settings ?? {}) as Record<string, unknown>
  return {
    ...version,
    name: lineage?.name,
    lineageId: lineage?.id,
    templateMessages: (version.templateMessages ?? []) as TemplateMessage[],
    provider: typeof provider === 'string' ? provider : null,
    settings: rest,
    variables: (version.variables ?? []) as PromptVariable[],
    variablesDefaultValues: (version.variablesDefaultValues ?? {}) as Record<string, unknown>,
  }
}
