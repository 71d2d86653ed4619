import type { MutationSetScoreDefinitionArgs } from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import type { Caller } from '../kernel/caller.js'
import { invalid, show } from '../kernel/errors.js'
import {
  deleteDefinition,
  listDefinitions,
  putDefinition,
  type ScoreDefinitionRow,
} from '../storage/scores/definitions.js'
import { changedFields, noteFor } from './audit/entry.js'
import type { Values } from './values.js'

const MAX_LABELS = 100

const BOOLEAN_LABELS = [
  { value: 0, label: 'false' },
  { value: 1, label: 'true' },
]

/** Checks that a definition has the parts of its kind, and no others. */
const checkKind = ({ kind, min, max, labels }: ScoreDefinitionRow): void => {
  if (kind !== 'NUMBER')
    for (const [field, value] of Object.entries({ min, max }))
      if (value !== null)
        throw invalid(`${field}: expected none for the kind ${kind}, got ${value}`)
  if (kind === 'NUMBER' && labels.length > 0)
    throw invalid(
      `labels: expected none for the kind NUMBER, got ${labels.length}; with labels, the kind is CATEGORY`,
    )
  if (kind === 'CATEGORY' && labels.length === 0)
    throw invalid('labels: expected one or more for the kind CATEGORY, got none')
  const isBoolean = labels.every(
    ({ value, label }, index) =>
      value === BOOLEAN_LABELS[index]?.value && label === BOOLEAN_LABELS[index]?.label,
  )
  if (kind === 'BOOLEAN' && labels.length > 0 && !(isBoolean && labels.length === 2))
    throw invalid(
      'labels: expected none for the kind BOOLEAN, as they are "false" (0) and "true" (1)',
    )
  checkUnambiguous({ labels })
}

/** Checks that each label names one value. */
const checkUnambiguous = ({ labels }: Pick<ScoreDefinitionRow, 'labels'>): void => {
  const seen = new Set<string>()
  for (const { label } of labels) {
    if (seen.has(label)) throw invalid(`labels: expected each label once, got ${show(label)} twice`)
    seen.add(label)
  }
}

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
    caller: Caller,
    {
      name,
      description,
      min,
      max,
      labels,
      better,
      kind,
      isEnforced,
    }: MutationSetScoreDefinitionArgs,
  ): Promise<ScoreDefinitionRow> {
    const values = this.#values
    const { projectId } = caller
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
      kind: kind ?? (given.length > 0 ? 'CATEGORY' : 'NUMBER'),
      isEnforced: isEnforced ?? false,
    }
    // Without a kind, a definition is one of before there were kinds, and may have both a range and labels.
    if (kind != null) checkKind(row)
    if (kind === 'BOOLEAN') row.labels = [...BOOLEAN_LABELS]
    if (row.isEnforced) checkUnambiguous(row)
    await this.#db.transaction().execute(async (transaction) => {
      const all = await listDefinitions(transaction, projectId)
      await putDefinition(transaction, projectId, row)
      const before = all.find((one) => one.name === row.name)
      await noteFor(transaction, caller, {
        action: 'SET_SCORE_DEFINITION',
        on: 'SCORE_DEFINITION',
        id: row.name,
        name: row.name,
        fields: changedFields(before, row),
      })
    })
    return row
  }

  /** Returns null when there was none. */
  async delete(caller: Caller, name: string): Promise<{ id: string } | null> {
    return this.#db.transaction().execute(async (transaction) => {
      if (!(await deleteDefinition(transaction, caller.projectId, name))) return null
      await noteFor(transaction, caller, {
        action: 'DELETE_SCORE_DEFINITION',
        on: 'SCORE_DEFINITION',
        id: name,
        name,
      })
      return { id: name }
    })
  }
}
