// A scenario that has been played, with its steps, and the parts of them that facts are about.
import type { Step } from '../../../src/index.js'
import type { Exported } from './exported.js'
import { PLAYED, type Scenario } from './scenarios.js'
import type { Subject } from './subjects.js'

/** A scenario that an application has played, and what became of it. */
export interface Watched {
  subject: Subject
  scenario: Scenario
  session: string
  /** The user of the session's thread. */
  user: string | undefined
  steps: readonly Step[]
  exported: Exported
  /** The number of requests that the model had. */
  requests: number
}

export const ASPECTS = [
  'parent',
  'type',
  'messages',
  'tools',
  'reasoning',
  'tokens',
  'token parts',
  'model',
  'settings',
  'error',
  'session',
  'user',
  'timing',
] as const
export type Aspect = (typeof ASPECTS)[number]

/** Something that a scenario has, whether or not an instrumentation tells it. */
export interface Fact {
  aspect: Aspect
  name: string
  isExported: boolean
  isUnderstood: boolean
}

/** Returns the calls of models. */
export const callsOf = ({ steps }: Watched) => steps.filter(({ type }) => type === 'llm')

/** Returns the generations of the calls. */
export const generationsOf = (watched: Watched) =>
  callsOf(watched).flatMap(({ generation }) => generation ?? [])

/** Returns true when a call was exported; some instrumentations export nothing of one that fails. */
export const hasCall = ({ subject, exported }: Watched): boolean =>
  exported.hasText(subject.callsAs ?? modelOf(subject))

/** Returns the model that the application asks for. */
export const modelOf = ({ api }: Subject) =>
  api === 'anthropic' ? PLAYED.anthropicModel : PLAYED.model
