import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import { isDistributed } from '../../database/distribution/cluster.js'
import { isTooSlow } from '../../database/failures.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { changes } from '../../database/rows/tables.js'
import { inPassing, withTimeLimit } from '../../database/task.js'
import { Turn } from '../../kernel/sharing/turn.js'
import { BUCKETS, partsOf, Signature } from './grams.js'
import { MAX_STEPS } from './slabs.js'

/** Reads the texts of the first of some steps, and tells how many these are: few where they are large. */
export type ReadTexts = (
  db: Database,
  projectId: string,
  ids: readonly string[],
) => Promise<{ rows: readonly { id: string; text: string }[]; read: number }>

/** Changed steps whose texts are read at once. */
const READ_AT_ONCE = 64
/** The memory of all projects together, in closed blocks of 8 kB. */
const MAX_SIZE = 2048
/** Memory that a block takes in addition while it is open. */
const OPEN_SIZE = 8

interface Change {
  id: string
  stepIds: readonly string[]
}

/** Steps that changed, with the hashes of what they said then or later. */
class Block {
  /** The changes that it stands for. It is kept while one of them is. */
  readonly changes = new Set<string>()
  readonly stepIds = new Set<string>()
  #signature: Signature | undefined = new Signature()
  readonly #bits = new Uint8Array(BUCKETS / 8)

  add(id: string, part: string): void {
    this.#signature?.add(part)
    this.stepIds.add(id)
  }

  /** Closes a full block. Returns true once it is closed. */
  close(): boolean {
    if (this.#signature === undefined) return true
    if (!this.#signature.isFull && this.stepIds.size < MAX_STEPS) return false
    const { has } = this.#signature
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      if (has[bucket] === 1)
        this.#bits[bucket >> 3] = (this.#bits[bucket >> 3] as number) | (1 << (bucket & 7))
    this.#signature = undefined
    return true
  }

  mayContain(hashes: readonly number[]): boolean {
    const has = this.#signature?.has
    return hashes.every((hash) =>
      has === undefined ? ((this.#bits[hash >> 3] as number) >> (hash & 7)) & 1 : has[hash] === 1,
    )
  }
}

/** The memory of searches of the steps of a project that are not indexed yet, so that each is read by one search only. */
class Unindexed {
  readonly #blocks = new Set<Block>()
  #known = new Set<string>()
  #open: Block | undefined
  #line: Promise<unknown> = Promise.resolve()

  /** Its memory, in closed blocks: one is for all that is no block. */
  get size(): number {
    return 1 + this.#blocks.size + (this.#open === undefined ? 0 : OPEN_SIZE)
  }

  /** Returns the steps that may contain a text, those among them that were indexed since included. */
  candidates(hashes: readonly number[]): string[] {
    return [...this.#blocks]
      .filter((block) => block.mayContain(hashes))
      .flatMap(({ stepIds }) => [...stepIds])
  }

  /** Runs what is asked for one after the other. */
  inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#line.then(work)
    this.#line = result.catch(() => {})
    return result
  }

  /** Forgets changes that are no more, as they were indexed. */
  forget(isNoted: (changeId: string) => boolean): void {
    for (const id of this.#known) if (!isNoted(id)) this.#known.delete(id)
    for (const block of this.#blocks) {
      for (const id of block.changes) if (!isNoted(id)) block.changes.delete(id)
      if (block.changes.size > 0) continue
      this.#blocks.delete(block)
      if (block === this.#open) this.#open = undefined
    }
  }

  knows({ id }: Change): boolean {
    return this.#known.has(id)
  }

  /** Reads what the steps of some changes say. `texts` may throw: these changes stay unknown. */
  async read(
    some: readonly Change[],
    texts: (ids: readonly string[]) => ReturnType<ReadTexts>,
  ): Promise<void> {
    const ids = [...new Set(some.flatMap(({ stepIds }) => stepIds))]
    const touched = new Set<Block>()
    const turn = new Turn()
    for (let at = 0; at < ids.length; ) {
      const { rows, read } = await texts(ids.slice(at, at + READ_AT_ONCE))
      for (const { id, text } of rows)
        for (const part of partsOf(text)) {
          if (turn.isOver()) await turn.next()
          this.#open ??= new Block()
          const block = this.#open
          this.#blocks.add(block)
          touched.add(block)
          block.add(id, part)
          if (block.close()) this.#open = undefined
        }
      at += read
    }
    for (const { id } of some) {
      for (const block of touched) block.changes.add(id)
      this.#known.add(id)
    }
  }
}

/** The projects of each database; those that were searched least recently are forgotten first. */
const memories = new WeakMap<Database, LRUCache<string, Unindexed>>()

const memoriesOf = (db: Database): LRUCache<string, Unindexed> => {
  const known = memories.get(db)
  if (known !== undefined) return known
  const made = new LRUCache<string, Unindexed>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ size }) => size,
  })
  memories.set(db, made)
  return made
}

/** Keeps the memory of a project as the one used last, with its size of now: a size is read only of what is new there. */
const keep = (db: Database, projectId: string, memory: Unindexed): void => {
  memoriesOf(db).delete(projectId)
  memoriesOf(db).set(projectId, memory)
}

/** Returns the steps that are not indexed yet and may contain a text. Those that nobody read yet may contain any. */
export const findUnindexed = async (
  db: Database,
  projectId: string,
  hashes: readonly number[],
  texts: ReadTexts | undefined,
  deadline: number,
): Promise<string[]> => {
  const { rows: noted } = await sql`
    SELECT ${select(pick(changes, 'id', 'stepIds'))} FROM content_changes changes
    WHERE changes.project_id = ${projectId} ORDER BY changes.id`.execute(db)
  const memory = memoriesOf(db).get(projectId) ?? new Unindexed()
  keep(db, projectId, memory)
  return memory.inLine(async () => {
    const present = new Set(noted.map(({ id }) => id))
    memory.forget((id) => present.has(id))
    const fresh = texts === undefined ? [] : noted.filter((change) => !memory.knows(change))
    // On several servers, a note may be seen a moment before what it is about.
    if (texts !== undefined && fresh.length > 0 && !(await isDistributed(db)))
      try {
        const read = (ids: readonly string[]) => inPassing(() => texts(db, projectId, ids))
        for (const some of inBatches(fresh)) {
          const leftMs = deadline - performance.now()
          if (leftMs <= 0 || memory.size >= MAX_SIZE) break
          await withTimeLimit(leftMs, () => memory.read(some, read))
        }
      } catch (error) {
        if (!isTooSlow(error)) throw error
      } finally {
        keep(db, projectId, memory)
      }
    const left = new Set(noted.flatMap(({ stepIds }) => stepIds))
    return [
      ...noted.filter((change) => !memory.knows(change)).flatMap(({ stepIds }) => stepIds),
      ...memory.candidates(hashes).filter((id) => left.has(id)),
    ]
  })
}

/** Divides changes in batches of about as many steps as are read at once. */
function* inBatches(all: readonly Change[]): Generator<Change[]> {
  let batch: Change[] = []
  let steps = 0
  for (const change of all) {
    batch.push(change)
    steps += change.stepIds.length
    if (steps < READ_AT_ONCE) continue
    yield batch
    batch = []
    steps = 0
  }
  if (batch.length > 0) yield batch
}
