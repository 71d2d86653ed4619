import { randomUUID } from 'node:crypto'
import type {
  CreateDatasetExperimentItemsPayload,
  ExperimentLease,
  ExperimentResultInput,
  MutationCreateDatasetExperimentItemsArgs,
  MutationLeaseDatasetExperimentItemsArgs,
  MutationRetryDatasetExperimentItemsArgs,
  RefusedResultScore,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid, notFound } from '../../kernel/errors.js'
import type { Clock, Instant } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { Pages } from '../../lists/page.js'
import { deleteResults } from '../../storage/erasure/portions.js'
import {
  claimExperiment,
  type ExperimentItemRow,
  hasExperiment,
  insertExperimentItems,
  keepExperiment,
} from '../../storage/experiments.js'
import {
  endLeases,
  findFailedResults,
  freeLeases,
  type Holder,
  type LeaseRow,
  lockLeases,
  type Place,
  putLeases,
  settleLeases,
  timesOf,
} from '../../storage/leases.js'
import { noteFor } from '../audit/entry.js'
import { handOnFromResults } from '../erasure/handing-on.js'
import { ScoreRules } from '../score-rules.js'
import { Scores } from '../scores.js'
import type { Values } from '../values.js'
import { keepItems } from './kept-items.js'
import { readMeasures } from './measures.js'

const MAX_ITEMS = 1000
const MAX_SECONDS = 3600
const MAX_REPETITION = 1_000_000

/** A score of a result, with the beginning of its fields' names in errors. */
interface PlacedScore {
  where: string
  score: NonNullable<ExperimentResultInput['scores']>[number]
}

