import type { Evaluation } from '../evaluation.js'
import { quantitiesOf } from './measures.js'
import { verdictLine } from './table.js'
import { shown, signed } from './text.js'

const MARKS = ['✅', '❌', '❔', '⚠️'] as const

/** Writes an evaluation as Markdown, for the comment of a pull request. */
export const markdownOf = (evaluation: Evaluation): string => {
  const { name, comparison, decision, problem, exitCode, errors, url } = evaluation
  const rows = quantitiesOf(evaluation).map(({ title, mean, count, comparison: one }) => {
    const interval =
      one?.interval == null ? '–' : `${signed(one.interval.low)} to ${signed(one.interval.high)}`
    return comparison === null
      ? [title, shown(mean), String(count)]
      : [
          title,
          shown(mean),
          one === undefined ? '–' : signed(one.difference),
          interval,
          one?.verdict ?? '–',
        ]
  })
  const head =
    comparison === null
      ? ['score', 'mean', 'n']
      : ['score', 'mean', 'difference', 'interval', 'verdict']
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return `${[
    `### ${MARKS[exitCode]} ${name}`,
    '',
    ...(decision === null ? [] : [verdictLine(decision), '']),
    ...(problem === null ? [] : [problem.replaceAll('\n', ' '), '']),
    ...(rows.length === 0 ? [] : [line(head), line(head.map(() => '---')), ...rows.map(line), '']),
    ...(errors === 0 ? [] : [`${errors} results have errors.`, '']),
    `[All results](${url})`,
  ].join('\n')}\n`
}
