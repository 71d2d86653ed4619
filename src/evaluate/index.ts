// The entry point for evaluations: a task on examples, scores, a comparison and a verdict.
export type * from '../index.js'
export type {
  Agreement,
  Comparison,
  Flips,
  Interval,
  Measure,
  Rate,
  Verdict,
} from '../statistics/index.js'
export type { EvalItem, EvalItemInput } from './data/item.js'
export type { EvalData, EvalItems } from './data/read-data.js'
export type { CompareTo } from './deciding/base.js'
export type { RunComparison } from './deciding/compare-runs.js'
export type { DecideOptions } from './deciding/decide-options.js'
export type { Decision, DecisionVerdict } from './deciding/decision.js'
export type { Cluster } from './deciding/observations.js'
export type { EvalResult, StoredScore } from './deciding/results.js'
export type { EvalMeasureSummary, EvalScoreSummary } from './deciding/summary.js'
export { evaluate } from './evaluate.js'
export type { Evaluation, EvaluationStatus } from './evaluation.js'
export {
  type JudgeAgreement,
  type JudgeAgreementOptions,
  judgeAgreement,
} from './judging/agreement.js'
export {
  type JudgedMaterial,
  type LiveJudgeOptions,
  type LiveStepJudgeOptions,
  type LiveThreadJudgeOptions,
  liveJudge,
  type MinimumAgreement,
} from './judging/options.js'
export { type JudgeRun, type RunJudgeOptions, runJudge } from './judging/run-judge.js'
export type { JudgeProgress } from './judging/worker.js'
export type { ErrorPolicy, EvaluateOptions, EvaluationFiles } from './options.js'
export type { Progress } from './reporting/progress.js'
export { formatTable } from './reporting/table.js'
export { type RescoreOptions, rescore } from './rescore.js'
export type { ItemLimits, RunBudget } from './running/limits.js'
export type { EvalTask, RetryOptions, TaskContext } from './running/task.js'
export type { ModelPrice, Usage } from './running/usage.js'
export { type CallModel, type JudgeOptions, judge } from './scoring/judge.js'
export {
  type JudgePrompt,
  type ReasonedScore,
  type ScoreArguments,
  type ScoreFunction,
  type ScoreResult,
  type Scorer,
  type ScorerOptions,
  type ScoreValue,
  scorer,
} from './scoring/scorer.js'
