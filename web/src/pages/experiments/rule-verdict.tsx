import { score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import type { RuleDecision } from './comparing/decisions.js'
import { type Better, directionOf } from './comparing/direction.js'
import { Verdict } from './difference-summary.js'

/**
 * The verdict of the rule that a run stated before it began. One that ended early was looked at many times: a comparison of
 * its results as if they were planned would find differences where none are, so its own words stand here.
 */
export const RuleVerdict = ({
  experiment,
  decision,
  better,
}: {
  experiment: { status: string | null; problem: string | null } | undefined
  decision: RuleDecision | undefined
  better: Readonly<Record<string, Better>>
}) => {
  if (experiment?.status === 'DECIDED')
    return (
      <p className="rule">
        Ended early by its rule: <strong>{line(experiment.problem, 300) || 'decided'}</strong>. The
        verdicts below don’t know that it was looked at before its end.
      </p>
    )
  if (decision === undefined) return null
  const { rule, comparison } = decision
  return (
    <p className="rule row wrap">
      <span>
        By its rule, <bdi>{line(rule.metric, 60)}</bdi> alone
        {rule.margin > 0 && ` with a margin of ${showScore(rule.margin)}`}
        {rule.range !== undefined &&
          `, from ${showScore(rule.range.low)} to ${showScore(rule.range.high)}`}
        :
      </span>
      <strong>
        <Verdict comparison={comparison} better={directionOf(better, rule.metric)} />
      </strong>
      <span className="soft">{comparison.reason}</span>
    </p>
  )
}
