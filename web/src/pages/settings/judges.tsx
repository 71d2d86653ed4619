import { useMemo } from 'react'
import {
  AgreementOfJudgeDocument,
  JudgeTableDocument,
  type JudgeTableQuery,
} from '../../../generated/operations.js'
import { useData } from '../../data/use-data.js'
import { at } from '../../format/base.js'
import { count, percent, plural, score } from '../../format/number.js'
import { visible } from '../../format/text.js'
import { IntervalText } from '../../stats/interval.js'
import { agreementOfScores } from '../../stats/statistics.js'
import { Label, Time } from '../../table/cells.js'
import { ProblemView } from '../../ui/problem-view.js'

type Judge = JudgeTableQuery['judges'][number]

const SUBJECTS: Readonly<Record<Judge['subject'], string>> = {
  STEPS: 'steps',
  THREADS: 'conversations',
}

export const JudgesSection = () => {
  const judges = useData(JudgeTableDocument, {})
  const rows = judges.data?.judges
  return (
    <div className="column" style={{ gap: 16, maxWidth: 1200 }}>
      <p className="soft">
        Judges score steps or conversations as they come, in processes of your own. Agreement is
        Cohen’s kappa with the scores that people gave to the same ones by the same name: 1 is the
        same judgement everywhere, 0 no better than chance. Numbers without labels have it with
        quadratic weights.
      </p>
      {judges.problem !== undefined && (
        <ProblemView problem={judges.problem} retry={judges.refresh} />
      )}
      {rows?.length === 0 && (
        <p className="notice">
          There is no judge yet. <code>npx stepwell judge worker FILE</code> runs one:{' '}
          <a href={at('/docs/guides/judging')}>how to write it</a>.
        </p>
      )}
      {rows !== undefined && rows.length > 0 && <JudgeTable rows={rows} />}
    </div>
  )
}

const JudgeTable = ({ rows }: { rows: readonly Judge[] }) => (
  <div style={{ overflowX: 'auto' }}>
    <table className="table stacks" aria-label="Judges" style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">Judge</th>
          <th scope="col">Agreement with people</th>
          <th scope="col" className="right">
            Sample
          </th>
          <th scope="col" className="right">
            Judged
          </th>
          <th scope="col" className="right">
            Waiting
          </th>
          <th scope="col" className="right">
            Given up
          </th>
          <th scope="col">Today, all versions</th>
          <th scope="col">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((judge) => (
          <tr key={judge.id}>
            <td className="main-cell" style={{ whiteSpace: 'normal', minWidth: 220 }}>
              <bdi>{visible(judge.name)}</bdi> <span className="quiet mono">{judge.version}</span>
              <p className="quiet">judges {SUBJECTS[judge.subject]}</p>
              {judge.lastError !== null && (
                <p className="bad" style={{ overflowWrap: 'anywhere' }}>
                  {visible(judge.lastError.slice(0, 300))}
                </p>
              )}
            </td>
            <td className="line-cell" style={{ whiteSpace: 'normal' }}>
              {judge.scoreNames.map((name) => (
                <AgreementText key={name} judgeId={judge.id} name={name} />
              ))}
            </td>
            <td className="right">
              <Label>sample</Label>
              {percent(judge.sample)}
            </td>
            <td className="right">
              <Label>judged</Label>
              {count(judge.judged)}
            </td>
            <td className="right">
              <Label>waiting</Label>
              {judge.waiting >= 10_000 ? '10 k or more' : count(judge.waiting)}
            </td>
            <td className="right">
              <Label>given up</Label>
              {count(judge.failed)}
              {judge.expired > 0 && <p className="quiet">{count(judge.expired)} too old</p>}
            </td>
            <td>
              <Label>today</Label>
              <UsageOfToday {...judge} />
            </td>
            <td>
              <Label>last seen</Label>
              <Time at={judge.lastSeenAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const UsageOfToday = ({ usedToday, budget, isSpent }: Judge) => {
  const of = (limit: number | null | undefined, unit = '') =>
    limit == null ? '' : ` of ${unit}${unit === '' ? count(limit) : score(limit)}`
  const { judgements, tokens, dollars } = usedToday
  const dollarsOf = of(budget?.dollars, '$ ')
  return (
    <>
      {budget?.judgements == null
        ? plural(judgements, 'judgement')
        : `${count(judgements)}${of(budget.judgements)} judgements`}
      <p className="quiet">
        {count(tokens)}
        {of(budget?.tokens)} tokens
        {(dollars > 0 || dollarsOf !== '') && `, $ ${score(dollars)}${dollarsOf}`}
      </p>
      {isSpent && <p className="bad">budget used up until midnight UTC</p>}
    </>
  )
}

/** More digits would promise more than pairs can tell. */
const hundredths = (value: number): number => Math.round(value * 100) / 100 + 0

const AgreementText = ({ judgeId, name }: { judgeId: string; name: string }) => {
  const { data, problem } = useData(AgreementOfJudgeDocument, { judgeId, name })
  const found = useMemo(
    () => (data === undefined ? undefined : agreementOfScores(data.judgementPairs)),
    [data],
  )
  if (problem !== undefined) return <p className="bad">{visible(problem.message)}</p>
  return (
    <p>
      <bdi>{visible(name)}</bdi>{' '}
      {found !== undefined &&
        (found.kappa === null || found.interval === null ? (
          <span className="quiet">can’t tell from {plural(found.pairs, 'pair')}</span>
        ) : (
          <>
            <strong>{hundredths(found.kappa)}</strong>{' '}
            <IntervalText
              interval={{
                low: hundredths(found.interval.low),
                high: hundredths(found.interval.high),
              }}
            />{' '}
            <span className="quiet">
              {plural(found.pairs, 'pair')}, {percent(found.same)} the same
              {found.weights === 'quadratic' && ', quadratic weights'}
            </span>
          </>
        ))}
    </p>
  )
}
