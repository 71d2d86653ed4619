import type { PromptVariable, TemplateMessage } from './fields.js'
import type { PromptSnapshot } from './snapshot.js'
import { parseTemplate } from './template.js'

const TYPES: Record<PromptVariable['language'], string> = {
  plaintext: 'string | number | boolean | object',
  json: 'object | string | number | boolean | null',
}

/** Writes a TypeScript module that contains prompts and the types of their variables. */
export const snapshotModule = (snapshot: PromptSnapshot): string => {
  const variables = Object.entries(snapshot).map(
    ([name, { versions }]) => `    ${JSON.stringify(name)}: ${typeOf(versions)}`,
  )
  return `// Written by \`stepwell prompts pull\`; run it again when the prompts change.
import type { PromptSnapshot } from 'stepwell'

export const prompts = ${literalOf(snapshot)} satisfies PromptSnapshot

declare module 'stepwell' {
  interface PromptVariables {
${variables.join('\n')}
  }
}
`
}

/** Writes the prompts as the program's literal. */
const literalOf = (snapshot: PromptSnapshot): string => {
  const members = Object.entries(snapshot).map(([name, copy]) => {
    // The compiler would take the member that every object has for the expected type.
    const check = name in Object.prototype ? ' satisfies PromptSnapshot[string]' : ''
    return `${JSON.stringify({ [name]: copy }, null, 2).slice(2, -2)}${check}`
  })
  const text = members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`
  // In a program, unlike in JSON, this key sets the prototype unless it is computed.
  return text.replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
}

/** Returns the variables that a prompt's texts name outside of all sections. */
const namesOutside = (messages: readonly TemplateMessage[]): Set<string> => {
  const texts = messages.flatMap(({ content }) =>
    (Array.isArray(content) ? content.map((part) => part?.text) : [content]).filter(
      (text) => typeof text === 'string',
    ),
  )
  const names = texts.flatMap((text) =>
    (parseTemplate(text) ?? []).flatMap(([kind, name]) =>
      ['name', '&', '#', '^'].includes(kind) ? [name.split('.')[0] ?? name] : [],
    ),
  )
  return new Set(names)
}

/**
 * Returns the type of the variables of all live versions together, as any of them may be drawn. Optional are variables
 * with a default, and those used only inside of a section, as their values may come from the section's items.
 */
const typeOf = (versions: PromptSnapshot[string]['versions']): string => {
  const found = new Map<string, { language: PromptVariable['language']; isNeeded: boolean }>()
  for (const { variables, variablesDefaultValues, templateMessages } of versions) {
    const outside = namesOutside(templateMessages)
    for (const { name, language } of variables) {
      const before = found.get(name)
      found.set(name, {
        language: before?.language === 'json' ? 'json' : language,
        isNeeded:
          (before?.isNeeded ?? false) ||
          (outside.has(name) && !Object.hasOwn(variablesDefaultValues, name)),
      })
    }
  }
  if (found.size === 0) return 'Record<string, never>'
  const members = [...found].map(
    ([name, { language, isNeeded }]) =>
      `${JSON.stringify(name)}${isNeeded ? '' : '?'}: ${TYPES[language]}`,
  )
  return `{ ${members.join('; ')} }`
}
