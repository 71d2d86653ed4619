import type { Evaluation } from '../evaluation.js'
import { quantitiesOf } from './measures.js'
import { verdictLine } from './table.js'
import { shown } from './text.js'

/** Writes an evaluation as JUnit does: a test case for each result, which fails by its error, and one for the verdict. */
export const junitOf = (evaluation: Evaluation): string => {
  const { name, results, decision, exitCode, problem, durationMs } = evaluation
  const cases = results.map(({ key, repetition, scores, error, durationMs, tokens, cost }) => {
    const title = evaluation.repetitions > 1 ? `${key} (${repetition})` : key
    const out = [
      ...scores.map((score) => `${score.name}: ${score.label ?? shown(score.value)}`),
      ...(tokens === null || tokens === 0 ? [] : [`tokens: ${tokens}`]),
      ...(cost === null ? [] : [`cost: $${shown(cost)}`]),
    ]
    const failure = error === null ? undefined : (['error', error] as const)
    return testCase(name, title, failure, out.join('\n'), durationMs)
  })
  const said = decision === null ? (problem ?? 'complete') : verdictLine(decision)
  const report = [said, ...measuredLines(evaluation)].join('\n')
  cases.push(testCase(name, 'verdict', exitCode === 0 ? undefined : ['failure', said], report))
  const errors = results.filter(({ error }) => error !== null).length
  const counts = `tests="${cases.length}" errors="${errors}" failures="${exitCode === 0 ? 0 : 1}"`
  const attributes = `name="${escaped(name)}" ${counts} time="${(durationMs / 1000).toFixed(3)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${attributes}>
<testsuite ${attributes}>
${cases.join('\n')}
</testsuite>
</testsuites>
`
}

/** Returns a line for each score and measure that was compared. */
const measuredLines = (evaluation: Evaluation): string[] =>
  quantitiesOf(evaluation).flatMap(({ title, comparison }) =>
    comparison === undefined
      ? []
      : [
          `${title}: ${shown(comparison.base)} before, ${shown(comparison.candidate)} now: ${comparison.verdict}`,
        ],
  )

const testCase = (
  suite: string,
  title: string,
  problem: readonly [kind: 'error' | 'failure', message: string] | undefined,
  out: string,
  durationMs: number | null = null,
): string => {
  const time = durationMs === null ? '' : ` time="${(durationMs / 1000).toFixed(3)}"`
  const inner = [
    ...(problem === undefined
      ? []
      : [
          `<${problem[0]} message="${escaped(problem[1].split('\n', 1)[0] ?? '')}">${escaped(problem[1])}</${problem[0]}>`,
        ]),
    ...(out === '' ? [] : [`<system-out>${escaped(out)}</system-out>`]),
  ]
  return `<testcase classname="${escaped(suite)}" name="${escaped(title)}"${time}>${inner.join('')}</testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** XML has no place for most control characters, not even escaped. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
