import type { Rate } from '../../statistics/index.js'
import type { Decision } from '../deciding/decision.js'
import type { Evaluation } from '../evaluation.js'
import { quantitiesOf } from './measures.js'
import { columns, shown, signed } from './text.js'

/**
 * Writes an evaluation as a text: a table of its scores, the verdict with its reason, and the address of the comparison.
 * The same for every process that shared the run.
 *
 * @returns the lines, with a line break at the end.
 * @example
 * import { evaluate, formatTable } from 'stepwell/evaluate'
 * const evaluation = await evaluate({ name: 'echo', data: [{ input: 'a' }], task: ({ input }) => input, scorers: [], client: stepwell, progress: false })
 * console.log(formatTable(evaluation))
 */
export const formatTable = (evaluation: Evaluation): string => {
  const { name, items, repetitions, results, errors, problem, url } = evaluation
  const total = items * repetitions
  const of = results.length === total ? `${total}` : `${results.length} of ${total}`
  const lines = [
    `${name}: ${of} results${repetitions > 1 ? `, ${items} items × ${repetitions}` : ''}${errors > 0 ? `, ${errors} with errors` : ''}`,
    ...(quantitiesOf(evaluation).length === 0 ? [] : ['', columns(rowsOf(evaluation))]),
    ...passesOf(evaluation),
    ...Object.entries(evaluation.comparison?.refused ?? {}).map(
      ([score, reason]) => `${score} is not compared: ${reason}`,
    ),
    ...(problem === null ? [] : ['', `${evaluation.status}: ${problem}`]),
    ...(evaluation.decision === null ? [] : ['', verdictLine(evaluation.decision)]),
    '',
    url,
  ]
  return `${lines.join('\n')}\n`
}

const rowsOf = (evaluation: Evaluation): string[][] => {
  const head = ['score', 'mean', 'n']
  const quantities = quantitiesOf(evaluation)
  if (evaluation.comparison === null)
    return [head, ...quantities.map(({ title, mean, count }) => [title, shown(mean), `${count}`])]
  return [
    [...head, 'before', 'difference', 'interval', 'items', 'verdict'],
    ...quantities.map(({ title, mean, count, comparison: one }) => {
      const own = [title, shown(mean), String(count)]
      if (one === undefined) return [...own, '–', '–', '–', '–', '–']
      const { interval } = one
      return [
        ...own,
        shown(one.base),
        signed(one.difference),
        interval === null ? '–' : `${signed(interval.low)} to ${signed(interval.high)}`,
        String(one.items),
        one.verdict,
      ]
    }),
  ]
}

const passesOf = ({ scores }: Evaluation): string[] =>
  scores.flatMap(({ name, passes }) =>
    passes === null
      ? []
      : [
          '',
          columns([
            [name, ...passes.map(({ k }) => `k=${k}`)],
            ['pass^k', ...passes.map(({ hat }) => rate(hat))],
            ['pass@k', ...passes.map(({ at }) => rate(at))],
          ]),
        ],
  )

const rate = ({ value, interval }: Rate): string =>
  interval === null
    ? value.toFixed(3)
    : `${value.toFixed(3)} (${interval.low.toFixed(3)} to ${interval.high.toFixed(3)})`

/** Writes a verdict in a line. */
export const verdictLine = ({ metric, verdict, reason, moreItems, margin }: Decision): string => {
  const within = margin > 0 ? ` (margin ${shown(margin)})` : ''
  const more =
    moreItems === null || moreItems === 0 ? '' : ` About ${moreItems} more items would tell.`
  return `${metric}${within}: ${verdict}. ${reason}${more}`
}
