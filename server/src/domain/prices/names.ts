/**
 * The names under which clients record a provider. A name that is not here has no price in the book: the same model may
 * cost something else there.
 */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  openai: ['openai', 'openai.chat', 'openai.responses', 'openai.completion', 'openai.embedding'],
  anthropic: ['anthropic', 'anthropic.messages'],
  google: [
    'google',
    'gemini',
    'gcp.gemini',
    'google.generative-ai',
    'google_genai',
    'google-genai',
  ],
  mistral: ['mistral', 'mistralai', 'mistral_ai', 'mistral.chat', 'mistral.embedding'],
  deepseek: ['deepseek', 'deepseek.chat'],
  xai: ['xai', 'x_ai', 'x-ai', 'xai.chat'],
  cohere: ['cohere', 'cohere.chat', 'cohere.textembedding'],
  groq: ['groq', 'groq.chat'],
  bedrock: ['bedrock', 'aws.bedrock', 'aws_bedrock', 'amazon-bedrock'],
}

/** Services that pass a call on at the price of the provider that the model's name begins with. */
const GATEWAYS = new Set(['openrouter', 'litellm', 'litellm_proxy', 'vercel', 'gateway'])

/** Prefixes of Bedrock's inference profiles, which cost the same as the model in one region. */
const REGIONS = /^(us|eu|apac)\./

const KNOWN = new Map(
  Object.entries(PROVIDERS).flatMap(([provider, names]) => names.map((name) => [name, provider])),
)

export interface ModelName {
  /** Undefined when it was not recorded, and the model's name does not say it. */
  provider: string | undefined
  model: string
}

/** Returns the provider and the model in the book's names; undefined for a provider that the book does not know. */
export const readModelName = (
  recordedProvider: string | null,
  recordedModel: string,
): ModelName | undefined => {
  const named = recordedProvider?.trim().toLowerCase() ?? ''
  const isOpen = named === '' || GATEWAYS.has(named)
  let provider = isOpen ? undefined : KNOWN.get(named)
  if (!isOpen && provider === undefined) return undefined
  let model = recordedModel.trim().toLowerCase()
  let prefix = prefixOf(model)
  if (isOpen && prefix !== undefined && GATEWAYS.has(prefix)) {
    model = model.slice(prefix.length + 1)
    prefix = prefixOf(model)
  }
  // Google's own API names its models so.
  if (prefix === 'models' && (provider ?? 'google') === 'google') provider = 'google'
  else if (prefix !== undefined) {
    const said = KNOWN.get(prefix)
    if (said === undefined || (provider !== undefined && provider !== said)) return undefined
    provider = said
  } else if (GATEWAYS.has(named)) return undefined
  if (prefix !== undefined) model = model.slice(prefix.length + 1)
  if (provider === 'bedrock') model = model.replace(REGIONS, '')
  return { provider, model }
}

const prefixOf = (model: string): string | undefined => {
  const slash = model.indexOf('/')
  return slash < 0 ? undefined : model.slice(0, slash)
}
