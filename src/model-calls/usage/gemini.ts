import { type Json, objectsOf } from '../json.js'
import { countOf, divided, type Usage, usageOf } from './usage.js'

/**
 * Reads the usage of Gemini. The prompt includes its part from the cache; thoughts, and the prompt of tools, are beside
 * the other numbers.
 */
export const fromGemini = (usage: Json): Usage | undefined => {
  const prompt = countOf(usage.promptTokenCount)
  const ofTools = countOf(usage.toolUsePromptTokenCount)
  const cached = countOf(usage.cachedContentTokenCount)
  const isFromCache = modalitiesOf(usage.cacheTokensDetails)
  const read = modalitiesOf(usage.promptTokensDetails)
  const written = modalitiesOf(usage.candidatesTokensDetails ?? usage.responseTokensDetails)
  const fresh = (modality: string) => {
    const count = read.get(modality)
    return count === undefined ? undefined : Math.max(0, count - (isFromCache.get(modality) ?? 0))
  }
  const whole = prompt === undefined ? ofTools : prompt + (ofTools ?? 0)
  return usageOf(
    {
      ...divided(whole, 'input', {
        cached,
        audioInput: fresh('AUDIO'),
        imageInput: fresh('IMAGE'),
      }),
      ...divided(
        countOf(usage.candidatesTokenCount) ?? countOf(usage.responseTokenCount),
        'output',
        { audioOutput: written.get('AUDIO'), imageOutput: written.get('IMAGE') },
      ),
      reasoning: countOf(usage.thoughtsTokenCount),
    },
    countOf(usage.totalTokenCount),
  )
}

/** Returns the tokens by modality. */
const modalitiesOf = (details: unknown): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { modality, tokenCount } of objectsOf(details)) {
    const count = countOf(tokenCount)
    if (typeof modality === 'string' && count !== undefined)
      counts.set(modality, (counts.get(modality) ?? 0) + count)
  }
  return counts
}
