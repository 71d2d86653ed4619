import { Link } from 'wouter'
import { ScoreTableDocument, ThreadTableDocument } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useData } from '../../data/use-data.js'
import { atLeast } from '../../format/money.js'
import { count, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { ThreadName } from '../../parts/thread-name.js'
import { ProblemView } from '../../ui/problem-view.js'

const FIRST = 5

/** The slowest, largest and lowest threads and scores, five of each. */
export const Extremes = ({
  from,
  to,
  environment,
  scoreName,
}: {
  from: string
  to: string
  environment: string | null
  scoreName: string | undefined
}) => {
  const rangeOf = (field: string) => [
    { field, operator: 'gte', value: from },
    { field, operator: 'lt', value: to },
  ]
  const filters = [
    ...rangeOf('startedAt'),
    ...(environment === null ? [] : [{ field: 'environment', operator: 'eq', value: environment }]),
  ]
  return (
    <>
      <ThreadsBy title="Slowest threads" column="duration" filters={filters} />
      <ThreadsBy title="Threads with the most tokens" column="tokenCount" filters={filters} />
      <ThreadsBy title="Most expensive threads" column="cost" filters={filters} />
      {scoreName !== undefined && <LowestScores name={scoreName} range={rangeOf('createdAt')} />}
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
    <section className="chart panel" aria-label={title}>
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

const LowestScores = ({
  name,
  range,
}: {
  name: string
  range: { field: string; operator: string; value: string }[]
}) => {
  const page = useData(ScoreTableDocument, {
    first: FIRST,
    filters: [...range, { field: 'name', operator: 'eq', value: name }],
    orderBy: { column: 'value', direction: 'ASC' },
    totalCount: false,
  })
  const title = `Lowest ${line(name, 40)}`
  return (
    <section className="chart panel" aria-label={title}>
      <strong>{title}</strong>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {page.data?.scores.edges.map(({ node }) => (
        <div className="row" key={node.id}>
          <span className="grow clip">
            {node.thread !== null ? (
              <ThreadName thread={node.thread} />
            ) : node.stepId === null ? (
              node.threadId === null ? (
                'a result of an experiment'
              ) : (
                'a thread'
              )
            ) : (
              <Link href={`/steps/${segment(node.stepId)}?tab=scores`}>
                <bdi>{line(node.step?.name) || 'a step'}</bdi>
              </Link>
            )}
            {node.comment && <span className="quiet"> {line(node.comment, 80)}</span>}
          </span>
          <span>{showScore(node.value)}</span>
        </div>
      ))}
    </section>
  )
}
