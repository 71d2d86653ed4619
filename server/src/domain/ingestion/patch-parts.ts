import { portionsOf, weightOf } from '../../database/portions.js'
import type { Refusal } from '../../kernel/errors.js'
import { NESTED_CHARACTERS, type StepPatch } from './step-patch.js'

/** Scores and attachments of one part, about 230 of them: as much as a project's share of a commit. */
const PART = {
  mostRows: Number.POSITIVE_INFINITY,
  mostWeight: 1_000_000,
  weigh: (row: object) => NESTED_CHARACTERS + weightOf(row),
}

/**
 * Divides a patch with many scores or attachments, so that others do not wait until all of them are written. The first
 * part has the step's own values; stored in this order, the parts have the effect of the patch.
 */
export const partsOf = (patch: StepPatch): StepPatch[] => {
  const { values, scores, attachments } = patch
  const portions = [
    ...[...portionsOf(scores, PART)].map((portion) => ({ scores: portion, attachments: [] })),
    ...[...portionsOf(attachments, PART)].map((portion) => ({ scores: [], attachments: portion })),
  ]
  const [first, ...others] = portions
  if (first === undefined || others.length === 0) return [patch]
  const rest = others.map((portion) => ({
    ...patch,
    ...portion,
    values: orderOf(values),
    cleared: [],
    size: sizeOf(portion),
    continues: true,
  }))
  const size = rest.reduce((left, part) => left - part.size, patch.size)
  return [{ ...patch, ...first, size }, ...rest]
}

/** Tells if the step has a part meanwhile that the same client recorded later. */
const orderOf = ({ sessionId, sequence }: StepPatch['values']): StepPatch['values'] =>
  sessionId === undefined || sequence === undefined ? {} : { sessionId, sequence }

const sizeOf = ({ scores, attachments }: Pick<StepPatch, 'scores' | 'attachments'>): number =>
  [...scores, ...attachments].reduce((sum, row) => sum + PART.weigh(row), 0)

/** The outcome of a patch that is stored in several parts: null once all of them are, or the first refusal. */
export class PartedOutcome {
  #left: number
  #refusal: Refusal | null = null
  readonly #settle: (refusal: Refusal | null) => void

  constructor(parts: number, settle: (refusal: Refusal | null) => void) {
    this.#left = parts
    this.#settle = settle
  }

  /** True once a part was refused: the others are not stored then. */
  get isRefused(): boolean {
    return this.#refusal !== null
  }

  /** Takes the outcome of a part. */
  add(refusal: Refusal | null): void {
    this.#refusal ??= refusal
    if (--this.#left === 0) this.#settle(this.#refusal)
  }
}
