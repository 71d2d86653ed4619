// The reads of Literal AI's clients, with the fields that they select and no others: a server that knows those knows these.
import { StepwellError } from '../../../errors.js'
import { type Fields, isFields, listOf, textOf } from '../values.js'
import type { WebSource } from '../web-source.js'

const PAGE_INFO = 'pageInfo { endCursor hasNextPage }'

const STEP = `id threadId parentId rootRunId type name startTime endTime createdAt input output metadata tags error environment
  scores { id name type value label comment scorer tags }
  generation {
    id type provider model error settings variables tags metadata tools messages messageCompletion prompt completion
    tokenCount inputTokenCount outputTokenCount ttFirstToken duration tokenThroughputInSeconds
  }
  attachments { id name mime metadata objectKey url }`

const LISTS = {
  participants: `query($first: Int, $after: ID) {
    participants(first: $first, after: $after) { ${PAGE_INFO} edges { node { id identifier metadata createdAt } } }
  }`,
  threads: `query($first: Int, $after: ID, $orderBy: ThreadsOrderByInput) {
    threads(first: $first, after: $after, orderBy: $orderBy) {
      ${PAGE_INFO} edges { node { id name metadata tags createdAt participant { id identifier } } }
    }
  }`,
  steps: `query($first: Int, $after: ID, $orderBy: StepsOrderByInput) {
    steps(first: $first, after: $after, orderBy: $orderBy) { ${PAGE_INFO} edges { node { ${STEP} } } }
  }`,
  datasets: `query($first: Int, $after: ID) {
    datasets(first: $first, after: $after) { ${PAGE_INFO} edges { node { id name } } }
  }`,
} as const
type List = keyof typeof LISTS

const PROMPT = `query($name: String!, $version: Int) {
  promptVersion(name: $name, version: $version) {
    id version type templateMessages tools settings variables variablesDefaultValues
  }
}`
const ROLLOUT = `query($lineageName: String!) {
  promptLineageRollout(lineageName: $lineageName) { edges { node { version rollout } } }
}`

/** Codes and words of a page that is too large to be answered. */
const HEAVY = new Set([413, 500, 502, 504])

export class LiteralReads {
  readonly #web: WebSource

  constructor(web: WebSource) {
    this.#web = web
  }

  async #ask(query: string, variables: Fields): Promise<Fields> {
    const answer = await this.#web.post('/api/graphql', { query, variables })
    const { data, errors } = isFields(answer) ? answer : ({} as Fields)
    const [first] = listOf(errors)
    // A message may repeat what was sent, which is nothing but cursors and names.
    if (first !== undefined)
      throw new StepwellError(
        `the source says: ${textOf(first.message)?.slice(0, 200) ?? 'an error'}`,
        {
          code: 'BAD_REQUEST',
        },
      )
    if (!isFields(data))
      throw new StepwellError('expected data of GraphQL; is the source a server of Literal AI?', {
        code: 'NETWORK',
      })
    return data
  }

  /**
   * Walks over a list from a cursor, the oldest first where the list has an order. A page that the source can't answer is asked
   * for in smaller ones.
   */
  async *pages(
    list: List,
    first: number,
    from: unknown,
  ): AsyncGenerator<{ nodes: Fields[]; after: string | undefined }> {
    const isOrdered = list === 'threads' || list === 'steps'
    let after = textOf(from)
    let size = first
    for (;;) {
      let data: Fields
      try {
        data = await this.#ask(LISTS[list], {
          first: size,
          after,
          ...(isOrdered ? { orderBy: { column: 'createdAt', direction: 'ASC' } } : {}),
        })
      } catch (error) {
        if (size === 1 || !isHeavy(error)) throw error
        size = Math.ceil(size / 2)
        continue
      }
      const { edges, pageInfo } = pageOf(data[list], list)
      const nodes = listOf(edges).flatMap(({ node }) => (isFields(node) ? [node] : []))
      const { endCursor, hasNextPage } = pageInfo
      const next = hasNextPage === true ? textOf(endCursor) : undefined
      if (hasNextPage === true && next === undefined) throw noPage(list)
      if (next !== undefined && next === after)
        throw new StepwellError(`the source answers ${list} with the same page again`, {
          code: 'NETWORK',
        })
      yield { nodes, after: next }
      if (next === undefined) return
      after = next
    }
  }

  /** Returns a dataset with its items; undefined when there is none. */
  async dataset(id: string): Promise<Fields | undefined> {
    const answer = await this.#web.post('/api/export/dataset', { id })
    const { data } = isFields(answer) ? answer : ({} as Fields)
    return isFields(data) ? data : undefined
  }

  async promptVersion(name: string, version: number): Promise<Fields | undefined> {
    const { promptVersion } = await this.#ask(PROMPT, { name, version })
    return isFields(promptVersion) ? promptVersion : undefined
  }

  async rollouts(name: string): Promise<Fields[]> {
    const { promptLineageRollout: found } = await this.#ask(ROLLOUT, { lineageName: name })
    return listOf(isFields(found) ? found.edges : []).flatMap(({ node }) =>
      isFields(node) ? [node] : [],
    )
  }
}

const noPage = (list: List) =>
  new StepwellError(`expected a page of ${list} and where the next one begins`, { code: 'NETWORK' })

/** Reads a page of a list. One that is none must not pass for the end of the list. */
const pageOf = (connection: unknown, list: List): { edges: unknown[]; pageInfo: Fields } => {
  const { edges, pageInfo } = isFields(connection) ? connection : ({} as Fields)
  if (!Array.isArray(edges) || !isFields(pageInfo)) throw noPage(list)
  return { edges, pageInfo }
}

const isHeavy = (error: unknown): boolean =>
  StepwellError.is(error) && (HEAVY.has(error.status ?? 0) || /too large/i.test(error.message))
