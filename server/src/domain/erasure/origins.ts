import type { Database } from '../../database/database.js'
import {
  EXPERIMENT,
  findItemOrigins,
  findResultsOfRuns,
  findStepOrigins,
  type ItemOrigin,
  type ResultOrigin,
  type StepOrigin,
} from '../../storage/erasure/notes.js'

/** Copies of copies that are followed back: a run on an item made of a step of a run on an item, and so on. */
const MAX_GENERATIONS = 20

/** Rows that were deleted or copied, whose participants are looked for. */
export interface Rows {
  steps?: readonly StepOrigin[]
  items?: readonly ItemOrigin[]
  results?: readonly ResultOrigin[]
}

/**
 * The participants whose data steps, dataset items and results of experiments have. A step has its own, and those of the
 * result whose run it belongs to; a result those of its item; an item those of the step that it was made of.
 */
export class Origins {
  readonly #steps = new Map<string, StepOrigin>()
  readonly #items = new Map<string, ItemOrigin>()
  /** By the ids of their runs. */
  readonly #results = new Map<string, ResultOrigin[]>()

  /** Reads all that some rows come from. */
  static async of(db: Database, projectId: string, rows: Rows): Promise<Origins> {
    const origins = new Origins()
    let { steps = [], items = [], results = [] } = rows
    for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
      for (const step of steps) origins.#steps.set(step.id, step)
      const runs = [...new Set(steps.flatMap(runsOf))].filter((run) => !origins.#results.has(run))
      for (const run of runs) origins.#results.set(run, [])
      const ofRuns = runs.length === 0 ? [] : await findResultsOfRuns(db, projectId, runs)
      for (const result of ofRuns) origins.#results.get(result.experimentRunId ?? '')?.push(result)
      const itemIds = missing(
        [...results, ...ofRuns].map(({ datasetItemId }) => datasetItemId),
        origins.#items,
      )
      const ofResults = itemIds.length === 0 ? [] : await findItemOrigins(db, projectId, itemIds)
      for (const item of [...items, ...ofResults]) origins.#items.set(item.id, item)
      const stepIds = missing(
        [...items, ...ofResults].map(({ stepId }) => stepId),
        origins.#steps,
      )
      if (stepIds.length === 0) break
      steps = await findStepOrigins(db, projectId, stepIds)
      items = []
      results = []
    }
    return origins
  }

  ofStep(step: StepOrigin): string[] {
    return [...this.#collect((found) => this.#addStep(step, found))]
  }

  ofItem(item: ItemOrigin): string[] {
    return [...this.#collect((found) => this.#addItem(item, found))]
  }

  ofResult(result: ResultOrigin): string[] {
    return [...this.#collect((found) => this.#addResult(result, found))]
  }

  #collect(add: (found: Found) => void): Set<string> {
    const found = { participants: new Set<string>(), seen: new Set<string>() }
    add(found)
    return found.participants
  }

  #addStep(step: StepOrigin, found: Found): void {
    if (found.seen.has(step.id)) return
    found.seen.add(step.id)
    if (step.participantId !== null) found.participants.add(step.participantId)
    note(step, found)
    for (const run of runsOf(step))
      for (const result of this.#results.get(run) ?? []) this.#addResult(result, found)
  }

  #addResult(result: ResultOrigin, found: Found): void {
    note(result, found)
    const item = this.#items.get(result.datasetItemId ?? '')
    if (item !== undefined) this.#addItem(item, found)
  }

  #addItem(item: ItemOrigin, found: Found): void {
    note(item, found)
    const step = this.#steps.get(item.stepId ?? '')
    if (step !== undefined) this.#addStep(step, found)
  }
}

interface Found {
  participants: Set<string>
  /** The ids of steps, each of which is followed once. */
  seen: Set<string>
}

const note = (
  { notedParticipants }: { notedParticipants: string[] | null },
  found: Found,
): void => {
  for (const participant of notedParticipants ?? []) found.participants.add(participant)
}

const runsOf = ({ id, rootRunId, environment }: StepOrigin): string[] => {
  if (environment !== EXPERIMENT) return []
  return rootRunId === null || rootRunId === id ? [id] : [id, rootRunId]
}

const missing = (
  ids: readonly (string | null)[],
  known: ReadonlyMap<string, unknown>,
): string[] => [...new Set(ids.flatMap((id) => (id === null || known.has(id) ? [] : [id])))]
