import type { PromptFields } from './fields.js'

/** LangChain's `ChatPromptTemplate`, as far as it is needed: from `@langchain/core/prompts`, of any version. */
export interface ChatPromptTemplateClass<Template> {
  /** Makes a template from pairs of role and content. */
  // biome-ignore lint/suspicious/noExplicitAny: its parameters differ between versions
  fromMessages(messages: any, extra?: any): Template
}

/** Converts a prompt to LangChain's template: the roles, the contents and the defaults. */
export const toLangChain = <Template>(
  {
    templateMessages,
    variablesDefaultValues,
  }: Pick<PromptFields, 'templateMessages' | 'variablesDefaultValues'>,
  chatPromptTemplate: ChatPromptTemplateClass<Template>,
): Template =>
  chatPromptTemplate.fromMessages(
    templateMessages.map(({ role, content }) => [role, content]),
    { templateFormat: 'mustache', partialVariables: variablesDefaultValues },
  )
