import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, invalid, show } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import {
  findLabelMoves,
  findLineageByName,
  findLineages,
  findVersionsByNumber,
  type LineageRow,
  lockLineage,
  type PromptLabelMoveRow,
  type PromptLabelRow,
  updateLabels,
} from '../../storage/prompts.js'
import { noteFor } from '../audit/entry.js'

const MAX_LABELS = 100
/** Older moves are forgotten. */
const MAX_MOVES = 100
const MAX_LENGTH = 100

/**
 * The labels of prompts. They are part of the lineage's row, so that a version is found by its label with no further
 * statement, and a move is one write.
 */
export class PromptLabels {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Moves a label to a version, or removes it. Returns the lineage as it is afterwards. */
  async move(
    caller: Caller,
    name: string,
    label: string,
    version: number | null,
  ): Promise<LineageRow> {
    if (name === '') throw invalid('name: expected the name of a prompt, got an empty one')
    checkLabel(label)
    const { projectId } = caller
    const lineage = await findLineageByName(this.#db, projectId, name)
    if (lineage === undefined)
      throw new DomainError('NOT_FOUND', `name: no prompt is called ${show(name)}`)
    const movedBy = caller.keyName
    return this.#db.transaction().execute(async (transaction) => {
      // A move at the same time continues from this one.
      await lockLineage(transaction, projectId, lineage.id)
      const [current = lineage] = await findLineages(transaction, projectId, [lineage.id])
      if (version !== null) {
        const found = await findVersionsByNumber(transaction, projectId, lineage.id, [version])
        if (found.length === 0)
          throw invalid(`version: the prompt ${show(name)} has no version ${version}`)
      }
      const labels = current.labels ?? []
      const before = labels.find((one) => one.name === label)
      if (before === undefined && version === null) throw unknownLabel(current, label)
      if (before !== undefined && before.version === version) return current
      if (before === undefined && labels.length >= MAX_LABELS)
        throw invalid(`label: expected at most ${MAX_LABELS} labels of a prompt`)
      const movedAt = this.#clock()
      const others = labels.filter((one) => one.name !== label)
      const moved =
        version === null ? others : sorted([...others, { name: label, version, movedAt, movedBy }])
      const move = {
        label,
        fromVersion: before?.version ?? null,
        toVersion: version,
        movedAt,
        movedBy,
      }
      const moves = await findLabelMoves(transaction, projectId, lineage.id)
      const kept = [move, ...moves].slice(0, MAX_MOVES)
      await updateLabels(transaction, projectId, lineage.id, moved, kept)
      await noteFor(transaction, caller, {
        action: version === null ? 'REMOVE_PROMPT_LABEL' : 'SET_PROMPT_LABEL',
        on: 'PROMPT',
        id: lineage.id,
        name: lineage.name,
        details: { label, ...(version === null ? {} : { version }) },
      })
      return { ...current, labels: moved }
    })
  }

  /** Returns the newest moves of a prompt's labels. */
  moves({ projectId }: Caller, lineageId: string): Promise<PromptLabelMoveRow[]> {
    return findLabelMoves(this.#db, projectId, lineageId)
  }
}

const sorted = (labels: readonly PromptLabelRow[]): PromptLabelRow[] =>
  labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))

const checkLabel = (label: string): void => {
  if (label.trim() === '' || label.length > MAX_LENGTH)
    throw invalid(`label: expected a text of 1 to ${MAX_LENGTH} characters, got ${show(label)}`)
}

/** Returns the version that a label leads to; undefined without a label. */
export const versionWith = (
  lineage: LineageRow,
  label: string | null | undefined,
  version: number | null | undefined,
): number | undefined => {
  if (label === null || label === undefined) return undefined
  if (version !== null && version !== undefined)
    throw invalid('version, label: expected one of them, got both')
  const found = lineage.labels?.find(({ name }) => name === label)
  if (found === undefined) throw unknownLabel(lineage, label)
  return found.version
}

const MAX_SHOWN = 20

const unknownLabel = ({ name, labels }: LineageRow, label: string) => {
  const names = (labels ?? []).map((one) => show(one.name))
  const known =
    names.length === 0
      ? 'it has no labels'
      : `it has ${names.slice(0, MAX_SHOWN).join(', ')}${names.length > MAX_SHOWN ? ', …' : ''}`
  return invalid(`label: the prompt ${show(name)} has no label ${show(label)}; ${known}`)
}
