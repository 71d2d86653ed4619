import { Link } from 'wouter'
import { segment } from '../address/segment.js'
import { count, score as showScore } from '../format/number.js'
import { line } from '../format/text.js'
import { full, moment, momentWithMs } from '../format/time.js'
import { Icon } from '../ui/icons.js'

/** Recorded text in one line, in full as a tooltip. */
export const Text = ({
  value,
  className = '',
}: {
  value: string | null | undefined
  className?: string
}) =>
  value ? (
    <bdi className={className} title={value.length > 40 ? line(value, 2000) : undefined}>
      {line(value)}
    </bdi>
  ) : (
    <span className="quiet">–</span>
  )

/** The words of a row, or the error that left it without any; the error before words if it has no column of its own. */
export const Said = ({
  text,
  error,
  isErrorFirst,
}: {
  text: string | null | undefined
  error: string | null | undefined
  isErrorFirst: boolean
}) => {
  const isError = Boolean(error) && (isErrorFirst || !text)
  return <Text value={isError ? error : text} className={isError ? 'bad' : 'soft'} />
}

export const Time = ({ at, ms = false }: { at: string | null | undefined; ms?: boolean }) =>
  at == null ? (
    <span className="quiet">–</span>
  ) : (
    <time dateTime={at} title={full(at)}>
      {ms ? momentWithMs(at) : moment(at)}
    </time>
  )

/** Names a value where the table has no heads. */
export const Label = ({ children }: { children: string }) => (
  <span className="unit quiet">{children} </span>
)

/** The start of a row, or the arrival of one that told no start, named so. */
export const Started = ({
  at,
  arrived,
  ms = false,
}: {
  at: string | null
  arrived: string
  ms?: boolean
}) =>
  at === null ? (
    <span title="No start was recorded.">
      <span className="quiet">arrived</span> <Time at={arrived} />
    </span>
  ) : (
    <Time at={at} ms={ms} />
  )

export const ErrorMark = ({
  count,
  text,
}: {
  count?: number | undefined
  /** The first error, as a tooltip. */
  text?: string | null | undefined
}) =>
  count === 0 ? null : (
    <span
      className="bad"
      title={[
        count === undefined ? 'failed' : `${count} failed`,
        text ? line(text, 500) : undefined,
      ]
        .filter((part) => part !== undefined)
        .join(': ')}
    >
      <Icon name="error" />
      {count === undefined ? <span className="visually-hidden">failed</span> : ` ${count}`}
    </span>
  )

const MAX_TAGS = 5

/** Shows the first tags, and the number of the others, which its title names. */
export const Tags = ({ tags }: { tags: readonly string[] | null | undefined }) => {
  const others = tags?.slice(MAX_TAGS) ?? []
  return (
    <>
      {tags?.slice(0, MAX_TAGS).map((tag) => (
        <span className="tag clip" key={tag} style={{ marginRight: 4 }}>
          <bdi>{line(tag, 40)}</bdi>
        </span>
      ))}
      {others.length > 0 && (
        <span className="quiet" title={line(others.join(', '), 1000)}>
          +{count(others.length)}
          <span className="visually-hidden"> more: {line(others.join(', '))}</span>
        </span>
      )}
    </>
  )
}

export interface ScoreLike {
  id: string
  name: string
  value: number
  label?: string | null
  stepId?: string | null
}

export const Scores = ({ scores }: { scores: readonly ScoreLike[] }) =>
  scores.length === 0 ? (
    <span className="quiet">–</span>
  ) : (
    scores.map((score, index) => (
      <span key={score.id}>
        {index > 0 && ', '}
        {score.stepId == null ? (
          <ScoreText score={score} />
        ) : (
          <Link href={`/steps/${segment(score.stepId)}?tab=scores`}>
            <ScoreText score={score} />
          </Link>
        )}
      </span>
    ))
  )

const ScoreText = ({ score }: { score: ScoreLike }) => (
  <>
    <bdi className="soft">{line(score.name, 40)}</bdi>{' '}
    {score.label ? line(score.label, 20) : showScore(score.value)}
  </>
)
