import { setTimeout as sleep } from 'node:timers/promises'
import { isAnswerTooLarge } from '../../database/answer-size.js'
import { DomainError } from '../../kernel/errors.js'
import type { GraphQLAnswer } from '../engine/execute.js'
import type { ExportDocument } from './document.js'

export type ExportedRow = Record<string, unknown>

/** Runs a document for the export's caller. */
export type RunPage = (
  query: string,
  variables: Record<string, unknown>,
) => Promise<GraphQLAnswer['body']>

export interface ExportPagesOptions {
  limit: number
  signal: AbortSignal
  /** Throws when the project is gone: its list ends early then, and is not whole. Called once a list has ended. */
  confirm: () => Promise<unknown>
}

interface PageOfRows {
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  edges: { node: ExportedRow }[]
}

const FIRST_SIZE = 100
const LARGEST_SIZE = 500
/** Rows of about so many characters are read at once. */
const PAGE_CHARACTERS = 1_000_000
/** Waits before a page is asked for again that the service had no room for. */
const PATIENCE_MS = [250, 1000, 4000, 15_000]

/** Reads an export page by page, each as large as memory allows. Nothing is held between the pages. */
export class ExportPages {
  readonly #document: ExportDocument
  readonly #run: RunPage
  readonly #signal: AbortSignal
  readonly #confirm: () => Promise<unknown>
  #left: number
  #size = FIRST_SIZE
  #after: string | null = null
  #isFirst = true

  constructor(
    document: ExportDocument,
    run: RunPage,
    { limit, signal, confirm }: ExportPagesOptions,
  ) {
    this.#document = document
    this.#run = run
    this.#left = limit
    this.#signal = signal
    this.#confirm = confirm
  }

  /** Reads the next rows; undefined after the last ones. */
  async next(): Promise<ExportedRow[] | undefined> {
    if (this.#left <= 0 || (!this.#isFirst && this.#after === null)) return undefined
    const first = Math.min(this.#size, this.#left)
    const page = await this.#read(first)
    if (page === undefined) {
      this.#size = Math.max(1, first >> 3)
      return this.next()
    }
    const { hasNextPage, endCursor } = page.pageInfo
    if (!hasNextPage) await this.#end()
    const rows = page.edges.map(({ node }) => node)
    this.#isFirst = false
    this.#left -= rows.length
    this.#after = hasNextPage ? endCursor : null
    return rows
  }

  /** Fits the next page to the length of the last one. */
  wrote(rows: number, characters: number): void {
    const fitting = Math.floor((rows * PAGE_CHARACTERS) / Math.max(1, characters))
    this.#size = Math.max(1, Math.min(fitting, this.#size * 4, LARGEST_SIZE))
  }

  /** Throws when the row that has the list is gone, or the project: rows that went with it would be missing, unnoticed. */
  async #end(): Promise<void> {
    await this.#confirm()
    if (this.#document.parent !== undefined) await this.#read(1)
  }

  /** Returns undefined when so many rows take too much memory. */
  async #read(first: number): Promise<PageOfRows | undefined> {
    const waits = this.#isFirst ? [] : [...PATIENCE_MS]
    for (;;) {
      this.#signal.throwIfAborted()
      try {
        return await this.#ask(first)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        if (isAnswerTooLarge(error.message) && first > 1) return undefined
        const waitMs = error.code === 'UNAVAILABLE' ? waits.shift() : undefined
        if (waitMs === undefined) throw error
        await sleep(waitMs, undefined, { signal: this.#signal })
      }
    }
  }

  async #ask(first: number): Promise<PageOfRows> {
    const { query, variables, parent } = this.#document
    const body = await this.#run(query, { ...variables, first, after: this.#after })
    const [error] = body.errors ?? []
    if (error !== undefined) throw new DomainError(error.extensions.code, error.message)
    const data = body.data as { list?: PageOfRows; parent?: { list: PageOfRows } | null }
    if (parent === undefined) return data.list as PageOfRows
    if (data.parent == null)
      throw new DomainError('NOT_FOUND', `${parent.of}: nothing has the id of this request`)
    return data.parent.list
  }
}
