import { Link } from 'wouter'
import {
  LowestScoresDocument,
  type LowestScoresQuery,
  ThreadTableDocument,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useData } from '../../data/use-data.js'
import { atLeast } from '../../format/money.js'
import { count, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { ThreadName } from '../../parts/thread-name.js'
import { ProblemView } from '../../ui/problem-view.js'
import { isOfEnvironments } from './environments.js'

const FIRST = 5

/** The slowest, largest and lowest threads and scores, five of each. */
export const Extremes = ({
  from,
  to,
  environment,
  excludeExperiments,
  scoreName,
  isWaiting,
}: {
  from: string
  to: string
  environment: string | null
  excludeExperiments: boolean
  scoreName: string | undefined
  /** The name of scores is not known yet. */
  isWaiting: boolean
}) => {
  const rangeOf = (field: string) => [
    { field, operator: 'gte', value: from },
    { field, operator: 'lt', value: to },
  ]
  const filters = [
    ...rangeOf('startedAt'),
    ...(environment === null ? [] : [{ field: 'environment', operator: 'eq', value: environment }]),
    ...(excludeExperiments ? [{ field: 'environment', operator: 'neq', value: 'experiment' }] : []),
  ]
  return (
    <>
      <ThreadsBy title="Slowest threads" column="duration" filters={filters} />
      <ThreadsBy title="Threads with the most tokens" column="tokenCount" filters={filters} />
      <ThreadsBy title="Most expensive threads" column="cost" filters={filters} />
      <LowestScores
        name={scoreName}
        isWaiting={isWaiting}
        range={rangeOf('createdAt')}
        environment={environment}
        excludeExperiments={excludeExperiments}
      />
    </>
  )
}

const ThreadsBy = ({
  title,
  column,
  filters,
}: {
  title: string
  column: 'duration' | 'tokenCount' | 'cost'
  filters: { field: string; operator: string; value: string }[]
}) => {
  const page = useData(ThreadTableDocument, {
    first: FIRST,
    filters,
    orderBy: { column, direction: 'DESC' },
    totalCount: false,
  })
  const rows = page.data?.threads.edges
    .map(({ node }) => node)
    .filter((thread) => thread[column] !== null)
  return (
    <section className="chart extremes panel" aria-label={title}>
      <strong>{title}</strong>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {rows?.length === 0 && <p className="quiet">None in this range.</p>}
      {rows?.map((thread) => (
        <div className="row" key={thread.id}>
          <span className="grow clip">
            <ThreadName thread={thread} />
          </span>
          <span>
            {column === 'duration'
              ? duration((thread.duration ?? 0) * 1000)
              : column === 'cost'
                ? atLeast(thread.cost, (thread.unpricedCount ?? 0) > 0)
                : count(thread.tokenCount)}
          </span>
        </div>
      ))}
    </section>
  )
}

/** Rows that are read, as the list of scores knows no environment. */
const LOOKED_AT = 50

type LowScore = LowestScoresQuery['scores']['edges'][number]['node']

const LowestScores = ({
  name,
  isWaiting,
  range,
  environment,
  excludeExperiments,
}: {
  name: string | undefined
  isWaiting: boolean
  range: { field: string; operator: string; value: string }[]
  environment: string | null
  excludeExperiments: boolean
}) => {
  const page = useData(
    LowestScoresDocument,
    {
      first: LOOKED_AT,
      filters: [...range, { field: 'name', operator: 'eq', value: name ?? '' }],
    },
    { pause: name === undefined },
  )
  const read = page.data?.scores.edges.map(({ node }) => node)
  // Without a name to look for there are none, once that is known.
  const all =
    name === undefined && !isWaiting
      ? []
      : read?.filter((score) => isOfEnvironments(score, { environment, excludeExperiments }))
  const shown = all?.slice(0, FIRST)
  const hasMore = (read?.length ?? 0) >= LOOKED_AT
  const title = `Lowest ${name === undefined ? 'scores' : line(name, 40)}`
  return (
    <section className="chart extremes panel" aria-label={title}>
      <strong>{title}</strong>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {shown?.map((score) => (
        <div className="row" key={score.id}>
          <span className="grow clip">
            <JudgedLink score={score} />
            {score.comment && <span className="quiet"> {line(score.comment, 80)}</span>}
          </span>
          <span>{showScore(score.value)}</span>
        </div>
      ))}
      {shown !== undefined && shown.length < FIRST && (
        <p className="quiet">
          {hasMore
            ? `The other ${LOOKED_AT - shown.length} of the lowest ${LOOKED_AT} are of other environments.`
            : shown.length === 0 && 'None in this range.'}
        </p>
      )}
    </section>
  )
}

const JudgedLink = ({ score: { thread, step, stepId, threadId } }: { score: LowScore }) => {
  if (thread !== null) return <ThreadName thread={thread} />
  if (stepId !== null)
    return (
      <Link href={`/steps/${segment(stepId)}?tab=scores`}>
        <bdi>{line(step?.name) || 'a step'}</bdi>
      </Link>
    )
  return threadId === null ? 'a result of an experiment' : 'a thread'
}
