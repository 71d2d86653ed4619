import type { StepInput } from '../../../generated/resolvers.js'
import type { Domain } from '../../domain/domain.js'
import type { Caller } from '../../kernel/caller.js'
import type { Attributes } from '../encoding/schema.js'
import type { Span } from '../span.js'
import { firstText } from './attributes.js'

const NAMES = ['gen_ai.prompt.name', 'langfuse.observation.prompt.name', 'langfuse.prompt.name']
const VERSIONS = [
  'gen_ai.prompt.version',
  'langfuse.observation.prompt.version',
  'langfuse.prompt.version',
]
const MAX_VERSION = 2 ** 31 - 1

/** Returns the prompt that a call was made from; undefined when it names none, or no version of it. */
const promptOf = (attributes: Attributes): { name: string; version: number } | undefined => {
  const name = firstText(attributes, ...NAMES)
  if (name === undefined) return undefined
  for (const attribute of VERSIONS) {
    const version = Number(attributes.get(attribute) ?? '')
    if (attributes.has(attribute) && Number.isInteger(version) && Math.abs(version) <= MAX_VERSION)
      return { name, version }
  }
  return undefined
}

/** Links generations to the versions of prompts that their spans name, as far as the project has them. */
export type LinkPrompt = (span: Span, step: StepInput) => StepInput

/** Reads the prompts that spans name, in one statement, or in none. */
export const promptLinks = async (
  domain: Domain,
  caller: Caller,
  spans: readonly Span[],
): Promise<LinkPrompt> => {
  const named = spans.flatMap(({ attributes }) => promptOf(attributes) ?? [])
  if (named.length === 0) return (_, step) => step
  const ids = await domain.prompts.versionIds(caller, named)
  return ({ attributes }, step) => {
    const prompt = promptOf(attributes)
    const promptId = prompt === undefined ? undefined : ids.get(prompt.name)?.get(prompt.version)
    return promptId === undefined || step.generation == null
      ? step
      : { ...step, generation: { ...step.generation, promptId } }
  }
}
