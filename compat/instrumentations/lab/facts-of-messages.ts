// Facts about the messages of calls, and the tools that they offer and call.
import { PLAYED } from './scenarios.js'
import { type Fact, generationsOf, type Watched } from './watched.js'

interface Call {
  id?: unknown
  function?: { name?: unknown; arguments?: unknown }
}
interface Message {
  role?: string
  content?: unknown
  tool_calls?: Call[]
}

/** Returns the texts of a message's content, of a string or of parts. */
const textOf = ({ content }: Message): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content
          .flatMap((part: { type?: unknown; text?: unknown }) =>
            part.type === 'text' ? String(part.text) : [],
          )
          .join('\n')
      : ''

export const messages = (watched: Watched): Fact[] => {
  const { exported, scenario } = watched
  const generations = generationsOf(watched)
  const asked = generations.map((one) => (one.messages ?? []) as Message[])
  const answers = generations.flatMap((one) => (one.messageCompletion ?? []) as Message)
  const fact = (name: string, text: string, isUnderstood: boolean): Fact => ({
    aspect: 'messages',
    name,
    isExported: exported.hasText(text),
    isUnderstood,
  })
  const isSaid = (text: string, ...roles: string[]) =>
    asked.flat().some((one) => roles.includes(one.role ?? '') && textOf(one).includes(text)) ||
    // Some write the messages of a call that fails into the run around it.
    (asked.flat().length === 0 &&
      watched.steps.some(
        ({ type, input }) => type === 'run' && JSON.stringify(input ?? {}).includes(text),
      ))
  const { system } = PLAYED
  const { prompt, answer, calls = [], endless, image, reasoning } = scenario
  const facts = [
    fact('system', system, isSaid(system, 'system', 'developer')),
    fact('prompt', prompt, isSaid(prompt, 'user')),
    ...calls.map(({ result }) => fact('result of a tool', result, isSaid(result, 'tool'))),
  ]
  if (answer !== undefined) {
    const said = endless ? answer.slice(0, 'Once upon'.length) : answer
    facts.push(
      fact(
        'answer',
        said,
        answers.some((one) => textOf(one).includes(said)),
      ),
    )
  }
  if (image !== undefined) {
    const hasImage = asked
      .flat()
      .some(
        ({ role, content }) =>
          role === 'user' && Array.isArray(content) && JSON.stringify(content).includes(image),
      )
    facts.push(fact('image', image, hasImage))
  }
  if (reasoning !== undefined)
    facts.push({
      ...fact(
        'text',
        reasoning,
        answers.some((one) => JSON.stringify(one).includes(reasoning)),
      ),
      aspect: 'reasoning',
    })
  return facts
}

export const tools = (watched: Watched): Fact[] => {
  const { exported, scenario } = watched
  const { calls } = scenario
  if (calls === undefined) return []
  const generations = generationsOf(watched)
  const { name, description } = PLAYED.tool
  const called = generations
    .flatMap((one) => ((one.messageCompletion ?? {}) as Message).tool_calls ?? [])
    .filter((call) => call.function?.name === name)
    .map((call) => JSON.stringify(call.function?.arguments))
  return [
    {
      aspect: 'tools',
      name: 'definitions',
      // A tool that runs may say it, too.
      isExported: exported.hasText(new RegExp(`(?<!tool\\.description[^]{0,40})${description}`)),
      isUnderstood: generations.some((one) =>
        JSON.stringify(one.tools ?? []).includes(description),
      ),
    },
    ...calls.map(
      ({ city }): Fact => ({
        aspect: 'tools',
        name: 'calls',
        isExported: exported.hasText(new RegExp(`${name}[^]{1,99}city\\W{1,12}${city}`)),
        isUnderstood: called.some((text) => text.includes(city)),
      }),
    ),
  ]
}
