import type { StepType } from '../../../generated/schema.js'
import { Outline } from '../../src/pages/thread/outline/outline.js'
import { type OutlineColumns, StepArrays } from '../../src/pages/thread/outline/step-arrays.js'

type Given = StepType | readonly [type: StepType, depth: number]

/** Returns an outline of steps of given types: roots, or at a depth. */
export const outlineOf = (
  given: readonly Given[],
  more: Partial<OutlineColumns> = {},
  names: readonly string[] = ['step'],
): Outline => {
  const steps = given.map((one) => (typeof one === 'string' ? ([one, 0] as const) : one))
  const types = [...new Set(steps.map(([type]) => type))]
  return new Outline(
    StepArrays.of({
      id: steps.map((_, place) => `s${place}`),
      depth: steps.map(([, depth]) => depth),
      type: steps.map(([type]) => types.indexOf(type)),
      name: steps.map(() => 0),
      start: steps.map((_, place) => place * 10),
      duration: steps.map(() => 5),
      firstToken: steps.map(() => null),
      tokens: steps.map(() => null),
      cost: steps.map(() => null),
      flags: steps.map(() => 0),
      ...more,
    }),
    { names, types },
    '2026-01-01T00:00:00Z',
    '2026-01-01T01:00:00Z',
  )
}
