import type { AlertSubject } from '../../../generated/resolvers.js'
import { ENVIRONMENTS } from '../../kernel/caller.js'
import { invalid, show, within } from '../../kernel/errors.js'
import { checkQuery } from '../../lists/query.js'
import type { ListName } from '../../query/languages.js'
import type { AlertRow } from '../../storage/alerts/alerts.js'

/** The lists whose language the query of an alert is in. */
export const LISTS: Readonly<Record<AlertSubject, ListName>> = {
  THREADS: 'threads',
  STEPS: 'steps',
  GENERATIONS: 'generations',
  SCORES: 'scores',
}

const MAX_NAME = 200
const MAX_QUERY = 10_000
const LEAST_MINUTES = 5
const MOST_MINUTES = 7 * 24 * 60

export type AlertDefinition = Pick<
  AlertRow,
  | 'name'
  | 'subject'
  | 'query'
  | 'environment'
  | 'metric'
  | 'comparison'
  | 'threshold'
  | 'windowMinutes'
  | 'repeatMinutes'
>

/** Checks a definition as a whole; an error names the field. */
export const checkDefinition = (definition: AlertDefinition): void => {
  const { name, subject, query, environment, metric, threshold } = definition
  if (name.trim() === '' || name.length > MAX_NAME)
    throw invalid(`name: expected a text of 1 to ${MAX_NAME} characters, got ${show(name)}`)
  if (query.length > MAX_QUERY)
    throw invalid(`query: expected at most ${MAX_QUERY} characters, got ${query.length}`)
  checkQuery(LISTS[subject], query)
  if (environment !== null && !ENVIRONMENTS.some((known) => known === environment))
    throw invalid(
      `environment: expected one of ${ENVIRONMENTS.join(', ')}, got ${show(environment)}`,
    )
  if (environment !== null && subject === 'SCORES')
    throw invalid('environment: scores have none; expected null')
  if (subject === 'SCORES' ? !['COUNT', 'SCORE_MEAN'].includes(metric) : metric === 'SCORE_MEAN')
    throw invalid(
      `metric: ${metric} is none of ${subject.toLowerCase()}; expected ${subject === 'SCORES' ? 'COUNT or SCORE_MEAN' : 'another one'}`,
    )
  if (!Number.isFinite(threshold)) throw invalid(`threshold: expected a number, got ${threshold}`)
  within('windowMinutes', definition.windowMinutes, LEAST_MINUTES, MOST_MINUTES)
  if (definition.repeatMinutes !== null)
    within('repeatMinutes', definition.repeatMinutes, LEAST_MINUTES, MOST_MINUTES)
}
