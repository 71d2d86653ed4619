import { compareWithBase } from './deciding/compare-runs.js'
import { type Decision, decide } from './deciding/decision.js'
import { measuresOf, summariesOf } from './deciding/summary.js'
import { allowedErrors } from './error-policy.js'
import type { Evaluation, EvaluationStatus } from './evaluation.js'
import type { PreparedRun, RunResults } from './prepared-run.js'
import { linkOf } from './reporting/link.js'
import { STOPPED } from './running/run.js'
import { messageOf } from './scoring/run-scorers.js'

/** Returns the evaluation of a run that has ended. */
export const conclude = (run: PreparedRun, outcome: RunResults): Evaluation => {
  const { options, experimentId, projectId, data, stepwell, base, passedOver } = run
  const { scorers, groups, confidence } = run
  const linked = { projectId, experimentId, datasetId: data.datasetId }
  const { results, early } = outcome
  const errors = results.filter(({ error }) => error !== null).length
  const comparison =
    base === undefined ? undefined : compareWithBase(base, results, scorers, groups, confidence)
  let end = endOf(run, outcome, errors)
  let decision: Decision | undefined
  if (options.decide !== undefined && end.status !== 'broken' && end.status !== 'stopped')
    try {
      const facts = { base, passedOver, comparison, results, groups, scorers, confidence, early }
      decision = decide(options.decide, facts)
      // The web UI can't know it otherwise: looks before the end count, and no comparison of the results has them.
      if (end.status === 'decided')
        end = { ...end, problem: `${end.problem} for the verdict: ${decision.verdict}` }
    } catch (error) {
      end = { status: 'broken', problem: messageOf(error) }
    }
  return {
    name: options.name,
    experimentId,
    datasetId: data.datasetId ?? null,
    ...end,
    exitCode: exitCodeOf(end.status, decision),
    items: data.items.length,
    repetitions: run.repetitions,
    results,
    errors,
    scores: summariesOf(results, groups, run.repetitions, confidence),
    measures: measuresOf(results),
    comparison: comparison ?? null,
    decision: decision ?? null,
    url: linkOf(stepwell, linked, base, options.decide),
    usage: outcome.usage,
    durationMs: performance.now() - run.begun,
  }
}

const endOf = (
  { options, data, repetitions }: PreparedRun,
  { results, stopped, early }: RunResults,
  errors: number,
): { status: EvaluationStatus; problem: string | null } => {
  const total = data.items.length * repetitions
  const allowed = allowedErrors(options.errors, total)
  if (errors > allowed)
    return {
      status: 'broken',
      problem: `${errors} of ${results.length} results have errors, ${allowed} are allowed: ${firstError(results)}`,
    }
  if (early?.isEarly === true && results.length < total)
    return { status: 'decided', problem: `${results.length} of ${total} results were enough` }
  if (results.length === total) return { status: 'complete', problem: null }
  return {
    status: stopped === STOPPED ? 'stopped' : 'over budget',
    problem: `${results.length} of ${total} results, as ${stopped ?? 'others were removed'}`,
  }
}

const MAX_SHOWN = 200

const firstError = (results: RunResults['results']): string => {
  const first = results.find(({ error }) => error !== null)
  return (first?.error?.split('\n', 1)[0] ?? '').slice(0, MAX_SHOWN)
}

const exitCodeOf = (status: EvaluationStatus, decision: Decision | undefined): 0 | 1 | 2 | 3 => {
  if (status === 'broken' || status === 'stopped') return 3
  if (decision === undefined) return status === 'over budget' ? 2 : 0
  switch (decision.verdict) {
    case 'worse':
      return 1
    case 'cannot tell':
      return 2
    case 'nothing to compare with':
      return status === 'over budget' ? 2 : 0
    case 'no sound run before':
      return 2
    default:
      return 0
  }
}
