import type { Usage } from '../../../generated/model-calls/usage/usage.js'
import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import type { StepWrite } from '../../storage/ingestion/write.js'
import { type PricedCall, priceCall } from './price-call.js'
import type { ProjectPrices } from './project-prices.js'

type Values = StepWrite['values']

/**
 * Adds the costs of calls to steps that are about to be written: the database keeps them where the step is new, and
 * computes nothing. The values stay as they came, as a failed batch is tried again.
 */
export const withCosts = async (
  db: Database,
  prices: ProjectPrices,
  steps: readonly StepWrite[],
): Promise<readonly StepWrite[]> => {
  if (!steps.some(({ values }) => values.hasGeneration !== undefined)) return steps
  const priced: StepWrite[] = []
  for (const step of steps) {
    if (step.values.hasGeneration === undefined) {
      priced.push(step)
      continue
    }
    const { find, revision } = await prices.of(db, step.projectId)
    const { cost, source, isPartial } = priceCall(callOf(step.values, step.createdAt), find)
    const values: Values = { ...step.values, genCostSource: `"${source}"` }
    values.genCostRevision = String(revision)
    if (cost !== null) values.genCost = String(cost)
    if (isPartial) values.genCostPartial = 'true'
    priced.push({ ...step, values })
  }
  return priced
}

/** Settings with a service tier are few: others are not read. */
const MAY_HAVE_TIER = /service_?tier/i

const callOf = (values: Values, createdAt: Instant): PricedCall => {
  const inputTokenCount = read<number>(values.genInputTokenCount)
  const outputTokenCount = read<number>(values.genOutputTokenCount)
  const sum =
    inputTokenCount === null || outputTokenCount === null
      ? null
      : inputTokenCount + outputTokenCount
  return {
    provider: read(values.genProvider),
    model: read(values.genModel),
    usage: read<Usage>(values.genUsage),
    tokenCount: read<number>(values.genTokenCount) ?? sum,
    inputTokenCount,
    outputTokenCount,
    settings: MAY_HAVE_TIER.test(values.genSettings ?? '') ? read(values.genSettings) : null,
    clientCost: read<number>(values.genClientCost),
    moment: read<Instant>(values.startTime) ?? createdAt,
  }
}

const read = <Value>(text: string | undefined): Value | null =>
  text === undefined ? null : (JSON.parse(text) as Value | null)
