import { invalidArgument } from '../errors.js'
import { capture } from '../values/capture.js'
import type { PromptFields, TemplateMessage } from './fields.js'
import { LINK, type PromptLink } from './link.js'
import { parseTemplate, render } from './template.js'

export interface FormatOptions {
  /** Throws when the template asks for a variable that has neither a value nor a default. Otherwise it is left blank. */
  strict?: boolean | undefined
}

/**
 * A message for a model, typed so that clients of models take it without a cast: `openai`, `ai`, LangChain and others. Recorded
 * in a generation, it tells which prompt it comes from.
 *
 * The type describes texts. At run time a message has the role, content and other fields of its template: with another role
 * (`tool`) or with parts (images) it fits one provider, whose type `as` gives it.
 */
export type FormattedMessage =
  | { role: 'system'; content: string; [key: string]: unknown }
  | { role: 'user'; content: string; [key: string]: unknown }
  | { role: 'assistant'; content: string; [key: string]: unknown }

/** Characters of the variables that are recorded with a generation. The formatted messages are recorded anyway. */
const MAX_RECORDED = 100_000

type Template = Pick<
  PromptFields,
  'id' | 'name' | 'version' | 'templateMessages' | 'variablesDefaultValues'
>

/** Returns the messages of a prompt with their variables filled in. */
export const formatPrompt = (
  { id, name, version, templateMessages, variablesDefaultValues }: Template,
  variables?: Record<string, unknown> | null,
  options?: FormatOptions | null,
): FormattedMessage[] => {
  const strict = options?.strict ?? false
  const given = Object.entries(variables ?? {}).filter(([, value]) => value !== undefined)
  const values = { ...variablesDefaultValues, ...Object.fromEntries(given) }
  const missing = new Set<string>()
  const rendered = (text: string) => {
    if (parseTemplate(text) !== undefined) return render(text, values, missing)
    // A text may well contain braces that open nothing.
    if (!strict) return text
    throw invalidArgument(
      `the prompt ${show(name)} (version ${version}) has a text that is no template: ${show(text.slice(0, 80))}`,
    )
  }
  // A copy of their present state, in a form that can be recorded.
  const recorded = capture(values, MAX_RECORDED) as Record<string, unknown>
  const messages = templateMessages.map((message): FormattedMessage => {
    const { uuid, templated, ...rest } = structuredClone(message) as TemplateMessage & {
      templated?: unknown
    }
    const link: PromptLink = { promptId: id, uuid, variables: recorded }
    return Object.assign(rest, {
      content: contentOf(rest.content, rendered),
      ...(uuid === undefined ? {} : { [LINK]: link }),
    }) as FormattedMessage
  })
  if (strict && missing.size > 0)
    throw invalidArgument(
      `variables: expected ${[...missing].join(', ')} for the prompt ${show(name)} (version ${version}), got ${
        given.length === 0 ? 'none' : given.map(([key]) => key).join(', ')
      }`,
    )
  return messages
}

/** Formats a text, or the templates among the parts of a message: those of type `text`. */
const contentOf = (content: unknown, rendered: (text: string) => string): unknown => {
  if (typeof content === 'string') return rendered(content)
  if (!Array.isArray(content)) return content
  return content.map((part: unknown) =>
    isTextPart(part) ? { ...part, text: rendered(part.text) } : part,
  )
}

const isTextPart = (part: unknown): part is { type: 'text'; text: string } =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  part.type === 'text' &&
  'text' in part &&
  typeof part.text === 'string'

const show = (name: string | undefined) => JSON.stringify(name ?? '')
