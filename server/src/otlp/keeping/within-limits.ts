import type { StepInput } from '../../../generated/resolvers.js'
import type { Domain } from '../../domain/domain.js'
import type { StepOutcome } from '../../domain/steps.js'
import { isObject } from '../../domain/values.js'
import type { Caller } from '../../kernel/caller.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import { beginningOf } from '../understanding/attributes.js'
import { isBeyond, withinLimit } from './metadata.js'

/** An error is cut to this length; the event or status that it was read from is in the metadata in whole. */
const MAX_ERROR_CHARACTERS = 10_000
/** Fields of one step that are too large, of which each takes another attempt. */
const MAX_ATTEMPTS = 12

/**
 * Stores steps; of a step that is too large, the field or the members of metadata that make it so are left out, and
 * named in the metadata. Without the step a span would be lost in whole.
 */
export const storeSteps = async (
  domain: Domain,
  caller: Caller,
  steps: StepInput[],
  turn: Turn,
): Promise<StepOutcome[]> => {
  const { metadataBytes } = domain.limits
  // Writing much as JSON only to have it rejected would cost as much as storing it.
  for (const [index, step] of steps.entries())
    if (isObject(step.metadata) && isBeyond(step.metadata, metadataBytes)) {
      await turn()
      steps[index] = shorter(step, 'metadata', metadataBytes)
    }
  const outcomes = await domain.steps.ingest(caller, steps)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const large: number[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const { refusal } = outcome
      if (refusal?.code !== 'TOO_LARGE') continue
      const step = steps[index] as StepInput
      const field = refusal.message.split(':', 1)[0] ?? ''
      const cut = shorter(step, field, metadataBytes)
      if (cut === step) continue
      await turn()
      steps[index] = cut
      large.push(index)
    }
    if (large.length === 0) break
    const again = await domain.steps.ingest(
      caller,
      large.map((index) => steps[index] as StepInput),
    )
    large.forEach((index, position) => {
      outcomes[index] = again[position] as StepOutcome
    })
  }
  return outcomes
}

/** Returns a step with less in a field, or without it; the same step when it cannot do without. */
const shorter = (step: StepInput, field: string, metadataBytes: number): StepInput => {
  const metadata = isObject(step.metadata) ? step.metadata : {}
  if (field === 'metadata') return { ...step, metadata: withinLimit(metadata, metadataBytes) }
  if (field === 'error')
    return { ...step, error: beginningOf(step.error ?? '', MAX_ERROR_CHARACTERS) }
  const member = field.startsWith('generation.') ? field.slice('generation.'.length) : undefined
  const { generation } = step
  if (member !== undefined && isObject(generation) && member in generation)
    return {
      ...step,
      generation: without(generation, member),
      metadata: omitting(metadata, field),
    }
  if (field.startsWith('scores['))
    return { ...without(step, 'scores'), metadata: omitting(metadata, 'scores') }
  if (field === 'input' || field === 'output')
    return { ...without(step, field), metadata: omitting(metadata, field) }
  return step
}

const without = <Of extends object>(of: Of, member: string): Of =>
  Object.fromEntries(Object.entries(of).filter(([name]) => name !== member)) as Of

/** Names a field that is left out, and the attributes that only it held. */
const omitting = (metadata: Record<string, unknown>, field: string): Record<string, unknown> => {
  const { 'otel.fields': fields, 'otel.omitted': omitted, ...others } = metadata
  const held = Object.entries(isObject(fields) ? fields : {})
  const left = held.filter(([, holder]) => holder !== field)
  const names = held.filter(([, holder]) => holder === field).map(([name]) => name)
  return {
    ...others,
    ...(left.length === 0 ? {} : { 'otel.fields': Object.fromEntries(left) }),
    'otel.omitted': [...(Array.isArray(omitted) ? omitted : []), field, ...names],
  }
}
