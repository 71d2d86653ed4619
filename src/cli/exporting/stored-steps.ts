import type { StepwellClient } from '../../client.js'
import { StepwellError } from '../../errors.js'
import type { StepsFilter } from '../../lists/filters.js'
import type { PlacedStep } from '../../otlp/stored/ids.js'
import type { StoredStep } from '../../otlp/stored/stored-span.js'

/** Steps in the order of their arrival, and the place after each. */
export interface StoredPage {
  steps: StoredStep[]
  cursors: string[]
}

interface Rows {
  steps: {
    pageInfo: { hasNextPage: boolean }
    edges: { cursor: string; node: StoredStep }[]
  }
}

const FIRST_SIZE = 50
const LARGEST_SIZE = 500
/** Pages of about so many characters are read at once. */
const PAGE_CHARACTERS = 1_000_000

/** Reads the steps that pass a filter, page by page, from the oldest arrival on; each page as large as memory allows. */
export async function* storedSteps(
  client: StepwellClient,
  filter: { query: string | undefined; filters: StepsFilter[] | undefined },
  from: string | undefined,
): AsyncGenerator<StoredPage> {
  let after = from
  let first = FIRST_SIZE
  for (;;) {
    let rows: Rows
    try {
      rows = await client.query<Rows, object>(STEPS, { ...filter, first, after })
    } catch (error) {
      if (!StepwellError.is(error) || error.code !== 'TOO_LARGE' || first === 1) throw error
      first = Math.max(1, first >> 3)
      continue
    }
    const { edges, pageInfo } = rows.steps
    const cursors = edges.map(({ cursor }) => cursor)
    const steps = edges.map(({ node }) => node)
    if (steps.length > 0) yield { steps, cursors }
    if (!pageInfo.hasNextPage || edges.length === 0) return
    after = cursors.at(-1)
    const fitting = Math.floor(
      (steps.length * PAGE_CHARACTERS) / Math.max(1, JSON.stringify(steps).length),
    )
    first = Math.max(1, Math.min(fitting, first * 4, LARGEST_SIZE))
  }
}

/** Finds the places of steps by their ids. */
export const placesOf = async (
  client: StepwellClient,
  ids: readonly string[],
): Promise<PlacedStep[]> => {
  const found: PlacedStep[] = []
  for (let from = 0; from < ids.length; from += LARGEST_SIZE) {
    const { stepsById } = await client.query<{ stepsById: (PlacedStep | null)[] }, object>(PLACES, {
      ids: ids.slice(from, from + LARGEST_SIZE),
    })
    found.push(...stepsById.filter((step) => step !== null))
  }
  return found
}

const PLACES = 'query Places($ids: [String!]!) { stepsById(ids: $ids) { id parentId rootRunId } }'

const STEPS = `query StepsToExport($first: Int, $after: ID, $filters: [stepsInputType!], $query: String) {
  steps(
    first: $first
    after: $after
    filters: $filters
    query: $query
    orderBy: { column: "createdAt", direction: ASC }
  ) {
    pageInfo { hasNextPage }
    edges {
      cursor
      node {
        id threadId rootRunId parentId type name startTime endTime createdAt
        input output metadata error tags environment participantIdentifier
        scores { id name type value label comment scorer tags }
        generation {
          type prompt completion messages messageCompletion provider model variables tools settings promptId
          tokenCount inputTokenCount outputTokenCount
          usage {
            input cached cacheWrite cacheWrite5m cacheWrite1h audioInput imageInput
            output reasoning audioOutput imageOutput unexplained total
          }
          cost costSource ttFirstToken duration tokenThroughputInSeconds error tags metadata
        }
        attachments { id name mime metadata objectKey url }
        thread { id name metadata tags environment participant { identifier } }
      }
    }
  }
}`
