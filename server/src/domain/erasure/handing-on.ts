import type { Database } from '../../database/database.js'
import { notFound } from '../../kernel/errors.js'
import {
  findCopiesOfSteps,
  findResultsOfItems,
  findStepOrigins,
  type ItemOrigin,
  keepParticipants,
  type Note,
  noteOnItems,
  noteOnResults,
  noteOnRuns,
  type ResultOrigin,
  type StepOrigin,
} from '../../storage/erasure/notes.js'
import { Origins } from './origins.js'

/** Ids that a statement takes. */
const AT_ONCE = 5000

/**
 * Hands on whose data deleted steps had to their copies in datasets, which would not tell otherwise. Needs the transaction
 * that has deleted the steps. Costs one statement when nothing was copied of them.
 */
export const handOnFromSteps = async (
  db: Database,
  projectId: string,
  deleted: readonly StepOrigin[],
): Promise<void> => {
  for (let first = 0; first < deleted.length; first += AT_ONCE) {
    const steps = new Map(deleted.slice(first, first + AT_ONCE).map((step) => [step.id, step]))
    const copies = await findCopiesOfSteps(db, projectId, [...steps.keys()])
    const copied = copies.flatMap(({ stepId }) => steps.get(stepId ?? '') ?? [])
    if (copied.length === 0) continue
    const origins = await Origins.of(db, projectId, { steps: copied })
    await noteOnItems(
      db,
      projectId,
      await notesOf(db, projectId, copies, ({ stepId }) => {
        const step = steps.get(stepId ?? '')
        return step === undefined ? [] : origins.ofStep(step)
      }),
    )
  }
}

/** The same from deleted dataset items to the results of experiments on them. */
export const handOnFromItems = async (
  db: Database,
  projectId: string,
  deleted: readonly ItemOrigin[],
): Promise<void> => {
  const items = new Map(deleted.map((item) => [item.id, item]))
  const results = await findResultsOfItems(db, projectId, [...items.keys()])
  if (results.length === 0) return
  const origins = await Origins.of(db, projectId, { items: deleted })
  await noteOnResults(
    db,
    projectId,
    await notesOf(db, projectId, results, ({ datasetItemId }) => {
      const item = items.get(datasetItemId ?? '')
      return item === undefined ? [] : origins.ofItem(item)
    }),
  )
}

/** The same from deleted results to the steps of their runs. */
export const handOnFromResults = async (
  db: Database,
  projectId: string,
  deleted: readonly ResultOrigin[],
): Promise<void> => {
  const results = deleted.filter(({ experimentRunId }) => experimentRunId !== null)
  if (results.length === 0) return
  const origins = await Origins.of(db, projectId, { results })
  const runs = new Map<string, Set<string>>()
  for (const result of results) {
    const run = runs.get(result.experimentRunId ?? '') ?? new Set()
    for (const participant of origins.ofResult(result)) run.add(participant)
    runs.set(result.experimentRunId ?? '', run)
  }
  const rows = [...runs].map(([id, participants]) => ({ id, participants, notedParticipants: [] }))
  await noteOnRuns(
    db,
    projectId,
    await notesOf(db, projectId, rows, ({ participants }) => [...participants]),
  )
}

/**
 * Returns, for each copy that was just made of some steps, the participants whose data these have. Keeps them from being
 * deleted until the transaction ends, so that the copy is found when they are.
 * @throws DomainError `NOT_FOUND` when a step was deleted since it was read.
 */
export const participantsOfCopies = async (
  db: Database,
  projectId: string,
  copies: readonly (readonly string[])[],
): Promise<string[][]> => {
  const ids = [...new Set(copies.flat())]
  if (ids.length === 0) return copies.map(() => [])
  const steps = await findPresent(db, projectId, ids)
  const origins = await Origins.of(db, projectId, { steps })
  const ofSteps = new Map(steps.map((step) => [step.id, origins.ofStep(step)]))
  const participants = [...new Set([...ofSteps.values()].flat())]
  const kept = new Set(
    participants.length === 0 ? [] : await keepParticipants(db, projectId, participants),
  )
  // One that was deleted in between may have taken steps along.
  if (kept.size < participants.length) await findPresent(db, projectId, ids)
  return copies.map((copied) =>
    [...new Set(copied.flatMap((id) => ofSteps.get(id) ?? []))].filter((one) => kept.has(one)),
  )
}

const findPresent = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<StepOrigin[]> => {
  const steps = await findStepOrigins(db, projectId, ids)
  const present = new Set(steps.map(({ id }) => id))
  const gone = ids.find((id) => !present.has(id))
  if (gone !== undefined) throw notFound('step', gone)
  return steps
}

/** Returns the notes that rows do not have yet, of participants that exist. */
const notesOf = async <Row extends { id: string; notedParticipants: string[] | null }>(
  db: Database,
  projectId: string,
  rows: readonly Row[],
  participantsOf: (row: Row) => string[],
): Promise<Note[]> => {
  const notes = rows.map((row) => ({
    id: row.id,
    participants: participantsOf(row).filter((one) => !row.notedParticipants?.includes(one)),
  }))
  const named = [...new Set(notes.flatMap(({ participants }) => participants))]
  if (named.length === 0) return []
  const known = new Set(await keepParticipants(db, projectId, named))
  return notes.flatMap(({ id, participants }) => {
    const existing = participants.filter((one) => known.has(one))
    return existing.length === 0 ? [] : [{ id, participants: existing }]
  })
}
