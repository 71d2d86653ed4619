/** Hosts of providers, by the end of their names. */
const HOSTS: readonly (readonly [end: string, provider: string])[] = [
  ['api.openai.com', 'openai'],
  ['openai.azure.com', 'azure'],
  ['cognitiveservices.azure.com', 'azure'],
  ['services.ai.azure.com', 'azure'],
  ['api.anthropic.com', 'anthropic'],
  ['generativelanguage.googleapis.com', 'google'],
  ['aiplatform.googleapis.com', 'google-vertex'],
  ['api.mistral.ai', 'mistral'],
  ['api.groq.com', 'groq'],
  ['openrouter.ai', 'openrouter'],
  ['api.deepseek.com', 'deepseek'],
  ['api.cohere.com', 'cohere'],
  ['api.cohere.ai', 'cohere'],
  ['api.together.xyz', 'together'],
  ['api.fireworks.ai', 'fireworks'],
  ['api.x.ai', 'xai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.cerebras.ai', 'cerebras'],
  ['amazonaws.com', 'bedrock'],
]

/** Returns the provider that a host belongs to; undefined for a host that is not known. */
export const knownProvider = (host: string): string | undefined =>
  HOSTS.find(([end]) => host === end || host.endsWith(`.${end}`) || host.endsWith(`-${end}`))?.[1]

/** Returns the host of an address; an empty text for an address without one. */
export const hostOf = (url: string): string =>
  /^\w+:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+)/.exec(url)?.[1] ?? ''

/** Returns an address without the name and password that it may have. */
export const withoutUser = (url: string): string => url.replace(/^(\w+:\/\/)[^/@]*@/, '$1')
