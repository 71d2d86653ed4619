import type { MutationSetScoreDefinitionArgs } from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import type { Caller } from '../kernel/caller.js'
import { invalid } from '../kernel/errors.js'
import {
  deleteDefinition,
  listDefinitions,
  putDefinition,
  type ScoreDefinitionRow,
} from '../storage/scores/definitions.js'
import type { Values } from './values.js'

const MAX_LABELS = 100

/** The definitions of scores, by name. */
export class Definitions {
  readonly #db: Database
  readonly #values: Values

  constructor(db: Database, values: Values) {
    this.#db = db
    this.#values = values
  }

  list({ projectId }: Caller): Promise<ScoreDefinitionRow[]> {
    return listDefinitions(this.#db, projectId)
  }

  async set(
    { projectId }: Caller,
    { name, description, min, max, labels, better }: MutationSetScoreDefinitionArgs,
  ): Promise<ScoreDefinitionRow> {
    const values = this.#values
    if (min != null && max != null && min >= max)
      throw invalid(`min, max: expected min to be below max, got ${min} and ${max}`)
    const given = labels ?? []
    if (given.length > MAX_LABELS)
      throw invalid(`labels: expected at most ${MAX_LABELS}, got ${given.length}`)
    for (const [index, { value }] of given.entries())
      if (given.findIndex((other) => other.value === value) !== index)
        throw invalid(`labels[${index}].value: expected each value once, got ${value} twice`)
    const row: ScoreDefinitionRow = {
      name: values.requiredId('name', values.requiredText('name', name)),
      description: values.text('description', description) ?? null,
      min: min == null ? null : values.finite('min', min),
      max: max == null ? null : values.finite('max', max),
      labels: given
        .map(({ value, label }, index) => ({
          value: values.finite(`labels[${index}].value`, value),
          label: values.requiredText(`labels[${index}].label`, label),
        }))
        .sort((a, b) => a.value - b.value),
      better: better ?? 'HIGHER',
    }
    await putDefinition(this.#db, projectId, row)
    return row
  }

  /** Returns null when there was none. */
  async delete({ projectId }: Caller, name: string): Promise<{ id: string } | null> {
    return (await deleteDefinition(this.#db, projectId, name)) ? { id: name } : null
  }
}
