import { ExcerptsForAgentDocument } from '../../../generated/agents.js'
import type { OutlineStep } from '../../api/outlines.js'
import { ask, type Source } from '../source.js'

/** The beginnings of what a step took and gave, of at most 120 characters each. */
export interface Excerpts {
  input: string | null
  output: string | null
  error: string | null
}

/** The service takes so many ids at once. */
const PORTION = 1000
/** Steps whose contents are looked at. More would make an outline cost what a full read does. */
const MAX_LOOKED_AT = 4000

/** Reads the excerpts of steps: of failed ones first, then of tools and calls of models, then of the others. */
export const readExcerpts = async (
  source: Source,
  steps: readonly OutlineStep[],
): Promise<Map<string, Excerpts>> => {
  const rank = ({ hasFailed, type }: OutlineStep) => (hasFailed ? 0 : FIRST.has(type) ? 1 : 2)
  const chosen = [...steps]
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, MAX_LOOKED_AT)
    .map(({ id }) => id)
  const found = new Map<string, Excerpts>()
  for (let from = 0; from < chosen.length; from += PORTION) {
    const ids = chosen.slice(from, from + PORTION)
    const { stepsById } = await ask(source, ExcerptsForAgentDocument, { ids })
    for (const step of stepsById)
      if (step !== null)
        found.set(step.id, {
          input: step.inputExcerpt,
          output: step.outputExcerpt,
          error: step.error ?? step.generation?.error ?? null,
        })
  }
  return found
}

const FIRST: ReadonlySet<string> = new Set(['tool', 'llm', 'retrieval', 'rerank', 'embedding'])
