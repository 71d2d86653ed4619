import type { Database } from '../database/database.js'
import { DomainError, invalid, type Refusal, show } from '../kernel/errors.js'
import { findDefinitions, type ScoreDefinitionRow } from '../storage/scores/definitions.js'

/** A score's value as it was sent. */
interface Sent {
  name: string
  value: number | null
  label: string | null
}

export type Fitted<Score extends Sent> = Score & { value: number }

/** Changes of a score; undefined keeps what is stored. */
interface ScoreChange {
  value?: number | undefined
  label?: string | null | undefined
}

/** Labels that an error names. */
const NAMED = 10

/** The definitions of some scores' names, by which values and labels are decided. */
export class ScoreRules {
  readonly #definitions: ReadonlyMap<string, ScoreDefinitionRow>

  /** The rules of names without definitions. */
  static readonly none = new ScoreRules([])

  private constructor(definitions: readonly ScoreDefinitionRow[]) {
    this.#definitions = new Map(definitions.map((row) => [row.name, row]))
  }

  /** Reads the definitions of some names, in one statement. */
  static async read(db: Database, projectId: string, names: Iterable<string>): Promise<ScoreRules> {
    const unique = [...new Set(names)]
    return new ScoreRules(unique.length === 0 ? [] : await findDefinitions(db, projectId, unique))
  }

  /**
   * Returns a score with the value that its label names, when it came without one. When the definition of its name is
   * enforced, returns it with its label too, and throws when it does not fit.
   */
  fit<Score extends Sent>(where: string, score: Score): Fitted<Score> {
    const definition = this.#definitions.get(score.name)
    const value = score.value ?? valueByLabel(where, definition, score)
    if (!definition?.isEnforced) return { ...score, value }
    if (definition.kind === 'NUMBER') {
      checkRange(where, definition, value)
      return { ...score, value }
    }
    const choice = definition.labels.find((one) => one.value === value)
    if (choice === undefined)
      throw invalid(`${where}value: expected ${choicesOf(definition)}, got ${value}`)
    if (score.label !== null && score.label !== choice.label)
      throw invalid(
        `${where}label: expected ${JSON.stringify(choice.label)}, the label of ${value}, or none`,
      )
    return { ...score, value, label: choice.label }
  }

  /**
   * Returns the value and the label of a stored score after a change of them. A label without a value stands for the
   * value that the definition gives it, if any. With an enforced definition both change together.
   */
  change(stored: Fitted<Sent>, { value, label }: ScoreChange): ScoreChange {
    const { name } = stored
    const definition = this.#definitions.get(name)
    if (value === undefined && label === undefined) return {}
    if (definition?.isEnforced) {
      const isNumber = definition.kind === 'NUMBER'
      const kept = label == null || isNumber ? stored.value : null
      const fitted = this.fit('', { name, value: value ?? kept, label: label ?? null })
      return { value: fitted.value, label: isNumber ? label : fitted.label }
    }
    const choices = definition?.labels.filter((one) => one.label === label) ?? []
    return { value: value ?? (choices.length === 1 ? choices[0]?.value : undefined), label }
  }

  /** Divides scores into those that a function fits, and refusals of those with which it throws. */
  sort<Score extends { name: string }, Result>(
    scores: readonly Score[],
    fit: (score: Score, index: number) => Result,
  ): { fitted: Result[]; refused: ScoreRefusal[] } {
    const fitted: Result[] = []
    const refused: ScoreRefusal[] = []
    for (const [index, score] of scores.entries()) {
      try {
        fitted.push(fit(score, index))
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        const { code, message } = error
        refused.push({ index, name: score.name, code, message })
      }
    }
    return { fitted, refused }
  }
}

/** A score that was left out, by its index beside the others of its step or thread. */
export interface ScoreRefusal extends Refusal {
  index: number
  name: string
}

/** Returns the value that a label has in a definition. */
const valueByLabel = (
  where: string,
  definition: ScoreDefinitionRow | undefined,
  { name, label }: Sent,
): number => {
  const labels = definition?.labels ?? []
  if (label === null || labels.length === 0)
    throw invalid(
      labels.length === 0
        ? `${where}value: expected a number, as no definition of ${show(name)} has labels`
        : `${where}value: expected a number, or a label of the definition in its place`,
    )
  const choices = labels.filter((one) => one.label === label)
  if (choices.length > 1)
    throw invalid(`${where}value: expected a number, as several values have the label`)
  const [choice] = choices
  if (choice === undefined)
    throw invalid(`${where}label: expected ${choicesOf({ labels })}, or a value beside it`)
  return choice.value
}

const checkRange = (where: string, { min, max }: ScoreDefinitionRow, value: number): void => {
  if ((min === null || value >= min) && (max === null || value <= max)) return
  const range =
    min === null ? `at most ${max}` : max === null ? `at least ${min}` : `from ${min} to ${max}`
  throw invalid(`${where}value: expected a number ${range}, got ${value}`)
}

const choicesOf = ({ labels }: Pick<ScoreDefinitionRow, 'labels'>): string => {
  const named = labels
    .slice(0, NAMED)
    .map(({ value, label }) => `${JSON.stringify(label)} (${value})`)
  return `one of ${named.join(', ')}${labels.length > NAMED ? ', …' : ''}`
}
