import type { QueryMetricsArgs } from '../../../generated/resolvers.js'
import { ENVIRONMENTS } from '../../kernel/caller.js'
import { DomainError, invalid, within } from '../../kernel/errors.js'
import { type Instant, parseInstant } from '../../kernel/instant.js'
import type { Range } from '../../storage/metrics.js'

const MAX_BUCKETS = 500
const BUCKETS = 48

/** Checks the range of a question. */
export const rangeOf = ({
  from,
  to,
  buckets,
  environment,
  participantId,
  excludeExperiments,
}: QueryMetricsArgs): Range => {
  const parts = within('buckets', buckets ?? BUCKETS, 1, MAX_BUCKETS)
  const [begin, end] = [parseInstant('from', from), parseInstant('to', to)]
  const seconds = (Date.parse(end) - Date.parse(begin)) / 1000
  if (!(seconds > 0)) throw invalid('from, to: expected a range that ends after it begins')
  if (environment != null && !ENVIRONMENTS.some((known) => known === environment))
    throw invalid(`environment: expected one of ${ENVIRONMENTS.join(', ')}`)
  return {
    from: begin,
    to: end,
    bucketSeconds: seconds / parts,
    environment: environment ?? null,
    participantId: participantId ?? null,
    excludeExperiments: excludeExperiments ?? false,
  }
}

/** Returns the start of a bucket by its number. */
export const startOf = (bucket: number, { from, bucketSeconds }: Range): Instant =>
  parseInstant('start', new Date(Date.parse(from) + bucket * bucketSeconds * 1000).toISOString())

export const tooMany = (most: number) =>
  new DomainError(
    'TOO_LARGE',
    `from, to: the range has more than ${most} rows; choose a shorter one`,
  )
