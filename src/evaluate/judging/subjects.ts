import type { JudgeInput } from '../../api/judges.js'
import type { Step } from '../../api/steps.js'
import type { StepwellClient } from '../../client.js'
import { fromPayload } from '../data/payload.js'
import { conversationOf } from './conversation.js'
import type { JudgedMaterial, LiveJudgeOptions } from './options.js'

/** A step or conversation to judge. */
export interface Subject {
  readonly id: string
  /** The ids that the judgement's run is found by. */
  readonly ids: Readonly<Record<string, unknown>>
  /** The metadata that scorers see. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Returns the material for the scorers. @throws Error when there is none. */
  readonly read: () => JudgedMaterial
}

const STEP_QUIET_SECONDS = 10
/** People think before they answer. */
const THREAD_QUIET_SECONDS = 300

/** Returns the part of a request for leases that depends on the things that are judged. */
export const subjectOptions = (
  options: LiveJudgeOptions,
): Pick<JudgeInput, 'subject' | 'quietSeconds' | 'filters' | 'threadFilters'> =>
  options.on === 'threads'
    ? {
        subject: 'THREADS',
        quietSeconds: options.quietSeconds ?? THREAD_QUIET_SECONDS,
        threadFilters: options.filters,
      }
    : {
        subject: 'STEPS',
        quietSeconds: options.quietSeconds ?? STEP_QUIET_SECONDS,
        filters: options.filters,
      }

/** Reads the thing that a lease is for. Resolves to null when it was deleted. */
export const findSubject = async (
  options: LiveJudgeOptions,
  api: StepwellClient['api'],
  id: string,
): Promise<Subject | null> => {
  if (options.on === 'threads') {
    const thread = await api.getThread(id)
    if (thread === null) return null
    const { read = ({ steps }) => conversationOf(steps) } = options
    const ids = { threadId: id }
    const metadata = { ...asObject(thread.metadata), ...ids, name: thread.name, tags: thread.tags }
    return { id, ids, metadata, read: () => read(thread) }
  }
  const step = await api.getStep(id)
  if (step === null) return null
  const { read = materialOf } = options
  const { threadId, name, type } = step
  const ids = { stepId: id, threadId }
  return {
    id,
    ids,
    metadata: { ...asObject(step.metadata), ...ids, name, type },
    read: () => read(step),
  }
}

const asObject = (metadata: unknown) => metadata as Record<string, unknown> | null

interface CallParts {
  messages?: unknown
  prompt?: unknown
  messageCompletion?: unknown
  completion?: unknown
}

/** Returns input and output of a step, or else those of its call of a model. */
const materialOf = ({ input, output, generation }: Step): JudgedMaterial => {
  const call = (generation ?? {}) as CallParts
  return {
    input: fromPayload(input) ?? call.messages ?? call.prompt ?? undefined,
    output: fromPayload(output) ?? call.messageCompletion ?? call.completion ?? undefined,
  }
}