/** Runs of experiments that several processes share: leases of items, and their results. */
export class Leases {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, pages: Pages, values: Values, clock: Clock) {
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#clock = clock
  }

  /** Leases items that are free, extends the caller's leases, or gives them back. Returns a lease for each item. */
  async lease(
    caller: Caller,
    { seconds, takeOver, items, ...run }: MutationLeaseDatasetExperimentItemsArgs,
  ): Promise<ExperimentLease[]> {
    if (!(seconds >= 0 && seconds <= MAX_SECONDS))
      throw invalid(`seconds: expected 0 to ${MAX_SECONDS}, got ${seconds}`)
    const holder = this.#holder(caller, run)
    const places = this.#places(items)
    return this.#db.transaction().execute(async (db) => {
      await keepRun(db, holder)
      if (places.length === 0) return []
      const times = await timesOf(db, seconds)
      if (seconds > 0)
        await putLeases(db, holder, places, { ...times, takesOver: takeOver === true })
      const rows = await lockLeases(db, holder, places)
      if (seconds === 0) await endLeases(db, holder, rows, times.now)
      const found = new Map(rows.map((row) => [nameOf(row), row]))
      return places.map((place) => ({
        ...place,
        ...stateOf(found.get(nameOf(place)), holder.holder, times.now, seconds),
      }))
    })
  }

  /**
   * Deletes failed results of a run with their scores, so that their items can be leased again. Returns their number; more
   * may be left when it is the most that one request deletes.
   */
  async retry(
    caller: Caller,
    { datasetExperimentId: experimentId }: MutationRetryDatasetExperimentItemsArgs,
  ): Promise<number> {
    const { projectId } = caller
    if (!(await hasExperiment(this.#db, projectId, experimentId)))
      throw notFound('experiment', experimentId)
    return this.#db.transaction().execute(async (db) => {
      // Before the leases: those who store results lock in this order.
      await claimExperiment(db, projectId, experimentId)
      const failed = await findFailedResults(db, projectId, experimentId, MAX_ITEMS)
      if (failed.length === 0) return 0
      const run = { projectId, experimentId }
      const leases = await lockLeases(db, run, failed)
      // Another process may have deleted some since.
      const leased = new Set(leases.map(({ itemId }) => itemId))
      const own = failed.filter(({ id }) => leased.has(id))
      const { now } = await timesOf(db, 0)
      await freeLeases(db, run, own, now)
      const ids = own.map(({ id }) => id)
      const { results } = await deleteResults(db, projectId, ids)
      await handOnFromResults(db, projectId, results)
      if (results.length > 0)
        await noteFor(db, caller, {
          action: 'DELETE_EXPERIMENT_RESULTS',
          on: 'EXPERIMENT',
          id: experimentId,
          details: { results: results.length },
        })
      return results.length
    })
  }

  /** Stores the results whose leases the caller has. Returns their ids, null for the others, and the scores left out. */
  async createItems(
    caller: Caller,
    { items, ...run }: MutationCreateDatasetExperimentItemsArgs,
  ): Promise<CreateDatasetExperimentItemsPayload> {
    const holder = this.#holder(caller, run)
    const places = this.#places(items)
    const rows: ExperimentItemRow[] = []
    const turn = new Turn()
    for (const [index, item] of items.entries()) {
      if (turn.isOver()) await turn.next()
      rows.push(this.#read(`items[${index}].`, run.datasetExperimentId, item))
    }
    const { scores, refusedScores } = await this.#fittingScores(caller, items, rows)
    const ids = await this.#db.transaction().execute(async (db) => {
      await keepRun(db, holder)
      if (places.length === 0) return []
      await keepItems(db, caller, rows)
      const leases = new Map(
        (await lockLeases(db, holder, places)).map((row) => [nameOf(row), row]),
      )
      const own = (index: number) => {
        const lease = leases.get(nameOf(places[index] as Place))
        return lease?.holder === holder.holder ? lease : undefined
      }
      const fresh = places.flatMap((_, index) => (own(index)?.itemId === null ? [index] : []))
      await settleLeases(
        db,
        holder,
        fresh.map((index) => ({
          ...(places[index] as Place),
          id: (rows[index] as ExperimentItemRow).id,
        })),
      )
      await insertExperimentItems(
        db,
        caller.projectId,
        fresh.map((index) => rows[index] as ExperimentItemRow),
      )
      await this.#createScores(db, caller, scores, rows, fresh)
      // A result that was sent again has the id that it got at first.
      return rows.map(({ id }, index) => {
        const lease = own(index)
        return lease === undefined ? null : (lease.itemId ?? id)
      })
    })
    return { ids, refusedScores }
  }

  /**
   * Returns the scores of each result, without those that do not fit the definitions of their names: these are returned
   * beside them, and noted in the error of the result, which is stored in any case.
   */
  async #fittingScores(
    { projectId }: Caller,
    items: readonly ExperimentResultInput[],
    rows: readonly ExperimentItemRow[],
  ): Promise<{ scores: PlacedScore[][]; refusedScores: RefusedResultScore[] }> {
    const names = items.flatMap(({ scores }) => (scores ?? []).map(({ name }) => name))
    const rules = await ScoreRules.read(this.#db, projectId, names)
    const refusedScores: RefusedResultScore[] = []
    const fitting = items.map(({ scores }, index) => {
      const { fitted, refused } = rules.sort(scores ?? [], (score, place) => {
        const where = `items[${index}].scores[${place}].`
        const { name, value = null, label = null } = score
        rules.fit('', { name, value, label })
        return { where, score }
      })
      const row = rows[index] as ExperimentItemRow
      const told = refused.map(({ name, message }) => `${name}: ${message}`)
      if (told.length > 0) row.error = [...(row.error ? [row.error] : []), ...told].join('\n')
      for (const one of refused) refusedScores.push({ resultIndex: index, ...one })
      return fitted
    })
    return { scores: fitting, refusedScores }
  }

  async #createScores(
    db: Database,
    caller: Caller,
    placed: readonly (readonly PlacedScore[])[],
    rows: readonly ExperimentItemRow[],
    fresh: readonly number[],
  ): Promise<void> {
    const scores = fresh.flatMap((index) =>
      (placed[index] ?? []).map(({ where, score }) => {
        if (score.datasetExperimentItemId != null && score.datasetExperimentItemId !== '')
          throw invalid(`${where}datasetExperimentItemId: expected nothing, as the item is new`)
        const { id } = rows[index] as ExperimentItemRow
        return { where, score: { ...score, datasetExperimentItemId: id } }
      }),
    )
    await new Scores(db, this.#pages, this.#values, this.#clock).createAll(
      caller,
      scores.map(({ score }) => score),
      (index) => scores[index]?.where ?? '',
    )
  }

  #holder(
    { projectId }: Caller,
    { datasetExperimentId, holder }: { datasetExperimentId: string; holder: string },
  ): Holder {
    const id = this.#values.requiredId('holder', holder)
    return { projectId, experimentId: datasetExperimentId, holder: id }
  }

  #places(items: readonly Place[]): Place[] {
    if (items.length > MAX_ITEMS)
      throw invalid(`items: expected at most ${MAX_ITEMS}, got ${items.length}`)
    const seen = new Set<string>()
    return items.map(({ key, repetition }, index) => {
      const place = { key: this.#values.requiredId(`items[${index}].key`, key), repetition }
      if (!(repetition >= 1 && repetition <= MAX_REPETITION))
        throw invalid(
          `items[${index}].repetition: expected 1 to ${MAX_REPETITION}, got ${repetition}`,
        )
      if (seen.has(nameOf(place)))
        throw invalid(`items[${index}]: expected each key and repetition once, got one twice`)
      seen.add(nameOf(place))
      return place
    })
  }

  #read(where: string, experimentId: string, item: ExperimentResultInput): ExperimentItemRow {
    const values = this.#values
    return {
      id: randomUUID(),
      createdAt: this.#clock(),
      datasetExperimentId: experimentId,
      datasetItemId: values.id(`${where}datasetItemId`, item.datasetItemId) ?? null,
      experimentRunId: values.id(`${where}experimentRunId`, item.experimentRunId) ?? null,
      input: values.payload(`${where}input`, item.input) ?? null,
      expectedOutput: values.payload(`${where}expectedOutput`, item.expectedOutput) ?? null,
      output: values.payload(`${where}output`, item.output) ?? null,
      key: item.key,
      repetition: item.repetition,
      error: values.text(`${where}error`, item.error) ?? null,
      cluster: values.text(`${where}group`, item.group) ?? null,
      ...readMeasures(where, item),
    }
  }
}

/** Rejects work on an experiment that does not exist, and keeps it from being deleted until the transaction ends. */
const keepRun = async (db: Database, { projectId, experimentId }: Holder): Promise<void> => {
  if (!(await keepExperiment(db, projectId, experimentId)))
    throw notFound('experiment', experimentId)
}

const nameOf = ({ key, repetition }: Place): string => `${repetition} ${key}`

/** Returns the state of an item after a request, as its caller sees it. */
const stateOf = (
  row: LeaseRow | undefined,
  holder: string,
  now: Instant,
  seconds: number,
): Pick<ExperimentLease, 'state' | 'remainingMs'> => {
  if (row?.itemId != null) return { state: 'DONE', remainingMs: 0 }
  const isOwn = row?.holder === holder
  const remainingMs = row === undefined ? 0 : Date.parse(row.leasedUntil) - Date.parse(now)
  if (row === undefined || remainingMs <= 0 || (isOwn && seconds === 0))
    return { state: 'FREE', remainingMs: 0 }
  return { state: isOwn ? 'LEASED' : 'HELD', remainingMs }
}
