import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.js'
import type { Clock, Instant } from '../kernel/instant.js'
import type { Limits } from '../kernel/limits.js'
import { Pages } from '../lists/page.js'
import { timesOf } from '../storage/leases.js'
import { Keys } from './access/keys.js'
import { SignedInPeople } from './access/signed-in-people.js'
import { Alerts } from './alerts/alerts.js'
import { AlertCalls } from './alerts/calls.js'
import { AlertEvaluator } from './alerts/evaluator.js'
import { Attachments } from './attachments.js'
import { Audit } from './audit/audit.js'
import { ContentIndexer } from './contents/indexer.js'
import { Conversations } from './conversations/conversations.js'
import { Datasets } from './datasets.js'
import { Definitions } from './definitions.js'
import { Erasure } from './erasure/erasure.js'
import { Experiments } from './experiments/experiments.js'
import { Leases } from './experiments/leases.js'
import { Outcomes } from './experiments/outcomes.js'
import { Ingestion, type IngestionOptions } from './ingestion/ingestion.js'
import { Judgements } from './judges/judgements.js'
import { Judges } from './judges/judges.js'
import { JudgementLeases } from './judges/leasing.js'
import { Metrics } from './metrics/metrics.js'
import { ModelEndpoints } from './models/endpoints.js'
import { Sealing } from './models/sealing.js'
import { Outlines } from './outlines/outlines.js'
import { Pricer } from './prices/pricer.js'
import { Prices } from './prices/prices.js'
import { ProjectPrices } from './prices/project-prices.js'
import { StepCosts } from './prices/step-costs.js'
import { type Places, Projects } from './projects.js'
import { PromptLabels } from './prompts/labels.js'
import { Prompts } from './prompts/prompts.js'
import { createReader } from './reader.js'
import { Cleaner } from './retention/cleaner.js'
import { Retention } from './retention/retention.js'
import { Rollups } from './rollups/rollups.js'
import { ScoreRollups } from './rollups/scores/score-rollups.js'
import { Scores } from './scores.js'
import { Sessions } from './sessions.js'
import { SpanLogs } from './span-logs.js'
import { Steps } from './steps.js'
import { ThreadSums } from './threads/sums.js'
import { Threads } from './threads/threads.js'
import { Traces } from './traces/traces.js'
import { UserSums } from './user-sums.js'
import { Users } from './users.js'
import { Values } from './values.js'
import { Views } from './views.js'

/**
 * Creates the rules, an object per noun. Every method that touches data takes the caller, whose project it stays in.
 */
export const createDomain = (
  db: Database,
  clock: Clock,
  limits: Limits,
  options: IngestionOptions & {
    places: Places
    /**
     * The encryption of keys of models, and hosts of private networks that models may be on. Default: a secret of this
     * process, and none.
     */
    models?: { sealing: Sealing; allowed: readonly string[] }
    /** Hosts of private networks that webhooks may be on. Default: none. */
    webhookHosts?: readonly string[]
    /** The URL of the service, for links in calls of webhooks. Default: not known. */
    publicUrl?: string | undefined
    /** False to search contents without an index. */
    contentIndex?: boolean | undefined
    /** Time for which a changed step waits to be indexed. Default: ten seconds. */
    contentQuietMs?: number | undefined
    /** The time of alerts. Default: the database's, which is the same for all processes. */
    alertTime?: () => Promise<Instant>
  },
) => {
  const {
    publicUrl,
    report,
    models = { sealing: new Sealing(randomUUID()), allowed: [] },
  } = options
  const values = new Values(limits)
  const pages = new Pages(db, limits)
  const prices = new ProjectPrices()
  const pricer = new Pricer(db, clock, prices)
  const ingestion = new Ingestion(db, clock, { ...options, prices })
  const sessions = new Sessions(db, values, clock)
  const keys = new Keys(db, clock, report)
  const sums = new ThreadSums(db, prices)
  const threads = new Threads(db, pages, values, clock, report, sums, pricer)
  const { webhookHosts: allowed = [], alertTime: now = async () => (await timesOf(db, 0)).now } =
    options
  const alertCalls = new AlertCalls({ db, sealing: models.sealing, allowed, now, report })
  const stepCosts = new StepCosts(db, threads)
  return {
    alertCalls,
    alertEvaluator: new AlertEvaluator({ db, limits, threads, pricer, now, publicUrl, report }),
    alerts: new Alerts({
      db,
      values,
      sealing: models.sealing,
      allowed,
      now,
      calls: alertCalls,
      publicUrl,
    }),
    attachments: new Attachments(db, values, clock),
    audit: new Audit(db, pages),
    contentIndexer: new ContentIndexer(db, {
      isEnabled: options.contentIndex !== false,
      quietMs: options.contentQuietMs,
    }),
    conversations: new Conversations(db),
    datasets: new Datasets(db, pages, values, clock),
    definitions: new Definitions(db, values),
    erasure: new Erasure(db, values),
    experiments: new Experiments(db, pages, values, clock),
    outcomes: new Outcomes(db, pages, stepCosts),
    leases: new Leases(db, pages, values, clock),
    ingestion,
    judgementLeases: new JudgementLeases(db, pages, values, sums),
    judgements: new Judgements(db, pages, values, clock),
    judges: new Judges(db, values),
    keys,
    limits,
    modelEndpoints: new ModelEndpoints(db, models.sealing, models.allowed),
    metrics: new Metrics(db, limits, threads, pricer),
    outlines: new Outlines(db, values),
    pricer,
    prices: new Prices(db, values, clock, prices),
    projects: new Projects(db, clock, options.places),
    prompts: new Prompts(db, values, clock),
    promptLabels: new PromptLabels(db, clock),
    reader: createReader(db),
    retention: new Retention(db, clock),
    retentionCleaner: new Cleaner(db, clock, sums),
    rollups: new Rollups(db),
    scoreRollups: new ScoreRollups(db),
    scores: new Scores(db, pages, values, clock),
    sessions,
    signedInPeople: new SignedInPeople(db, clock),
    spanLogs: new SpanLogs(db, values, clock),
    stepCosts,
    steps: new Steps(db, pages, values, ingestion, sessions, pricer),
    threads,
    traces: new Traces(db, clock),
    userSums: new UserSums(db),
    users: new Users(db, pages, values, clock, threads, pricer),
    views: new Views(db, values, clock),
  }
}

export type Domain = ReturnType<typeof createDomain>
