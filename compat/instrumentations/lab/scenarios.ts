// The scenarios that every application of the lab plays, in whatever language it is written.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One conversation with the model that the lab plays. */
export interface Scenario {
  name: string
  /** The user's message, by which the model knows the scenario. */
  prompt: string
  /** The model's last answer; its beginning where `endless`. */
  answer?: string
  /** Calls of the tool that the model asks for before it answers, all at once. */
  calls?: { id: string; city: string; result: string }[]
  streams?: boolean
  /** A picture beside the prompt: a PNG in base64. */
  image?: string
  reasoning?: string
  /** The message of the error that the model answers with. */
  error?: string
  /** True for an answer that goes on until the application aborts it. */
  endless?: boolean
}

interface Scenarios {
  system: string
  model: string
  anthropicModel: string
  temperature: number
  max_tokens: number
  user: string
  tool: { name: string; description: string; parameters: object }
  scenarios: Scenario[]
}

const FILE = join(import.meta.dirname, '../scenarios.json')

export const PLAYED = JSON.parse(readFileSync(FILE, 'utf8')) as Scenarios

/** The tokens that every answer says it took. No other number of a trace is likely to be one of these. */
export const TOKENS = { input: 2011, cached: 1009, output: 503, reasoning: 211 }

/** The version of a model that answers, which is not the name by which it is asked for. */
export const answering = (model: string): string => `${model}-2025-09-29`
