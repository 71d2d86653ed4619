import { count, percent, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { IntervalText } from '../../stats/interval.js'
import { intervalOfMean } from '../../stats/statistics.js'
import type { Version } from './version.js'

/** The use of each version: calls, failures, duration, tokens and scores. */
export const VersionUse = ({ versions }: { versions: readonly Version[] }) => (
  <section style={{ overflowX: 'auto' }} tabIndex={0} aria-label="Use of the versions">
    <table className="table" aria-label="Use" style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">v</th>
          <th scope="col" className="right">
            Generations 7 d
          </th>
          <th scope="col" className="right">
            Failed
          </th>
          <th scope="col" className="right">
            Mean duration
          </th>
          <th scope="col" className="right">
            Mean tokens
          </th>
          <th scope="col">Scores: mean (95 %)</th>
        </tr>
      </thead>
      <tbody>
        {versions.map(({ id, version, use }) => (
          <tr key={id}>
            <td>v{version}</td>
            <td className="right">{count(use.generationCount)}</td>
            <td className="right">
              {use.generationCount === 0 ? '–' : percent(use.errorCount / use.generationCount)}
            </td>
            <td className="right">
              {duration(use.meanDuration === null ? null : use.meanDuration * 1000)}
            </td>
            <td className="right">
              {count(use.meanTokens === null ? null : Math.round(use.meanTokens))}
            </td>
            <td>
              {use.scores.map((one) => (
                <span key={one.name} style={{ marginRight: 10 }} title={`n ${one.count}`}>
                  <bdi className="soft">{line(one.name, 30)}</bdi> {showScore(one.mean)}{' '}
                  <IntervalText interval={intervalOfMean(one.mean, one.deviation, one.count)} />
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
