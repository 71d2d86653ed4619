import { isJson, textOf } from '../shared/json.js'

/** Returns the result of a tool: a value where there are others than texts, and the texts. */
export const resultOf = (content: unknown): { output: unknown; text: string | undefined } => {
  if (!Array.isArray(content)) return { output: content, text: textOf(content) }
  const texts = content
    .filter(isJson)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
  const text = textOf(texts.join('\n'))
  return { output: texts.length === content.length ? text : { content }, text }
}
