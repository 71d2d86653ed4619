import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { AttachmentRow } from '../src/storage/attachments.js';
import type { AuditEntryRow } from '../src/storage/audit/entries.js';
import type { AuditEntryPage, DatasetPage, DatasetItemPage, ExperimentPage, ExperimentItemPage, GenerationPage, ParticipantPage, ScorePage, StepPage, ThreadPage } from '../src/graphql/engine/connection.js';
import type { SessionRow } from '../src/storage/sessions.js';
import type { DatasetRow, DatasetItemRow } from '../src/storage/datasets.js';
import type { RetentionState } from '../src/domain/retention/retention.js';
import type { ExperimentRow, ExperimentItemRow, ItemPlaceRow } from '../src/storage/experiments.js';
import type { GenerationRow } from '../src/storage/generations.js';
import type { Outline as FoundOutline } from '../src/domain/outlines/outline.js';
import type { AlertRow } from '../src/storage/alerts/alerts.js';
import type { AlertEventRow } from '../src/storage/alerts/events.js';
import type { KeyRow } from '../src/storage/keys.js';
import type { ModelEndpointRow } from '../src/storage/models/endpoints.js';
import type { ProjectRow } from '../src/domain/projects.js';
import type { Series } from '../src/domain/metrics/series.js';
import type { ScoreSummaryRow } from '../src/storage/scores/summaries.js';
import type { ScoreDefinitionRow } from '../src/storage/scores/definitions.js';
import type { JudgeRow } from '../src/storage/judges/judges.js';
import type { ShownCost } from '../src/domain/prices/shown.js';
import type { PriceEntry, Rates } from '../src/domain/prices/book.js';
import type { ParticipantRow } from '../src/storage/users.js';
import type { PromptVariantRow, LineageRow, PromptLabelRow, PromptLabelMoveRow, PromptVersionRow } from '../src/storage/prompts.js';
import type { PromptRolloutRow } from '../src/domain/prompts/prompts.js';
import type { ScoreRow } from '../src/storage/scores/scores.js';
import type { StepRow } from '../src/storage/steps.js';
import type { ThreadNode } from '../src/graphql/engine/thread-node.js';
import type { ViewRow } from '../src/storage/reading/views.js';
import type { Usage } from './model-calls/usage/usage.js';
import type { Context } from '../src/graphql/engine/context.js';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A timestamp: ISO 8601 with a zone (`Z` or an offset) and up to six fractional digits. Answers are in UTC, with three
   * fractional digits, or six when the microseconds are not zero.
   */
  DateTime: { input: string; output: string; }
  /**
   * Any JSON value, carried as JSON and never as a JSON-encoded string. It is returned as it was sent, in the same key
   * order, within the bounds of JavaScript: numbers are doubles, and keys that are whole numbers come first.
   */
  Json: { input: unknown; output: unknown; }
};

/** The added items. */
export type AddGenerationsToDatasetPayload = {
  /** In the order of the given generations. */
  items: Array<DatasetItem>;
};

/**
 * A condition on the rows of a query that the service evaluates about once a minute. It calls a webhook when the condition
 * begins to hold, and when it no longer does.
 */
export type Alert = {
  /** The side of the threshold on which it fires. */
  comparison: AlertComparison;
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The environment of the rows; null for all. */
  environment?: Maybe<Scalars['String']['output']>;
  /** The last evaluation. */
  evaluatedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Unique in the project. The service chooses it. */
  id: Scalars['String']['output'];
  /** True while it is not evaluated. */
  isPaused: Scalars['Boolean']['output'];
  /** The reason for which the value could not be computed; null for other states. */
  message?: Maybe<Scalars['String']['output']>;
  /** The value that it computes. */
  metric: AlertMetric;
  /** Its name for people. */
  name: Scalars['String']['output'];
  /** The conditions on the rows as text, as in `query` of their list. Empty when all rows pass. */
  query: Scalars['String']['output'];
  /** The hours in which it calls nobody; null for none. */
  quietHours?: Maybe<AlertQuietHours>;
  /** Minutes after which a call is repeated while it fires; null for no repetition. */
  repeatMinutes?: Maybe<Scalars['Int']['output']>;
  /** The outcome of the last evaluation; null before the first. */
  state?: Maybe<AlertState>;
  /** The evaluation since which it has this state. */
  stateSince?: Maybe<Scalars['DateTime']['output']>;
  /** The rows that it watches. */
  subject: AlertSubject;
  /** The number that the value is compared with. */
  threshold: Scalars['Float']['output'];
  /** When it was last changed by a request. */
  updatedAt: Scalars['DateTime']['output'];
  /** The value of the last evaluation; null when there was none. */
  value?: Maybe<Scalars['Float']['output']>;
  /** The host of the webhook. No answer has the whole URL, as that of some services is a secret. */
  webhookHost: Scalars['String']['output'];
  /** The length of the window, which ends at the evaluation, in minutes. */
  windowMinutes: Scalars['Int']['output'];
};

/** A call of a webhook for an event. */
export type AlertCall = {
  /** The number of attempts so far. */
  attempts: Scalars['Int']['output'];
  /** The last attempt that ended. */
  calledAt?: Maybe<Scalars['DateTime']['output']>;
  /** The failure of the last attempt; null when it succeeded. */
  error?: Maybe<Scalars['String']['output']>;
  /** The next attempt; null when none will follow. */
  nextAt?: Maybe<Scalars['DateTime']['output']>;
  /** Its progress. */
  state: AlertCallState;
  /** The status of the last answer; null without one. */
  status?: Maybe<Scalars['Int']['output']>;
};

/** The progress of a call to a webhook. */
export type AlertCallState =
  /** The webhook answered with a status from 200 to 299. */
  | 'DELIVERED'
  /** It did not reach the webhook, and is not tried again. */
  | 'FAILED'
  /** It is under way, or will be tried again. */
  | 'PENDING';

/** The side of the threshold on which an alert fires. */
export type AlertComparison =
  /** Fires while the value is greater than the threshold. */
  | 'ABOVE'
  /** Fires while the value is less than the threshold. */
  | 'BELOW';

/** An event in the history of an alert. */
export type AlertEvent = {
  /** The alert. */
  alertId: Scalars['String']['output'];
  /** The call of the webhook; null for events that it does not hear of. */
  call?: Maybe<AlertCall>;
  /** When it happened. */
  createdAt: Scalars['DateTime']['output'];
  /** Unique in the project, and the `webhook-id` of its call. */
  id: Scalars['String']['output'];
  /** True in quiet hours. */
  isQuiet: Scalars['Boolean']['output'];
  /** The reason for which the value could not be computed. */
  message?: Maybe<Scalars['String']['output']>;
  /** The state of the alert; null for a test before the first evaluation. */
  state?: Maybe<AlertState>;
  /** The threshold at that time. */
  threshold: Scalars['Float']['output'];
  /** The reason for it. */
  type: AlertEventType;
  /** The value of the evaluation; null when there was none. */
  value?: Maybe<Scalars['Float']['output']>;
};

/** The reason for an event of an alert. */
export type AlertEventType =
  /** The state changed. */
  | 'CHANGED'
  /** The state is another one than before quiet hours, which are over. */
  | 'QUIET_ENDED'
  /** It still fires, `repeatMinutes` after the last call. */
  | 'REPEATED'
  /** Someone asked for a test call. */
  | 'TEST';

/** The value that an alert computes from the rows of its window. */
export type AlertMetric =
  /** The sum of known costs, in dollars. Not for scores. */
  | 'COST'
  /** The number of rows. */
  | 'COUNT'
  /** The median of durations, in seconds. Without durations there is no data. Not for scores. */
  | 'DURATION_P50'
  /** The duration, in seconds, that 95 of 100 rows stay below. Without durations there is no data. Not for scores. */
  | 'DURATION_P95'
  /** The duration, in seconds, that 99 of 100 rows stay below. Without durations there is no data. Not for scores. */
  | 'DURATION_P99'
  /** The number of rows with an error; of threads, those with a step that has one. Not for scores. */
  | 'ERROR_COUNT'
  /** The share of rows with an error, from 0 to 1. Without rows there is no data. Not for scores. */
  | 'ERROR_RATE'
  /** The mean of values. Without scores there is no data. Only for scores. */
  | 'SCORE_MEAN'
  /** The sum of tokens. Not for scores. */
  | 'TOKENS';

/** Hours in which an alert calls nobody. */
export type AlertQuietHours = {
  /** The periods, which may overlap. */
  periods: Array<AlertQuietPeriod>;
  /** The time zone of the hours, such as `Europe/Berlin`. */
  timeZone: Scalars['String']['output'];
};

/** Hours in which an alert calls nobody. */
export type AlertQuietHoursInput = {
  /** The periods, at most 20, which may overlap. */
  periods: Array<AlertQuietPeriodInput>;
  /** The time zone of the hours, such as `Europe/Berlin`. */
  timeZone: Scalars['String']['input'];
};

/** A period of quiet hours, by the clocks of its time zone. */
export type AlertQuietPeriod = {
  /** The days on which it begins. */
  days: Array<Weekday>;
  /** The time at which it begins, such as `22:00`. */
  from: Scalars['String']['output'];
  /** The time before which it ends, up to `24:00`. A time before `from` is one of the next day. */
  to: Scalars['String']['output'];
};

/** A period of quiet hours, by the clocks of its time zone. */
export type AlertQuietPeriodInput = {
  /** The days on which it begins. */
  days: Array<Weekday>;
  /** The time at which it begins, from `00:00` to `23:59`. */
  from: Scalars['String']['input'];
  /**
   * The time before which it ends, from `00:00` to `24:00`, and not that of `from`. A time before `from` is one of the
   * next day.
   */
  to: Scalars['String']['input'];
};

/** The outcome of an evaluation. */
export type AlertState =
  /** The value could not be computed; `message` says why. */
  | 'FAILED'
  /** The condition holds. */
  | 'FIRING'
  /** There is no value, as no row of the window has one. An alert that was firing is not resolved by it. */
  | 'NO_DATA'
  /** The condition does not hold. */
  | 'OK';

/** The rows that an alert watches. */
export type AlertSubject =
  /** Steps with a generation, by the moment at which they started. */
  | 'GENERATIONS'
  /** Scores, by the moment at which they were created. */
  | 'SCORES'
  /** Steps, by the moment at which they started. */
  | 'STEPS'
  /** Threads, by the moment at which they began. */
  | 'THREADS';

/** An alert, and the secret that signs its calls. */
export type AlertWithSecret = {
  /** The alert. */
  alert: Alert;
  /** The secret that signs its calls, by the specification of Standard Webhooks. It is never shown again. */
  secret: Scalars['String']['output'];
};

/** A key of the project, without the key itself, which is never shown again. */
export type ApiKey = {
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** When it expires; null when it does not. */
  expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** When it was last used, to the minute; null when it was never used. */
  lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Its name. */
  name: Scalars['String']['output'];
  /** The beginning of the key; null for keys older than this field. */
  prefix?: Maybe<Scalars['String']['output']>;
  /** When it was revoked; null while it is valid. */
  revokedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Its scopes. */
  scopes: Array<KeyScope>;
};

/** A file that belongs to a step. */
export type Attachment = {
  /** Unique in the project. The client chooses it when the attachment comes with its step. */
  id: Scalars['String']['output'];
  /** Metadata that the application recorded: an object or null. */
  metadata?: Maybe<Scalars['Json']['output']>;
  /** Its media type, such as `image/png`; null when unknown. */
  mime?: Maybe<Scalars['String']['output']>;
  /** The displayed name; null when it has none. */
  name?: Maybe<Scalars['String']['output']>;
  /** The key of its content in the service's file storage; null when the content is elsewhere. */
  objectKey?: Maybe<Scalars['String']['output']>;
  /** The step that it belongs to. */
  stepId?: Maybe<Scalars['String']['output']>;
  /** The thread of its step; null when the step has none. */
  threadId?: Maybe<Scalars['String']['output']>;
  /**
   * The URL of its content. For a file of the service it is presigned, made for this answer and valid for a limited
   * time; otherwise it is the recorded URL. Null when there is neither.
   */
  url?: Maybe<Scalars['String']['output']>;
};

/** A file that comes with its step. Omitted and null members keep their stored values. */
export type AttachmentPayloadInput = {
  /** Unique in the project. An attachment that already has this id is updated. */
  id: Scalars['String']['input'];
  /** Metadata of your own; an object. */
  metadata?: InputMaybe<Scalars['Json']['input']>;
  /** Its media type. */
  mime?: InputMaybe<Scalars['String']['input']>;
  /** The displayed name. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** The key that an upload returned. With one, `url` is not stored: each read makes a fresh one. */
  objectKey?: InputMaybe<Scalars['String']['input']>;
  /** Ignored: an attachment belongs to the step that it comes with. */
  stepId?: InputMaybe<Scalars['String']['input']>;
  /** The thread. Default: that of the step. */
  threadId?: InputMaybe<Scalars['String']['input']>;
  /** The URL of the content, when it is not an upload. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** The kind of an action that the audit log notes. */
export type AuditAction =
  /** The operator began to back up the whole service. */
  | 'BACK_UP'
  /** All of an archive was imported. */
  | 'COMPLETE_IMPORT'
  /** An alert was created. */
  | 'CREATE_ALERT'
  /** An API key was created. */
  | 'CREATE_KEY'
  /** The operator created the project, or the service did at its first start. */
  | 'CREATE_PROJECT'
  /** A prompt was created. */
  | 'CREATE_PROMPT'
  /** A version of a prompt was created. */
  | 'CREATE_PROMPT_VERSION'
  /** A view or a chart was created. */
  | 'CREATE_VIEW'
  /** An alert was deleted. */
  | 'DELETE_ALERT'
  /** An attachment was deleted. */
  | 'DELETE_ATTACHMENT'
  /** A dataset was deleted with its items. */
  | 'DELETE_DATASET'
  /** An item of a dataset was deleted. */
  | 'DELETE_DATASET_ITEM'
  /** An experiment was deleted with its results. */
  | 'DELETE_EXPERIMENT'
  /** Failed results of an experiment were deleted, to run their items again. */
  | 'DELETE_EXPERIMENT_RESULTS'
  /** A model to try prompts with was deleted. */
  | 'DELETE_MODEL_ENDPOINT'
  /**
   * The service deleted data that was older than the project keeps it. One entry for a pass over the project, with the
   * numbers.
   */
  | 'DELETE_OLD_DATA'
  /** The price of a model was deleted. */
  | 'DELETE_PRICE'
  /** The operator deleted the project with everything in it. */
  | 'DELETE_PROJECT'
  /** A score was deleted. */
  | 'DELETE_SCORE'
  /** A definition of scores was deleted. */
  | 'DELETE_SCORE_DEFINITION'
  /** A step was deleted. */
  | 'DELETE_STEP'
  /** A thread was deleted with all that was in it. */
  | 'DELETE_THREAD'
  /** A user was deleted, without what was recorded of them. */
  | 'DELETE_USER'
  /** The data of a user was deleted. One entry for all of it, with the numbers. */
  | 'DELETE_USER_DATA'
  /** A view or a chart was deleted. */
  | 'DELETE_VIEW'
  /** The operator began to export the project to an archive. */
  | 'EXPORT_PROJECT'
  /**
   * Somebody tried to sign in to the web UI with an API key that was revoked or has expired, or with the provider and without
   * a role.
   */
  | 'FAIL_SIGN_IN'
  /** The operator began to import the project from an archive. */
  | 'IMPORT_PROJECT'
  /** The operator began to move the whole service to another database. */
  | 'MOVE_DATA'
  /** A label of a prompt was removed. */
  | 'REMOVE_PROMPT_LABEL'
  /** The costs of all calls are computed anew. */
  | 'REPRICE'
  /** The operator made the data of the service from a backup. Noted at the first start with it; `details` has the time. */
  | 'RESTORE'
  /** An API key was revoked. */
  | 'REVOKE_KEY'
  /** The secret of an alert was replaced. */
  | 'ROTATE_ALERT_SECRET'
  /** The rule for the end of conversations was replaced. */
  | 'SET_CONVERSATION_END'
  /** A model to try prompts with was added or changed. */
  | 'SET_MODEL_ENDPOINT'
  /** Prices of models were created or replaced. */
  | 'SET_PRICES'
  /** A label of a prompt was moved to a version. */
  | 'SET_PROMPT_LABEL'
  /** The calls of a prompt were divided among its versions anew. */
  | 'SET_PROMPT_ROLLOUT'
  /** The rules for the age of data were replaced. */
  | 'SET_RETENTION'
  /** A definition of scores was created or replaced. */
  | 'SET_SCORE_DEFINITION'
  /** A person signed in to the web UI. Somebody who signs in with the provider does so in each project that they then use. */
  | 'SIGN_IN'
  /** A person signed out of the web UI. */
  | 'SIGN_OUT'
  /** An alert was changed. */
  | 'UPDATE_ALERT'
  /** A view or a chart was changed. */
  | 'UPDATE_VIEW';

/** The kind of who acted. */
export type AuditActorKind =
  /** A program or a person with an API key, or somebody who signed in by a link. */
  | 'KEY'
  /** Somebody who may use the machine of the service, by a command. */
  | 'OPERATOR'
  /** A person who signed in with the OpenID Connect provider. */
  | 'PERSON'
  /** The service itself. */
  | 'SERVICE';

/** The order of audit entries. */
export type AuditEntriesOrderByInput = {
  /** The column to order by: one that `@orderable` names. */
  column: Scalars['String']['input'];
  /** The direction. */
  direction: OrderDirection;
};

/**
 * An entry of the audit log: who did what, when. Entries are never changed or deleted. They hold ids, names, counts and the
 * names of changed fields; never what was recorded, and no key or secret.
 */
export type AuditEntry = {
  /** The kind of action. */
  action: AuditAction;
  /** The id of the API key that acted, or the provider's id of the person; null for the operator and for the service. */
  actorId?: Maybe<Scalars['String']['output']>;
  /** The kind of who acted. */
  actorKind: AuditActorKind;
  /** The name that the key or the person had then; null for the operator and for the service. */
  actorName?: Maybe<Scalars['String']['output']>;
  /** When it was done. */
  createdAt: Scalars['DateTime']['output'];
  /** More about the action, such as the numbers of what was deleted, by kind, or the label and the version of a prompt. */
  details: Scalars['Json']['output'];
  /** The names of the fields that changed. */
  fields: Array<Scalars['String']['output']>;
  /** Unique in the service. */
  id: Scalars['String']['output'];
  /** The id of the request, as the answer had it in `x-request-id`; null for what no request asked for. */
  requestId?: Maybe<Scalars['String']['output']>;
  /**
   * The id of it; null when the action was on several, or on a person without an entry among users.
   *
   * An id of a thread, a step, a score or an attachment that is neither a UUID nor one of a trace is a digest, `sha256:…`:
   * it may name a person.
   */
  subjectId?: Maybe<Scalars['String']['output']>;
  /** The kind of thing that was acted on. */
  subjectKind: AuditSubjectKind;
  /** The name that it had then; null for what has none, and for threads, steps and users, whose names may be those of people. */
  subjectName?: Maybe<Scalars['String']['output']>;
};

/** A page of audit entries. */
export type AuditEntryConnection = {
  /** The rows, in the order of the list. */
  edges: Array<AuditEntryEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of matching rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** An audit entry on a page. */
export type AuditEntryEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: AuditEntry;
};

/** The kind of thing that was acted on. */
export type AuditSubjectKind =
  /** An alert. */
  | 'ALERT'
  /** An attachment. */
  | 'ATTACHMENT'
  /** A dataset. */
  | 'DATASET'
  /** An item of a dataset. */
  | 'DATASET_ITEM'
  /** An experiment. */
  | 'EXPERIMENT'
  /** An API key. */
  | 'KEY'
  /** A model to try prompts with. */
  | 'MODEL_ENDPOINT'
  /** A person who signs in with the OpenID Connect provider. */
  | 'PERSON'
  /** The price of a model. */
  | 'PRICE'
  /** The project itself. */
  | 'PROJECT'
  /** A prompt. */
  | 'PROMPT'
  /** A score. */
  | 'SCORE'
  /** A definition of scores. */
  | 'SCORE_DEFINITION'
  /** A step. */
  | 'STEP'
  /** A thread. */
  | 'THREAD'
  /** A user. */
  | 'USER'
  /** A view or a chart. */
  | 'VIEW';

/** The value that a chart shows. */
export type ChartMetric =
  /** Cost. For all but scores. */
  | 'cost'
  /** Number of rows. */
  | 'count'
  /** Share of the rows that failed. For all but scores. */
  | 'errors'
  /** Mean value. For scores. */
  | 'mean'
  /** Percentiles of durations. For all but scores. */
  | 'percentiles'
  /** Tokens. For all but scores. */
  | 'tokens';

/** The measurement of a chart. */
export type ChartSettings = {
  /** The property that it is split by; null for none. */
  by?: Maybe<MetricDimension>;
  /** The value that it shows. */
  metric: ChartMetric;
  /** The name of the scores that it measures; null for all of them, and for all other rows. */
  score?: Maybe<Scalars['String']['output']>;
  /** The rows that it measures. The view's `query` is that of their list. */
  subject: MetricSubject;
};

/** The measurement of a chart. */
export type ChartSettingsInput = {
  /** The property to split by, which the rows must have. */
  by?: InputMaybe<MetricDimension>;
  /** The value to show, which the rows must have. */
  metric: ChartMetric;
  /** Only scores of this name, at most 200 characters. */
  score?: InputMaybe<Scalars['String']['input']>;
  /** The rows to measure. The view's `query` is that of their list. */
  subject: MetricSubject;
};

/**
 * The record of one process of an application, from the start of its client to its end. Clients number their steps, so
 * that the service can list those that it has not received.
 */
export type ClientSession = {
  /**
   * When it ended, by its clock or by that of the process that found its spool. Null while it runs, and when its end
   * was never reported.
   */
  endedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Chosen by the client. */
  id: Scalars['String']['output'];
  /** When the service last received something from it. */
  lastSeenAt: Scalars['DateTime']['output'];
  /** The losses that the client reported, by number, at most 1,000. */
  losses: Array<SessionLoss>;
  /**
   * Number of these steps that the service has not received. They are on their way while the session runs, and lost
   * once it has ended.
   */
  missing: Scalars['Int']['output'];
  /** The sequence numbers of the missing steps, at most 1,000 ranges. */
  missingRanges: Array<SequenceRange>;
  /**
   * Number of these steps that the service has received. Repetitions count once; steps that were deleted since still
   * count.
   */
  received: Scalars['Int']['output'];
  /** Number of steps that it recorded, as last reported. */
  recorded: Scalars['Int']['output'];
  /** The release of the application; null when not given. */
  release?: Maybe<Scalars['String']['output']>;
  /** When the client was created, by its clock. */
  startedAt: Scalars['DateTime']['output'];
};

/**
 * The rule for the end of a conversation. Each part that is set ends threads on its own.
 *
 * A tag or a call of a tool ends a thread at its last activity. A thread without either ends after a time without
 * activity. The last activity is the latest end, else start, of a step.
 */
export type ConversationEnd = {
  /** Minutes without activity after which a thread ends. A later step opens it again. Null when time ends none. */
  idleMinutes?: Maybe<Scalars['Int']['output']>;
  /** Tags that end the threads that have one of them. A thread without them is open again. */
  tags: Array<Scalars['String']['output']>;
  /**
   * Tools that end the threads in whose last turn one of them is called: by a step of the type `tool` with this name,
   * or in the answer of a model.
   *
   * The next turn opens the thread again. It begins with a message of the user, or with a step of the type `run` or
   * `undefined` that has no parent.
   */
  toolNames: Array<Scalars['String']['output']>;
};

/** The cost of a model call, part by part, by the prices that hold now. */
export type CostDetails = {
  /** The cost by the prices that hold now, in dollars; null when no part has a price. */
  cost?: Maybe<Scalars['Float']['output']>;
  /** True when the stored cost is another one: it was computed by earlier prices, and `reprice` would change it. */
  isOutdated: Scalars['Boolean']['output'];
  /** The parts that have a price. */
  parts: Array<CostPart>;
  /** The price; null for a cost that the client sent, and for a model without one. */
  price?: Maybe<Price>;
  /** The service tier that the settings of the call name, such as `batch`; null for the plain one. */
  serviceTier?: Maybe<Scalars['String']['output']>;
  /** The origin of the prices; null when there is none. */
  source?: Maybe<CostSource>;
  /** The parts that have none. They are in no sum. */
  unpriced: Array<UnpricedPart>;
};

/** A part of the tokens of a call, with its cost. */
export type CostPart = {
  /** Its cost, in dollars. */
  cost: Scalars['Float']['output'];
  /** The part. */
  part: TokenPart;
  /** Its price, in dollars per million tokens. */
  price: Scalars['Float']['output'];
  /** Its tokens. */
  tokens: Scalars['Int']['output'];
};

/** The origin of a cost. */
export type CostSource =
  /** The price book of the service. */
  | 'BOOK'
  /** The client, which sent the cost itself. It comes before all prices. */
  | 'CLIENT'
  /** A price of the project, which comes before the book. */
  | 'PROJECT';

/** The results that were stored. */
export type CreateDatasetExperimentItemsPayload = {
  /**
   * The ids of the results, in the order of the given ones. Null for one that was not stored, as the caller no longer has
   * its lease.
   */
  ids: Array<Maybe<Scalars['String']['output']>>;
  /** The scores that were left out, as they do not fit the definitions of their names. The error of their result says so, too. */
  refusedScores: Array<RefusedResultScore>;
};

/** The judgements that were stored. */
export type CreateJudgementsPayload = {
  /** In the order of the given ones: false for one that was not stored, as the caller no longer has its lease. */
  stored: Array<Scalars['Boolean']['output']>;
};

/** The created scores. */
export type CreateScoresPayload = {
  /** In the order in which they were sent. */
  scores: Array<Score>;
};

/** A new key. */
export type CreatedApiKey = {
  /** The key's entry in the list of keys. */
  apiKey: ApiKey;
  /** The key itself. It is returned only here. */
  key: Scalars['String']['output'];
};

/** A set of examples to run experiments on. */
export type Dataset = {
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Its purpose; null when not given. */
  description?: Maybe<Scalars['String']['output']>;
  /** Number of experiments on it. */
  experimentCount: Scalars['Int']['output'];
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** Number of its items. */
  itemCount: Scalars['Int']['output'];
  /** Its items, oldest first. */
  items: DatasetItemConnection;
  /** Metadata that was recorded with it: an object, empty when there is none. */
  metadata: Scalars['Json']['output'];
  /** Unique in the project. */
  name?: Maybe<Scalars['String']['output']>;
  /** The kind of its items. */
  type: DatasetType;
};


/** A set of examples to run experiments on. */
export type DatasetItemsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of datasets. */
export type DatasetConnection = {
  /** The rows, in the order of the list. */
  edges: Array<DatasetEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of matching rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of datasets. */
export type DatasetEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Dataset;
};

/** One pass over a dataset, or a set of results without a dataset. */
export type DatasetExperiment = {
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The dataset that it runs on; null when it has none or the dataset was deleted. */
  dataset?: Maybe<Dataset>;
  /** The dataset that it runs on; null when it has none or the dataset was deleted. */
  datasetId?: Maybe<Scalars['String']['output']>;
  /** Number of its results with an error. */
  errorCount: Scalars['Int']['output'];
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** The identity of its run, by which processes that share the run find it; null when none was given. */
  identity?: Maybe<Scalars['String']['output']>;
  /** Number of its results. */
  itemCount: Scalars['Int']['output'];
  /** Its results, oldest first. */
  items: DatasetExperimentItemConnection;
  /**
   * The measures of its results, summarised as scores are: `durationMs`, `tokens` and `cost` of those without an error, and
   * `errors`, the share of those with one. A measure that no result has is left out.
   */
  measures: Array<ScoreSummary>;
  /** Its name. */
  name: Scalars['String']['output'];
  /** Its results as far as runs are compared, in a form that costs a fraction of `items`. */
  outcomes: ExperimentOutcomes;
  /** Its parameters: an object or a list; null when none were given. */
  params?: Maybe<Scalars['Json']['output']>;
  /** The reason why its run ended early or is broken; null when none was given. */
  problem?: Maybe<Scalars['String']['output']>;
  /** The prompt variant or prompt version under test; null when none was given. */
  promptExperimentId?: Maybe<Scalars['String']['output']>;
  /** Its scores, summarised by name. */
  scores: Array<ScoreSummary>;
  /** The end of its run; null while it runs, and when nobody told it. */
  status?: Maybe<ExperimentStatus>;
};


/** One pass over a dataset, or a set of results without a dataset. */
export type DatasetExperimentItemsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  datasetItemIds?: InputMaybe<Array<Scalars['String']['input']>>;
  first?: InputMaybe<Scalars['Int']['input']>;
  keys?: InputMaybe<Array<Scalars['String']['input']>>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** One pass over a dataset, or a set of results without a dataset. */
export type DatasetExperimentOutcomesArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  runCosts?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A page of experiments. */
export type DatasetExperimentConnection = {
  /** The rows, in the order of the list. */
  edges: Array<DatasetExperimentEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of experiments. */
export type DatasetExperimentEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: DatasetExperiment;
};

/** A result of an experiment. */
export type DatasetExperimentItem = {
  /** The price of the task's recorded calls of models, in dollars, as the task's process reported it; null when it is not known. */
  cost?: Maybe<Scalars['Float']['output']>;
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The experiment that it belongs to. */
  datasetExperimentId: Scalars['String']['output'];
  /** The dataset item that it was run on; null when there was none or it was deleted. */
  datasetItem?: Maybe<DatasetItem>;
  /** The dataset item that it was run on; null when there was none. */
  datasetItemId?: Maybe<Scalars['String']['output']>;
  /** The milliseconds that the task took, in its last attempt; null when not recorded. */
  durationMs?: Maybe<Scalars['Float']['output']>;
  /** The reason why there is no output, or not every score; null when nothing failed. */
  error?: Maybe<Scalars['String']['output']>;
  /** The output that was expected, as the run told it. Null when it told none: then that of the dataset item counts. */
  expectedOutput?: Maybe<Scalars['Json']['output']>;
  /** The experiment that it belongs to; null when it was deleted. */
  experiment?: Maybe<DatasetExperiment>;
  /** The run that produced it; null when not recorded. The run may arrive after the item. */
  experimentRunId?: Maybe<Scalars['String']['output']>;
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** The input; null when not recorded. */
  input?: Maybe<Scalars['Json']['output']>;
  /** The key of the item in its run; null when it was not leased. */
  key?: Maybe<Scalars['String']['output']>;
  /** The output; null when not recorded. */
  output?: Maybe<Scalars['Json']['output']>;
  /** The repetition of the item in its run, from 1 on; null when it was not leased. */
  repetition?: Maybe<Scalars['Int']['output']>;
  /**
   * The cost in dollars of the calls of models in its run, by the prices of the service; null when the run was not recorded, no
   * call has a price, and for a run of more than 10,000 steps.
   */
  runCost?: Maybe<Scalars['Float']['output']>;
  /** Number of calls of models in its run of which some part has no price; null when the run was not recorded, or is too large. */
  runUnpricedCount?: Maybe<Scalars['Int']['output']>;
  /** Its scores, in the order of creation. */
  scores: Array<Score>;
  /** The tokens of the task's recorded calls of models; null when not recorded. */
  tokens?: Maybe<Scalars['Int']['output']>;
};

/** A page of an experiment's results. */
export type DatasetExperimentItemConnection = {
  /** The rows, in the order of the list. */
  edges: Array<DatasetExperimentItemEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of an experiment's results. */
export type DatasetExperimentItemEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: DatasetExperimentItem;
};

/** An example of a dataset. */
export type DatasetItem = {
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The dataset that it belongs to. */
  datasetId: Scalars['String']['output'];
  /** The expected output; an object, or null when not given. */
  expectedOutput?: Maybe<Scalars['Json']['output']>;
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** The input; an object. */
  input: Scalars['Json']['output'];
  /**
   * The steps below the copied step, oldest first, as objects with `id`, `parentId`, `name`, `type`, `input` and
   * `output`. Empty when the item was made by hand.
   */
  intermediarySteps?: Maybe<Scalars['Json']['output']>;
  /** Metadata that was recorded with it: an object, empty when there is none. */
  metadata: Scalars['Json']['output'];
  /** Its results in all experiments, newest first. */
  results: DatasetExperimentItemConnection;
  /** The step that it was copied from; null when it was made by hand. The step may have been deleted since. */
  stepId?: Maybe<Scalars['String']['output']>;
};


/** An example of a dataset. */
export type DatasetItemResultsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of a dataset's items. */
export type DatasetItemConnection = {
  /** The rows, in the order of the list. */
  edges: Array<DatasetItemEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of a dataset's items. */
export type DatasetItemEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: DatasetItem;
};

/** The kind of items in a dataset. */
export type DatasetType =
  /** Model calls: messages as input, the expected message as output. */
  | 'generation'
  /** Any objects as input and expected output. */
  | 'key_value';

/** A deleted record. */
export type Deleted = {
  /** The id that the record had. */
  id: Scalars['String']['output'];
};

/** The rows that deleting a participant's data has deleted, or would delete, by kind. */
export type DeletedParticipantData = {
  /** Attachments of these steps and threads. Their files are deleted within a minute. */
  attachments: Scalars['Int']['output'];
  /** Dataset items that were made of these steps. */
  datasetItems: Scalars['Int']['output'];
  /** Results of experiments on these items. */
  experimentItems: Scalars['Int']['output'];
  /** Those of the steps that had a generation. */
  generations: Scalars['Int']['output'];
  /**
   * False when the time of the call was over before everything was deleted: the next call deletes the rest. In a dry
   * run: before everything was counted, so that there is more.
   */
  isComplete: Scalars['Boolean']['output'];
  /** Scores of these threads, steps and results, and scores whose scorer is the identifier. */
  scores: Scalars['Int']['output'];
  /** Steps of the participant, and of the runs of experiments on copies of them. */
  steps: Scalars['Int']['output'];
  /** Threads of the participant. */
  threads: Scalars['Int']['output'];
  /**
   * Threads that were the participant's first and stay: they are another one's now, or have steps of nobody. The
   * participant's steps in them are deleted; the name, the tags and the metadata of the thread are not.
   */
  threadsKept: Scalars['Int']['output'];
  /** 1 when there was a participant with the identifier; otherwise 0. */
  users: Scalars['Int']['output'];
};

/**
 * The reason for a failed request, in `extensions.code` of each error of an answer. No field returns this enum; it is
 * part of the contract so that the service and its clients share the codes.
 */
export type ErrorCode =
  /**
   * The request is unreadable: it is not JSON, or its document does not parse or does not fit the schema. HTTP status
   * 400.
   */
  | 'BAD_REQUEST'
  /** The name or identifier is taken; it must be unique in the project. */
  | 'CONFLICT'
  /** The key is valid, but the request concerns another project or needs another scope. */
  | 'FORBIDDEN'
  /** A fault of the service. The message contains only the id of the request, under which the log has the details. */
  | 'INTERNAL'
  /** An argument has an invalid value. The message names the argument and the expected value. */
  | 'INVALID_ARGUMENT'
  /** Nothing in this project has the given id or name. */
  | 'NOT_FOUND'
  /** Too many requests. Wait for the time in `Retry-After`. */
  | 'RATE_LIMITED'
  /** A value, a file or the whole request exceeds a limit of the service. */
  | 'TOO_LARGE'
  /** The API key is missing or unknown. HTTP status 401. */
  | 'UNAUTHENTICATED'
  /** The service is temporarily unable to answer. */
  | 'UNAVAILABLE';

/** The place of an experiment item: its experiment, its dataset item and its run, without what it holds. */
export type ExperimentItemPlace = {
  /** The dataset item that it was run on; null when there was none. */
  datasetItemId?: Maybe<Scalars['String']['output']>;
  /** The experiment that it belongs to; null when it was deleted. */
  experiment?: Maybe<DatasetExperiment>;
  /** The run that produced it; null when not recorded. */
  experimentRunId?: Maybe<Scalars['String']['output']>;
  /** The experiment item's id. */
  id: Scalars['String']['output'];
};

/** A lease of an item of a run. */
export type ExperimentLease = {
  /** The key of the item. */
  key: Scalars['String']['output'];
  /** The milliseconds until the lease ends, by the clock of the service; 0 unless the item is leased or held. */
  remainingMs: Scalars['Int']['output'];
  /** The repetition, from 1 on. */
  repetition: Scalars['Int']['output'];
  /** Its state after the request. */
  state: ExperimentLeaseState;
};

/** The state of an item of a run, as one of the processes that share the run sees it. */
export type ExperimentLeaseState =
  /** It has a result. */
  | 'DONE'
  /** Nobody works on it, as its lease was given back. */
  | 'FREE'
  /** Another process works on it. */
  | 'HELD'
  /** The caller's: no other process gets it until the lease ends. */
  | 'LEASED';

/** A page of an experiment's results without inputs and outputs, as far as runs are compared. */
export type ExperimentOutcomes = {
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /**
   * The results, oldest first: a list of objects with `datasetItemId`, `key`, `repetition`, `error`, `durationMs`, `tokens`,
   * `cost`, `scores` (a list of `name`, `value` and `scorer`), and `group`: that of the result, else the entry `group` or
   * `threadId` of the item's metadata.
   */
  rows: Scalars['Json']['output'];
};

/** An item of a run, in one of its repetitions. */
export type ExperimentPlaceInput = {
  /** The key of the item, unique in the run. */
  key: Scalars['String']['input'];
  /** The repetition, from 1 on. */
  repetition: Scalars['Int']['input'];
};

/** A result of an item that the caller has leased. */
export type ExperimentResultInput = {
  /** The price of the task's calls of models, in dollars: 0 or more. */
  cost?: InputMaybe<Scalars['Float']['input']>;
  /** The dataset item that it was run on. */
  datasetItemId?: InputMaybe<Scalars['String']['input']>;
  /** The milliseconds that the task took: 0 or more. */
  durationMs?: InputMaybe<Scalars['Float']['input']>;
  /** The reason why there is no output, or not every score. */
  error?: InputMaybe<Scalars['String']['input']>;
  /** The output that was expected, for an item of no dataset; the dataset item has its own. */
  expectedOutput?: InputMaybe<Scalars['Json']['input']>;
  /** The run that produced it. It may arrive later. */
  experimentRunId?: InputMaybe<Scalars['String']['input']>;
  /**
   * The group of the item, by which runs are compared. Without one, the entry `group` or `threadId` of the dataset item's
   * metadata counts.
   */
  group?: InputMaybe<Scalars['String']['input']>;
  /** The input. */
  input?: InputMaybe<Scalars['Json']['input']>;
  /** The key of the item. */
  key: Scalars['String']['input'];
  /** The output. */
  output?: InputMaybe<Scalars['Json']['input']>;
  /** The repetition, from 1 on. */
  repetition: Scalars['Int']['input'];
  /** Scores of the result. */
  scores?: InputMaybe<Array<ScoreInput>>;
  /** The tokens of the task's calls of models: 0 or more. */
  tokens?: InputMaybe<Scalars['Int']['input']>;
};

/** The end of an experiment's run. */
export type ExperimentStatus =
  /** More items failed than is allowed, or the score that decides can't be compared. */
  | 'BROKEN'
  /** Every item has a result. */
  | 'COMPLETE'
  /** The verdict was clear before every item had a result. */
  | 'DECIDED'
  /** The budget was used before every item had a result. */
  | 'OVER_BUDGET'
  /** It was stopped from outside. */
  | 'STOPPED';

/** A value that occurs. */
export type Facet = {
  /** Number of occurrences among the newest 5,000 rows. */
  count: Scalars['Int']['output'];
  /** The value. */
  value: Scalars['String']['output'];
};

/** The field whose values are listed. */
export type FacetField =
  /** Models of generations. */
  | 'model'
  /** Names of steps. */
  | 'name'
  /** Providers of generations. */
  | 'provider'
  /** Names of scores. */
  | 'score'
  /** Tags of threads and steps. */
  | 'tags'
  /** Identifiers of users. */
  | 'user';

/** The kind of value that a field of a list holds. It decides how a filter compares the field. */
export type FieldKind =
  /** A timestamp, ISO 8601. */
  | 'INSTANT'
  /** JSON, compared by its text: as a whole, or the value at a path. */
  | 'JSON'
  /** A list of strings. */
  | 'LIST'
  /** A number. */
  | 'NUMBER'
  /** Text. */
  | 'STRING';

/** The meaning of a filter's path. */
export type FieldPath =
  /** The keys to a value inside JSON, separated by dots. Without a path the whole text is compared. */
  | 'KEYS'
  /** The name of the score. Without a path any score counts. */
  | 'SCORE_NAME';

/** A model call. It belongs to a step and has that step's id. */
export type Generation = {
  /** The output text of a completion; otherwise null. */
  completion?: Maybe<Scalars['String']['output']>;
  /**
   * Its cost in dollars; null when no part of it has a price. A cost that the client sent comes first, then the prices of the
   * project, then the price book.
   */
  cost?: Maybe<Scalars['Float']['output']>;
  /** The cost part by part. */
  costDetails?: Maybe<CostDetails>;
  /** The origin of the cost; null without one. */
  costSource?: Maybe<CostSource>;
  /** When the service first received its step. */
  createdAt: Scalars['DateTime']['output'];
  /** Seconds from request to end; null when not recorded. */
  duration?: Maybe<Scalars['Float']['output']>;
  /** The error message; null when nothing failed. */
  error?: Maybe<Scalars['String']['output']>;
  /** The id of its step. */
  id: Scalars['String']['output'];
  /** The last message that was asked, in one line of plain text, up to 120 characters; null when it is not recorded. */
  inputExcerpt?: Maybe<Scalars['String']['output']>;
  /** Tokens in; null when not recorded. */
  inputTokenCount?: Maybe<Scalars['Int']['output']>;
  /** True when some part of the tokens has no price, and so is not in the cost. */
  isCostPartial?: Maybe<Scalars['Boolean']['output']>;
  /** The output message; null for a completion, or when there was none. */
  messageCompletion?: Maybe<Scalars['Json']['output']>;
  /** The input messages, in the form of the model's provider; null for a completion. */
  messages?: Maybe<Scalars['Json']['output']>;
  /** Metadata that the application recorded: an object or null. */
  metadata?: Maybe<Scalars['Json']['output']>;
  /** The model's name; null when not recorded. */
  model?: Maybe<Scalars['String']['output']>;
  /**
   * The answer in one line of plain text, up to 120 characters, or the tools that it calls with their arguments; null when
   * it is not recorded.
   */
  outputExcerpt?: Maybe<Scalars['String']['output']>;
  /** Tokens out; null when not recorded. */
  outputTokenCount?: Maybe<Scalars['Int']['output']>;
  /** The project that it belongs to. */
  projectId?: Maybe<Scalars['String']['output']>;
  /** The input text of a completion; otherwise null. */
  prompt?: Maybe<Scalars['String']['output']>;
  /** The id of the prompt version that it was made from; null when unknown. */
  promptId?: Maybe<Scalars['String']['output']>;
  /** The provider of the model, such as `openai`; null when not recorded. */
  provider?: Maybe<Scalars['String']['output']>;
  /** Temperature and other settings; an object or null. */
  settings?: Maybe<Scalars['Json']['output']>;
  /** The start of its step; null when the step told none. */
  startedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The step that it belongs to. */
  step?: Maybe<Step>;
  /** The step that it belongs to: the same as `id`. */
  stepId?: Maybe<Scalars['String']['output']>;
  /** Tags; null when none were ever set. */
  tags?: Maybe<Array<Scalars['String']['output']>>;
  /** Tokens in and out. When no total was recorded, the sum of both; null when neither was. */
  tokenCount?: Maybe<Scalars['Int']['output']>;
  /** Tokens out per second, as the client computed them; null when not recorded. */
  tokenThroughputInSeconds?: Maybe<Scalars['Float']['output']>;
  /** The tools offered to the model; a list or null. */
  tools?: Maybe<Scalars['Json']['output']>;
  /** Milliseconds to the first token; null when not recorded. */
  ttFirstToken?: Maybe<Scalars['Float']['output']>;
  /**
   * `CHAT` or `COMPLETION`. When the client omitted it: `COMPLETION` if it sent only `prompt` or `completion`,
   * otherwise `CHAT`.
   */
  type: GenerationType;
  /** The tokens in parts: cached, of reasoning, of sound and others; null when not recorded. */
  usage?: Maybe<TokenUsage>;
  /** The values of the prompt's variables; an object or null. */
  variables?: Maybe<Scalars['Json']['output']>;
};

/** A page of generations. */
export type GenerationConnection = {
  /** The rows, in the order of the list. */
  edges: Array<GenerationEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of matching rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of generations. */
export type GenerationEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Generation;
};

/** A model call to record. Omitted and null members keep their stored values. */
export type GenerationPayloadInput = {
  /** The output text of a completion. */
  completion?: InputMaybe<Scalars['String']['input']>;
  /** The cost in dollars, up to 9,007, if the application knows it. It comes before all prices. */
  cost?: InputMaybe<Scalars['Float']['input']>;
  /**
   * Omitted or `CLIENT` for a cost that the application knows. With any other, `cost` is ignored: a generation can be sent
   * again as it was read.
   */
  costSource?: InputMaybe<CostSource>;
  /** Ignored. Accepted so that a generation can be sent again as it was read. */
  createdAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Seconds from request to end. */
  duration?: InputMaybe<Scalars['Float']['input']>;
  /** The error message. */
  error?: InputMaybe<Scalars['String']['input']>;
  /** The id of the step. Default: chosen by the service. Ignored inside a step. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Tokens in. */
  inputTokenCount?: InputMaybe<Scalars['Int']['input']>;
  /** Ignored. Accepted so that a generation can be sent again as it was read. */
  isCostPartial?: InputMaybe<Scalars['Boolean']['input']>;
  /** The output message, stored unchanged. */
  messageCompletion?: InputMaybe<Scalars['Json']['input']>;
  /** The input messages: a list of objects with a `role`, stored unchanged. */
  messages?: InputMaybe<Scalars['Json']['input']>;
  /** Further metadata; an object. */
  metadata?: InputMaybe<Scalars['Json']['input']>;
  /** The model's name. */
  model?: InputMaybe<Scalars['String']['input']>;
  /** Tokens out. */
  outputTokenCount?: InputMaybe<Scalars['Int']['input']>;
  /** The input text of a completion. */
  prompt?: InputMaybe<Scalars['String']['input']>;
  /** The id of the prompt version that it was made from. */
  promptId?: InputMaybe<Scalars['String']['input']>;
  /** The provider of the model. */
  provider?: InputMaybe<Scalars['String']['input']>;
  /** Temperature and other settings; an object. */
  settings?: InputMaybe<Scalars['Json']['input']>;
  /** Ignored. Accepted so that a generation can be sent again as it was read. */
  stepId?: InputMaybe<Scalars['String']['input']>;
  /** Tags. */
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Tokens in and out. Default: the sum of both. */
  tokenCount?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens out per second. */
  tokenThroughputInSeconds?: InputMaybe<Scalars['Float']['input']>;
  /** The tools offered to the model; a list of objects. */
  tools?: InputMaybe<Scalars['Json']['input']>;
  /** Milliseconds to the first token. */
  ttFirstToken?: InputMaybe<Scalars['Float']['input']>;
  /** `CHAT` or `COMPLETION`. Default: `COMPLETION` when there is only `prompt` or `completion`, otherwise `CHAT`. */
  type?: InputMaybe<GenerationType>;
  /** The tokens in parts. The three sums that are not given follow from it. */
  usage?: InputMaybe<TokenUsageInput>;
  /** The values of the prompt's variables; an object. */
  variables?: InputMaybe<Scalars['Json']['input']>;
};

/** The form of a model call. */
export type GenerationType =
  /** Messages in, a message out. */
  | 'CHAT'
  /** A text in, a text out. */
  | 'COMPLETION';

/** An order of generations. Default: newest first. */
export type GenerationsOrderByInput = {
  /** The column to order by: one that `@orderable` names. */
  column: Scalars['String']['input'];
  /** The direction. */
  direction: OrderDirection;
};

/** The result of sending a step. */
export type IngestStepPayload = {
  /** The reason for the rejection, of the step or of the first rejected score; null when all of it was stored. */
  message?: Maybe<Scalars['String']['output']>;
  /** True when the step is stored. It can then be read at once, and stays until it is deleted. */
  ok: Scalars['Boolean']['output'];
};

/** The result of sending a batch of steps. */
export type IngestStepsPayload = {
  /** Number of stored steps. */
  accepted: Scalars['Int']['output'];
  /** The number of rejected steps, threads or scores and the reason for the first one; null when none was rejected. */
  message?: Maybe<Scalars['String']['output']>;
  /** True when every step is stored. */
  ok: Scalars['Boolean']['output'];
  /** The rejected steps, in the order of the batch, at most 10,000. A rejected step never affects another one. */
  refused: Array<RefusedStep>;
  /** The rejected scores of stored steps and threads, at most 10,000: scores that do not fit the definition of their name. */
  refusedScores: Array<RefusedScore>;
  /** The rejected threads, in the order of the batch. */
  refusedThreads: Array<RefusedThread>;
};

/** A version of a judge of live traffic. Its workers run outside of the service. */
export type Judge = {
  /** The budget of a day that its worker named when it last asked for work; null when it named none. */
  budget?: Maybe<JudgeBudget>;
  /** When its first worker began. Only what is written from then on is judged. */
  createdAt: Scalars['DateTime']['output'];
  /** Number of things that waited for a week, and are not judged any more. */
  expired: Scalars['Int']['output'];
  /** Number of things that it gave up, after all attempts failed. */
  failed: Scalars['Int']['output'];
  /** Its name and version, as in `helpfulness@3f2a`: the `scorer` of its scores. */
  id: Scalars['String']['output'];
  /**
   * True when its last worker was told that the budget of today is used up: it goes on at midnight UTC, or when a worker names
   * a larger budget.
   */
  isSpent: Scalars['Boolean']['output'];
  /** Number of things that it has judged. */
  judged: Scalars['Int']['output'];
  /** The last error of a judgement; null when there was none. */
  lastError?: Maybe<Scalars['String']['output']>;
  /** When one of its workers last asked for work. */
  lastSeenAt: Scalars['DateTime']['output'];
  /** Its name. */
  name: Scalars['String']['output'];
  /** The share that it takes, from 0 to 1. */
  sample: Scalars['Float']['output'];
  /** The names of its scores, as far as they are known. */
  scoreNames: Array<Scalars['String']['output']>;
  /** The things that it judges. */
  subject: JudgeSubject;
  /** The usage of all versions of this name since midnight UTC. */
  usedToday: JudgeUsage;
  /** The version of its rules. */
  version: Scalars['String']['output'];
  /** Number of things that wait for it, those that it will leave out by its filters among them; at most 10,000. */
  waiting: Scalars['Int']['output'];
};

/** The limits of a day, which begins at midnight UTC, for all versions of a judge and all of their workers together. */
export type JudgeBudget = {
  /** Dollars of the calls of models; null without a limit. */
  dollars?: Maybe<Scalars['Float']['output']>;
  /** Judgements that are begun; null without a limit. */
  judgements?: Maybe<Scalars['Int']['output']>;
  /** Tokens of the calls of models; null without a limit. */
  tokens?: Maybe<Scalars['Float']['output']>;
};

/** The limits of a day, which begins at midnight UTC, for all versions of a judge and all of their workers together. */
export type JudgeBudgetInput = {
  /** Dollars of the calls of models. */
  dollars?: InputMaybe<Scalars['Float']['input']>;
  /** Judgements that are begun. */
  judgements?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens of the calls of models. */
  tokens?: InputMaybe<Scalars['Float']['input']>;
};

/** A judge, as its worker knows it. */
export type JudgeInput = {
  /** The budget of a day. */
  budget?: InputMaybe<JudgeBudgetInput>;
  /** Conditions on the steps that must all hold; none for a judge of threads. */
  filters?: InputMaybe<Array<StepsInputType>>;
  /** Its name. */
  name: Scalars['String']['input'];
  /** Seconds for which a thing must not have been written. */
  quietSeconds: Scalars['Int']['input'];
  /** The share to judge, from 0 to 1, chosen by a hash of the id: the same things for all workers, and for all judges. */
  sample: Scalars['Float']['input'];
  /** The names of its scores. */
  scoreNames?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The things that it judges. */
  subject: JudgeSubject;
  /** Conditions on the threads that must all hold; none for a judge of steps. */
  threadFilters?: InputMaybe<Array<ThreadsInputType>>;
  /** The version of its rules. Nothing is judged twice by one version. */
  version: Scalars['String']['input'];
};

/** The things that a judge judges. */
export type JudgeSubject =
  /** Steps that have ended. */
  | 'STEPS'
  /** Threads that have ended by the project's `conversationEnd`; any quiet thread of a project without that rule. */
  | 'THREADS';

/** Everything that judgements cost. */
export type JudgeUsage = {
  /** Dollars of the calls of models. */
  dollars: Scalars['Float']['output'];
  /** Number of judgements that were begun, failed ones among them. */
  judgements: Scalars['Int']['output'];
  /** Tokens of the calls of models. */
  tokens: Scalars['Float']['output'];
};

/** The result of a leased judgement. */
export type JudgementInput = {
  /** Dollars of the calls of models. */
  dollars?: InputMaybe<Scalars['Float']['input']>;
  /** The reason why there are no scores. The judgement is tried again later, up to five times in all. */
  error?: InputMaybe<Scalars['String']['input']>;
  /** The id of the step or thread. */
  id: Scalars['String']['input'];
  /** Gives the lease back as if it had not been taken. Default: false. */
  isReleased?: InputMaybe<Scalars['Boolean']['input']>;
  /** The scores. The judged thing and the scorer are known. */
  scores?: InputMaybe<Array<JudgementScoreInput>>;
  /** Tokens of the calls of models. */
  tokens?: InputMaybe<Scalars['Float']['input']>;
};

/** A thing to judge, which no other worker gets until the lease ends. */
export type JudgementLease = {
  /** The attempt, from 1 on; at most 5. */
  attempt: Scalars['Int']['output'];
  /** The id of the step or thread. */
  id: Scalars['String']['output'];
};

/** The judgements of one thing by a person and by a judge. */
export type JudgementPair = {
  /** The value that a person gave: the latest one, when there are several. */
  human: Scalars['Float']['output'];
  /** True when one of the values has a label: they are categories, and no numbers on a scale. */
  isLabelled: Scalars['Boolean']['output'];
  /** The value that the judge gave. */
  judge: Scalars['Float']['output'];
  /** The step; null when a thread was judged. */
  stepId?: Maybe<Scalars['String']['output']>;
  /** The thread, or the thread of the step; null when that belongs to none, or has not arrived. */
  threadId?: Maybe<Scalars['String']['output']>;
};

/** A score of a judgement. */
export type JudgementScoreInput = {
  /** The reason. */
  comment?: InputMaybe<Scalars['String']['input']>;
  /** The value as a label. */
  label?: InputMaybe<Scalars['String']['input']>;
  /** The name of the judgement. */
  name: Scalars['String']['input'];
  /** The kind of judge. */
  type: ScoreType;
  /** The value, a finite number. */
  value: Scalars['Float']['input'];
};

/**
 * The rights of a key. `ingest`: record, without reading anything. `read`: read. `write`: record and change. `admin`:
 * everything, including the project's keys.
 */
export type KeyScope =
  /** Everything, including keys. */
  | 'admin'
  /** Record. */
  | 'ingest'
  /** Read the metrics of the service, and nothing of the project. */
  | 'metrics'
  /** Read. */
  | 'read'
  /** Record and change. */
  | 'write';

/** The leases that were asked for. */
export type LeaseDatasetExperimentItemsPayload = {
  /** In the order of the given items. */
  leases: Array<ExperimentLease>;
};

/** The work for a worker. */
export type LeaseJudgementsPayload = {
  /** True when the budget of the day allows no further judgement. */
  isSpent: Scalars['Boolean']['output'];
  /** The judge's id. */
  judgeId: Scalars['String']['output'];
  /** The leases, those that wait for the longest time first. */
  leases: Array<JudgementLease>;
  /** The usage of the day so far. */
  usedToday: JudgeUsage;
  /**
   * Milliseconds after which there may be more to do: until midnight UTC when the budget is spent, until the next thing is
   * due otherwise. At most a day; 0 when there is more at once.
   */
  waitMs: Scalars['Int']['output'];
};

/** The measurements of a bucket, or of the whole range. */
export type Measurement = {
  /** Cost in dollars, each call counted once; null when no price is known, and for scores. */
  cost?: Maybe<Scalars['Float']['output']>;
  /** Number of rows. */
  count: Scalars['Int']['output'];
  /** The standard deviation of scores; null for all other rows, and for a single score. */
  deviation?: Maybe<Scalars['Float']['output']>;
  /** Number of rows that failed; 0 for scores. */
  errorCount: Scalars['Int']['output'];
  /** Tokens in; null when unknown. */
  inputTokens?: Maybe<Scalars['Float']['output']>;
  /** The mean value of scores; null for all other rows. */
  mean?: Maybe<Scalars['Float']['output']>;
  /** Tokens out; null when unknown. */
  outputTokens?: Maybe<Scalars['Float']['output']>;
  /** The median duration, in seconds; null when no duration is known. */
  p50?: Maybe<Scalars['Float']['output']>;
  /** The 95th percentile of the durations, in seconds. */
  p95?: Maybe<Scalars['Float']['output']>;
  /** The 99th percentile of the durations, in seconds. */
  p99?: Maybe<Scalars['Float']['output']>;
  /** The start of the bucket; null for the whole range. */
  start?: Maybe<Scalars['DateTime']['output']>;
  /** Tokens in and out; null when unknown. */
  tokens?: Maybe<Scalars['Float']['output']>;
  /** Number of model calls of which some part has no price, and so is not in the cost; 0 for scores. */
  unpricedCount: Scalars['Float']['output'];
};

/** The property that a metric is split by. Rows without a value are a series of their own. */
export type MetricDimension =
  /** The environment. For all but scores of experiments. */
  | 'environment'
  /** The model. For generations, and scores of them. */
  | 'model'
  /** The name. For runs, steps and scores. */
  | 'name'
  /** The prompt version, by its id. For generations, and scores of them. */
  | 'promptVersion'
  /** The provider of the model. For generations. */
  | 'provider'
  /** `metadata.release`, as the SDK records it. For all. */
  | 'release'
  /** The type. For steps. */
  | 'type'
  /** The user, by id. For all but scores. */
  | 'user';

/** One line of a chart. */
export type MetricSeries = {
  /** The buckets that are not empty, oldest first. */
  buckets: Array<Measurement>;
  /** True for the rest: all values but the largest. */
  isRest: Scalars['Boolean']['output'];
  /** The value that the series stands for; null for rows without one, for the rest, and when nothing is split. */
  key?: Maybe<Scalars['String']['output']>;
  /** The whole range. */
  total: Measurement;
};

/** The rows that a metric counts. */
export type MetricSubject =
  /** Generations, by the start of their step. */
  | 'generations'
  /** Steps of the type `run`, by start. */
  | 'runs'
  /** Scores, by creation. */
  | 'scores'
  /** All steps, by start. */
  | 'steps'
  /** Threads, by the first start of their steps. A thread fails when one of its steps does. */
  | 'threads';

/** Measurements over a range of time. */
export type Metrics = {
  /** Length of a bucket, in seconds. */
  bucketSeconds: Scalars['Float']['output'];
  /**
   * True when the range has figures of deleted data, as `setRetention` keeps them, and this answer leaves them out. They know
   * no users and no scores, and no conditions but one value of a property by which they are split.
   */
  leavesOutDeleted: Scalars['Boolean']['output'];
  /** The five largest series, largest first, and the rest of them together. One series when nothing is split. */
  series: Array<MetricSeries>;
};

/** A model that prompts are tried with in the web UI, and the server that runs it. */
export type ModelEndpoint = {
  /** The beginning of its addresses, such as `https://api.openai.com/v1`. */
  baseUrl: Scalars['String']['output'];
  /** True when the service keeps a key for it. No answer has the key. */
  hasKey: Scalars['Boolean']['output'];
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** The model's name at the endpoint. */
  model: Scalars['String']['output'];
  /** Its name for people. */
  name: Scalars['String']['output'];
  /** The way in which it is asked. */
  protocol: ModelProtocol;
};

/** The way in which an endpoint is asked for an answer of a model. */
export type ModelProtocol =
  /** Anthropic's messages. */
  | 'ANTHROPIC'
  /** OpenAI's chat completions, which many servers speak. */
  | 'OPENAI';

/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type Mutation = {
  /**
   * Copies a generation into a dataset: its messages or prompt as the input, its completion as the expected output.
   * The metadata contains `promptType` and, where known, `variables`, `model`, `provider`, `settings` and `tools`.
   */
  addGenerationToDataset?: Maybe<DatasetItem>;
  /** Copies any number of generations into a dataset: all of them, or none when one fails. */
  addGenerationsToDataset: AddGenerationsToDatasetPayload;
  /** Copies a step into a `key_value` dataset: its input, its output as the expected output, and the steps below it. */
  addStepToDataset?: Maybe<DatasetItem>;
  /**
   * Copies a conversation into a dataset: its messages as `input.messages`, and the answer that follows as the expected
   * output. Messages have a `role`: `system`, `user`, `assistant` or `tool`. Calls of tools are kept.
   *
   * The metadata contains `threadId`, and `group` with the same value, so that comparisons of runs know which items are of
   * one conversation.
   */
  addThreadToDataset?: Maybe<DatasetItem>;
  /**
   * Creates an alert. A project has at most 100. It keeps its own copy of the query: changes of a view that the query is
   * from do not reach it.
   */
  createAlert: AlertWithSecret;
  /** Creates a key of the project. Needs a key with the scope `admin`. */
  createApiKey: CreatedApiKey;
  /** Adds a file to a step. The service chooses its id. The step may arrive later. */
  createAttachment?: Maybe<Attachment>;
  /** Creates a dataset. Fails with `CONFLICT` when the name is taken. */
  createDataset?: Maybe<Dataset>;
  /** Creates an experiment. */
  createDatasetExperiment?: Maybe<DatasetExperiment>;
  /** Adds a result to an experiment. */
  createDatasetExperimentItem?: Maybe<DatasetExperimentItem>;
  /**
   * Adds results of items that the caller has leased, all of them in one transaction. A result of an item that another
   * process has leased since, or that has a result, is not stored. A result that is sent again is stored once.
   */
  createDatasetExperimentItems: CreateDatasetExperimentItemsPayload;
  /** Adds an item made by hand. */
  createDatasetItem?: Maybe<DatasetItem>;
  /** Creates a generation, as a step of type `llm` outside any thread. */
  createGeneration?: Maybe<Generation>;
  /**
   * Stores judgements whose leases the caller has, with their scores, in one transaction. A judgement that is sent again is
   * stored once.
   */
  createJudgements: CreateJudgementsPayload;
  /**
   * Creates a participant. Fails with `CONFLICT` when the identifier is taken.
   *
   * Clients that look for a participant before they create it may do so at once: a key that was told some seconds ago that
   * there is none gets the one that another request created since.
   */
  createParticipant?: Maybe<Participant>;
  /** Creates a prompt for experiments, outside the versions of a prompt. */
  createPromptExperiment?: Maybe<PromptExperiment>;
  /** Creates a prompt without a version. When the name is taken, returns the existing prompt. */
  createPromptLineage?: Maybe<PromptLineage>;
  /**
   * Creates the next version of a prompt, or returns the newest one that equals it. Compared are the messages (apart
   * from `uuid` and `templated`), the settings (the provider only when given) and the tools.
   */
  createPromptVersion?: Maybe<PromptVersion>;
  /**
   * Adds a score to a step, to a thread or to an experiment item; one of them is required, and a score of a thread has
   * neither of the others. The step or thread may arrive later.
   */
  createScore?: Maybe<Score>;
  /** Adds any number of scores: all of them, or none when one is invalid. */
  createScores: CreateScoresPayload;
  /** Creates a step. The service chooses its id. */
  createStep?: Maybe<Step>;
  /** Creates a thread. The service chooses its id. */
  createThread?: Maybe<Thread>;
  /** Creates a view of a list, or a chart. A project has at most 500 views, 60 of them charts. */
  createView: View;
  /** Deletes an alert, its history and its pending calls. Null when nothing has this id. */
  deleteAlert?: Maybe<Deleted>;
  /** Deletes an attachment. Null when nothing has this id. */
  deleteAttachment?: Maybe<Deleted>;
  /** Deletes a dataset and its items; an error when nothing has this id. Experiments on it stay, without a dataset. */
  deleteDataset?: Maybe<Dataset>;
  /** Deletes an experiment with its results and their scores. The runs stay. Null when nothing has this id. */
  deleteDatasetExperiment?: Maybe<Deleted>;
  /** Deletes an item; an error when nothing has this id. */
  deleteDatasetItem?: Maybe<DatasetItem>;
  /** Deletes a model that prompts are tried with, and its key. Null when there is none with this id. */
  deleteModelEndpoint?: Maybe<ModelEndpoint>;
  /** Deletes a participant; an error when nothing has this id. The threads stay, without a participant. */
  deleteParticipant?: Maybe<Deleted>;
  /**
   * Deletes all data of a participant: their threads with all steps, scores and attachments, steps that were recorded
   * while a thread was theirs first, scores by them, and the participant.
   *
   * Copies in datasets are deleted too, with the results of experiments on them. Works for five seconds at most: call it
   * again until it is complete. An identifier that nobody has deletes only scores by it.
   */
  deleteParticipantData: DeletedParticipantData;
  /** Deletes a price of the project. Stored costs stay until `reprice`. Null when nothing has this id. */
  deletePrice?: Maybe<Deleted>;
  /** Deletes a score. Null when nothing has this id. */
  deleteScore?: Maybe<Deleted>;
  /**
   * Deletes the definition of a score; the scores stay. Returns the name as the id, or null when there was no
   * definition.
   */
  deleteScoreDefinition?: Maybe<Deleted>;
  /** Deletes a step with its generation, scores and attachments. Its children stay. Null when nothing has this id. */
  deleteStep?: Maybe<Deleted>;
  /**
   * Deletes a thread with its steps and their generations, scores and attachments. Copies in datasets stay. Null when
   * nothing has this id.
   *
   * Of a thread with more than 500 steps, steps go first, in portions, and the thread with the last ones: a request that
   * fails in between leaves the rest to another one.
   */
  deleteThread?: Maybe<Deleted>;
  /** Deletes a view. Null when nothing has this id. */
  deleteView?: Maybe<Deleted>;
  /** Notes the end of an experiment's run. A later one replaces it. Null when nothing has this id. */
  endDatasetExperiment?: Maybe<DatasetExperiment>;
  /**
   * Stores one step. Released clients send it many times in one document, each time under another alias. Omitted
   * fields keep their stored values; null clears them, except `type`, `generation`, `scores` and `attachments`.
   */
  ingestStep: IngestStepPayload;
  /**
   * Stores a batch of steps in one statement. A step may come again, in parts and in any order: parts are merged, and
   * repetitions change nothing. The answer lists rejected steps; they do not affect the others.
   */
  ingestSteps: IngestStepsPayload;
  /**
   * Leases items of a run for a process, so that no other process works on them. Items with a result, and those that
   * another process has leased, are not leased again. A lease of the same holder is extended.
   */
  leaseDatasetExperimentItems: LeaseDatasetExperimentItemsPayload;
  /**
   * Leases things that a judge has not judged yet to one of its workers, and makes the judge known: what is written from
   * then on is kept for it, as long as a worker asks within a week. Judges nothing of the environment `experiment`.
   */
  leaseJudgements: LeaseJudgementsPayload;
  /**
   * Sends all calls of a prompt to one of its versions, for Literal AI clients up to 0.0.608.
   * `updatePromptLineageRollout` can split them.
   */
  promotePromptVersion?: Maybe<PromptLineage>;
  /** Removes a label of a prompt. The version stays. */
  removePromptLabel?: Maybe<PromptLineage>;
  /**
   * Computes the costs of all stored calls anew, by the prices that hold now: in the background, some hundred calls at a
   * time, while others record. `repricing` says how far it is. A second run takes the place of one under way.
   */
  reprice: Repricing;
  /**
   * Deletes the failed results of a run that processes share, with their scores, up to 1,000 of them, so that their items can
   * be leased again. The recorded threads stay.
   */
  retryDatasetExperimentItems: RetryDatasetExperimentItemsPayload;
  /**
   * Revokes a key, everywhere within seconds. Fails with `NOT_FOUND` when no valid key has this id. Needs a key with
   * the scope `admin`.
   */
  revokeApiKey: Deleted;
  /**
   * Replaces the secret that signs the calls of an alert. Calls are signed with the new one from then on. Fails with
   * `NOT_FOUND` when no alert has this id.
   */
  rotateAlertSecret: AlertWithSecret;
  /**
   * Sets the rule for the end of the project's conversations, for past threads too. Replaces the previous rule; without
   * any part, the project has none.
   */
  setConversationEnd?: Maybe<ConversationEnd>;
  /** Adds a model that prompts are tried with, or changes the one with this id. A project has at most 50. */
  setModelEndpoint?: Maybe<ModelEndpoint>;
  /**
   * Creates or replaces prices of the project, all or none. They hold for calls that arrive from now on; `reprice` applies
   * them to stored calls too.
   */
  setPrices: Array<Price>;
  /**
   * Moves a label of a prompt to one of its versions; creates the label when the prompt has none of this name. A prompt has
   * at most 100 labels.
   */
  setPromptLabel?: Maybe<PromptLineage>;
  /**
   * Sets the rules for the age of the project's data. Replaces the previous rules; without any, everything is kept. Data
   * that is older goes within minutes, in the background, and can't be brought back: `retentionPreview` counts it. Needs a
   * key with the scope `admin`.
   */
  setRetention: Retention;
  /** Defines the meaning of the scores of a name, and replaces an earlier definition. */
  setScoreDefinition: ScoreDefinition;
  /**
   * Calls the webhook of an alert once, with an event that is marked as a test, and returns the outcome. Ten tests of an
   * alert are allowed in a minute. Fails with `NOT_FOUND` when no alert has this id.
   */
  testAlert: AlertEvent;
  /**
   * Updates an alert, which is evaluated again soon. Omitted fields keep their stored values. Fails with `NOT_FOUND` when
   * no alert has this id.
   */
  updateAlert: Alert;
  /**
   * Changes an attachment. Omitted fields keep their stored values; null clears them. Fails with `NOT_FOUND` when no
   * attachment has this id.
   */
  updateAttachment?: Maybe<Attachment>;
  /** Changes a dataset. Omitted fields keep their stored values; null clears them, except the name. */
  updateDataset?: Maybe<Dataset>;
  /**
   * Changes an item. Omitted fields keep their stored values. Null clears the expected output and empties the
   * metadata. Fails with `NOT_FOUND` when no item has this id.
   */
  updateDatasetItem?: Maybe<DatasetItem>;
  /** Changes a participant. Omitted fields keep their stored values; null metadata empties it. */
  updateParticipant?: Maybe<Participant>;
  /** Replaces the split of a prompt's calls between its versions. An invalid split is rejected in the answer. */
  updatePromptLineageRollout: UpdatePromptLineageRolloutPayload;
  /** Changes a score. Fails with `NOT_FOUND` when no score has this id. */
  updateScore?: Maybe<Score>;
  /** Changes a step. Null keeps the stored value, because released clients send null for fields that they leave alone. */
  updateStep?: Maybe<Step>;
  /**
   * Updates a thread. Omitted fields keep their stored values; null clears them. Fails with `NOT_FOUND` when no thread
   * has this id.
   */
  updateThread?: Maybe<Thread>;
  /**
   * Updates a view. Omitted fields keep their stored values; null clears them. Fails with `NOT_FOUND` when no view has
   * this id.
   */
  updateView: View;
  /** Creates or updates a thread. Omitted fields keep their stored values; null clears them. */
  upsertThread?: Maybe<Thread>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationAddGenerationToDatasetArgs = {
  datasetId: Scalars['String']['input'];
  generationId: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationAddGenerationsToDatasetArgs = {
  datasetId: Scalars['String']['input'];
  generationIds: Array<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationAddStepToDatasetArgs = {
  datasetId: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
  stepId: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationAddThreadToDatasetArgs = {
  datasetId: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
  threadId: Scalars['String']['input'];
  upToStepId?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateAlertArgs = {
  comparison: AlertComparison;
  environment?: InputMaybe<Scalars['String']['input']>;
  metric: AlertMetric;
  name: Scalars['String']['input'];
  query?: InputMaybe<Scalars['String']['input']>;
  quietHours?: InputMaybe<AlertQuietHoursInput>;
  repeatMinutes?: InputMaybe<Scalars['Int']['input']>;
  subject: AlertSubject;
  threshold: Scalars['Float']['input'];
  webhookUrl: Scalars['String']['input'];
  windowMinutes: Scalars['Int']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateApiKeyArgs = {
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  name: Scalars['String']['input'];
  scopes: Array<KeyScope>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateAttachmentArgs = {
  metadata?: InputMaybe<Scalars['Json']['input']>;
  mime?: InputMaybe<Scalars['String']['input']>;
  name: Scalars['String']['input'];
  objectKey?: InputMaybe<Scalars['String']['input']>;
  stepId: Scalars['String']['input'];
  url?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateDatasetArgs = {
  description?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name: Scalars['String']['input'];
  type?: InputMaybe<DatasetType>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateDatasetExperimentArgs = {
  datasetId?: InputMaybe<Scalars['String']['input']>;
  identity?: InputMaybe<Scalars['String']['input']>;
  name: Scalars['String']['input'];
  params?: InputMaybe<Scalars['Json']['input']>;
  promptExperimentId?: InputMaybe<Scalars['String']['input']>;
  promptId?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateDatasetExperimentItemArgs = {
  cost?: InputMaybe<Scalars['Float']['input']>;
  datasetExperimentId: Scalars['String']['input'];
  datasetItemId?: InputMaybe<Scalars['String']['input']>;
  durationMs?: InputMaybe<Scalars['Float']['input']>;
  error?: InputMaybe<Scalars['String']['input']>;
  experimentRunId?: InputMaybe<Scalars['String']['input']>;
  input?: InputMaybe<Scalars['Json']['input']>;
  output?: InputMaybe<Scalars['Json']['input']>;
  scores?: InputMaybe<Array<ScoreInput>>;
  tokens?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateDatasetExperimentItemsArgs = {
  datasetExperimentId: Scalars['String']['input'];
  holder: Scalars['String']['input'];
  items: Array<ExperimentResultInput>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateDatasetItemArgs = {
  datasetId: Scalars['String']['input'];
  expectedOutput?: InputMaybe<Scalars['Json']['input']>;
  generationId?: InputMaybe<Scalars['String']['input']>;
  input: Scalars['Json']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateGenerationArgs = {
  generation: GenerationPayloadInput;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateJudgementsArgs = {
  holder: Scalars['String']['input'];
  judgeId: Scalars['String']['input'];
  judgements: Array<JudgementInput>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateParticipantArgs = {
  identifier: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreatePromptExperimentArgs = {
  fromLineageId?: InputMaybe<Scalars['String']['input']>;
  fromVersion?: InputMaybe<Scalars['Int']['input']>;
  scoreTemplateId?: InputMaybe<Scalars['String']['input']>;
  settings?: InputMaybe<Scalars['Json']['input']>;
  templateMessages?: InputMaybe<Scalars['Json']['input']>;
  tools?: InputMaybe<Scalars['Json']['input']>;
  variables?: InputMaybe<Scalars['Json']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreatePromptLineageArgs = {
  description?: InputMaybe<Scalars['String']['input']>;
  name: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreatePromptVersionArgs = {
  lineageId: Scalars['String']['input'];
  settings?: InputMaybe<Scalars['Json']['input']>;
  templateMessages?: InputMaybe<Scalars['Json']['input']>;
  tools?: InputMaybe<Scalars['Json']['input']>;
  variables?: InputMaybe<Scalars['Json']['input']>;
  variablesDefaultValues?: InputMaybe<Scalars['Json']['input']>;
  versionDesc?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateScoreArgs = {
  comment?: InputMaybe<Scalars['String']['input']>;
  datasetExperimentItemId?: InputMaybe<Scalars['String']['input']>;
  generationId?: InputMaybe<Scalars['String']['input']>;
  label?: InputMaybe<Scalars['String']['input']>;
  name: Scalars['String']['input'];
  scorer?: InputMaybe<Scalars['String']['input']>;
  stepId?: InputMaybe<Scalars['String']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  threadId?: InputMaybe<Scalars['String']['input']>;
  type: ScoreType;
  value?: InputMaybe<Scalars['Float']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateScoresArgs = {
  scores: Array<ScoreInput>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateStepArgs = {
  endTime?: InputMaybe<Scalars['DateTime']['input']>;
  input?: InputMaybe<Scalars['Json']['input']>;
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  output?: InputMaybe<Scalars['Json']['input']>;
  parentId?: InputMaybe<Scalars['String']['input']>;
  rootRunId?: InputMaybe<Scalars['String']['input']>;
  startTime?: InputMaybe<Scalars['DateTime']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  threadId?: InputMaybe<Scalars['String']['input']>;
  type?: InputMaybe<StepType>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateThreadArgs = {
  environment?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  participantId?: InputMaybe<Scalars['String']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationCreateViewArgs = {
  chart?: InputMaybe<ChartSettingsInput>;
  columns?: InputMaybe<Array<Scalars['String']['input']>>;
  environment?: InputMaybe<Scalars['String']['input']>;
  isDefault?: InputMaybe<Scalars['Boolean']['input']>;
  name: Scalars['String']['input'];
  orderColumn?: InputMaybe<Scalars['String']['input']>;
  orderDirection?: InputMaybe<OrderDirection>;
  query: Scalars['String']['input'];
  range?: InputMaybe<Scalars['String']['input']>;
  subject: ViewSubject;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteAlertArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteAttachmentArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteDatasetArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteDatasetExperimentArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteDatasetItemArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteModelEndpointArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteParticipantArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteParticipantDataArgs = {
  copies?: InputMaybe<Scalars['Boolean']['input']>;
  dryRun?: InputMaybe<Scalars['Boolean']['input']>;
  identifier: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeletePriceArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteScoreArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteScoreDefinitionArgs = {
  name: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteStepArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteThreadArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationDeleteViewArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationEndDatasetExperimentArgs = {
  id: Scalars['String']['input'];
  problem?: InputMaybe<Scalars['String']['input']>;
  status: ExperimentStatus;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationIngestStepArgs = {
  attachments?: InputMaybe<Array<AttachmentPayloadInput>>;
  endTime?: InputMaybe<Scalars['DateTime']['input']>;
  error?: InputMaybe<Scalars['String']['input']>;
  generation?: InputMaybe<GenerationPayloadInput>;
  id: Scalars['String']['input'];
  input?: InputMaybe<Scalars['Json']['input']>;
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  output?: InputMaybe<Scalars['Json']['input']>;
  parentId?: InputMaybe<Scalars['String']['input']>;
  rootRunId?: InputMaybe<Scalars['String']['input']>;
  scores?: InputMaybe<Array<ScorePayloadInput>>;
  startTime?: InputMaybe<Scalars['DateTime']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  threadId?: InputMaybe<Scalars['String']['input']>;
  type?: InputMaybe<StepType>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationIngestStepsArgs = {
  session?: InputMaybe<SessionInput>;
  steps: Array<StepInput>;
  threads?: InputMaybe<Array<ThreadInput>>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationLeaseDatasetExperimentItemsArgs = {
  datasetExperimentId: Scalars['String']['input'];
  holder: Scalars['String']['input'];
  items: Array<ExperimentPlaceInput>;
  seconds: Scalars['Int']['input'];
  takeOver?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationLeaseJudgementsArgs = {
  first: Scalars['Int']['input'];
  holder: Scalars['String']['input'];
  holding?: InputMaybe<Array<Scalars['String']['input']>>;
  judge: JudgeInput;
  seconds: Scalars['Int']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationPromotePromptVersionArgs = {
  lineageId: Scalars['String']['input'];
  version: Scalars['Int']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationRemovePromptLabelArgs = {
  label: Scalars['String']['input'];
  name: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationRetryDatasetExperimentItemsArgs = {
  datasetExperimentId: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationRevokeApiKeyArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationRotateAlertSecretArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationSetConversationEndArgs = {
  idleMinutes?: InputMaybe<Scalars['Int']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  toolNames?: InputMaybe<Array<Scalars['String']['input']>>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationSetModelEndpointArgs = {
  baseUrl: Scalars['String']['input'];
  id?: InputMaybe<Scalars['String']['input']>;
  key?: InputMaybe<Scalars['String']['input']>;
  model: Scalars['String']['input'];
  name: Scalars['String']['input'];
  protocol: ModelProtocol;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationSetPricesArgs = {
  prices: Array<PriceInput>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationSetPromptLabelArgs = {
  label: Scalars['String']['input'];
  name: Scalars['String']['input'];
  version: Scalars['Int']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationSetRetentionArgs = {
  keep?: InputMaybe<Array<RetentionException>>;
  keepMetrics?: InputMaybe<Scalars['Boolean']['input']>;
  rules: Array<RetentionRuleInput>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationSetScoreDefinitionArgs = {
  better?: InputMaybe<ScoreDirection>;
  description?: InputMaybe<Scalars['String']['input']>;
  isEnforced?: InputMaybe<Scalars['Boolean']['input']>;
  kind?: InputMaybe<ScoreKind>;
  labels?: InputMaybe<Array<ScoreLabelInput>>;
  max?: InputMaybe<Scalars['Float']['input']>;
  min?: InputMaybe<Scalars['Float']['input']>;
  name: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationTestAlertArgs = {
  id: Scalars['String']['input'];
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateAlertArgs = {
  comparison?: InputMaybe<AlertComparison>;
  environment?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['String']['input'];
  isPaused?: InputMaybe<Scalars['Boolean']['input']>;
  metric?: InputMaybe<AlertMetric>;
  name?: InputMaybe<Scalars['String']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  quietHours?: InputMaybe<AlertQuietHoursInput>;
  repeatMinutes?: InputMaybe<Scalars['Int']['input']>;
  subject?: InputMaybe<AlertSubject>;
  threshold?: InputMaybe<Scalars['Float']['input']>;
  webhookUrl?: InputMaybe<Scalars['String']['input']>;
  windowMinutes?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateAttachmentArgs = {
  id: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
  mime?: InputMaybe<Scalars['String']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  objectKey?: InputMaybe<Scalars['String']['input']>;
  projectId?: InputMaybe<Scalars['String']['input']>;
  url?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateDatasetArgs = {
  description?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateDatasetItemArgs = {
  expectedOutput?: InputMaybe<Scalars['Json']['input']>;
  id: Scalars['String']['input'];
  input?: InputMaybe<Scalars['Json']['input']>;
  metadata?: InputMaybe<Scalars['Json']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateParticipantArgs = {
  id: Scalars['String']['input'];
  identifier?: InputMaybe<Scalars['String']['input']>;
  metadata?: InputMaybe<Scalars['Json']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdatePromptLineageRolloutArgs = {
  name: Scalars['String']['input'];
  projectId?: InputMaybe<Scalars['String']['input']>;
  rollouts: Array<PromptVersionRolloutInput>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateScoreArgs = {
  comment?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['String']['input'];
  label?: InputMaybe<Scalars['String']['input']>;
  value?: InputMaybe<Scalars['Float']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateStepArgs = {
  endTime?: InputMaybe<Scalars['DateTime']['input']>;
  id: Scalars['String']['input'];
  input?: InputMaybe<Scalars['Json']['input']>;
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  output?: InputMaybe<Scalars['Json']['input']>;
  parentId?: InputMaybe<Scalars['String']['input']>;
  startTime?: InputMaybe<Scalars['DateTime']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  type?: InputMaybe<StepType>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateThreadArgs = {
  environment?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  participantId?: InputMaybe<Scalars['String']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpdateViewArgs = {
  chart?: InputMaybe<ChartSettingsInput>;
  columns?: InputMaybe<Array<Scalars['String']['input']>>;
  environment?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['String']['input'];
  isDefault?: InputMaybe<Scalars['Boolean']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  orderColumn?: InputMaybe<Scalars['String']['input']>;
  orderDirection?: InputMaybe<OrderDirection>;
  position?: InputMaybe<Scalars['Float']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  range?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Writes. Every field is limited to the project of the API key. The fields of a document run one after another, except
 * that all steps of one document are stored together.
 */
export type MutationUpsertThreadArgs = {
  environment?: InputMaybe<Scalars['String']['input']>;
  id: Scalars['String']['input'];
  metadata?: InputMaybe<Scalars['Json']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  participantId?: InputMaybe<Scalars['String']['input']>;
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** The direction of an order. Rows without a value come last in `DESC` and first in `ASC`; ties are settled by id. */
export type OrderDirection =
  /** Smallest or oldest first. */
  | 'ASC'
  /** Largest or newest first. */
  | 'DESC';

/**
 * The structure of a thread, or of the run below one step, without inputs and outputs. A tree of any size can be drawn
 * from it, and contents read on demand. Each member costs only its own work: `revision` alone is cheap.
 */
export type Outline = {
  /**
   * The steps that changed since they were read before, so that a thread that goes on is not sent again as a whole.
   *
   * Null when more than 50,000 steps changed or moved, when the first start is another one, or when the service does not
   * have the former steps any more, which it keeps for a minute: read `skeleton` then.
   *
   * The columns are those of `skeleton`, of changed and new steps alone, in pre-order. `runs` tells where they belong:
   * pairs of a place and a number of steps, which together are all steps in pre-order.
   *
   * From a place of 0 or more, that many steps follow as they were there before: their `type` and `name` are indexes of
   * the lists of before. After -1, the next steps of the columns follow.
   */
  changes?: Maybe<Scalars['Json']['output']>;
  /** End of the last step, by the clients' clocks; null when no step has a time. */
  endedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Number of steps that failed, by their own error or that of their generation. */
  errorCount: Scalars['Int']['output'];
  /** False when it may have more steps than `first` let it read: everything here is of those that were read. */
  isWhole: Scalars['Boolean']['output'];
  /**
   * The ids of the steps whose contents have a text (case-insensitive), in pre-order: names, inputs, outputs, errors, and
   * what a model was sent and answered, as JSON text, keys included.
   *
   * Of more than `first`, those that started first. The search ends after 10 seconds by default.
   */
  matches: Array<Scalars['String']['output']>;
  /** The longest path from a root to a step: 1 when no step has a parent, 0 without steps. */
  maxDepth: Scalars['Int']['output'];
  /** The names of steps, each once, most frequent first. `skeleton` refers to them by their index. */
  names: Array<Scalars['String']['output']>;
  /** Changes when anything else in the outline does. Select it alone to learn whether a copy is stale. */
  revision: Scalars['String']['output'];
  /** Number of steps with a start and no end, messages aside. */
  runningCount: Scalars['Int']['output'];
  /**
   * The steps as an object of columns: lists of one length, about 95 bytes a step. The order is pre-order: a parent
   * before its children, siblings by start, arrival and id.
   *
   * The columns are `id`; `depth`, from 0; `type`, an index of `types`; `name`, an index of `names`, or -1 without a
   * name; `start`, in milliseconds since `startedAt`; `duration` and `firstToken`, in milliseconds; `tokens`; `cost`, of
   * the generation alone in US dollars; `flags`.
   *
   * `flags` is the sum of the numbers of the step's flags (`OutlineFlag`). Values that were not recorded are null.
   */
  skeleton: Scalars['Json']['output'];
  /** Names the steps as they were read, for `changes`. */
  snapshot: Scalars['String']['output'];
  /** Start of the first step, by the clients' clocks; null when no step has a time. */
  startedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Number of steps. */
  stepCount: Scalars['Int']['output'];
  /** The types of steps, each once, most frequent first. `skeleton` refers to them by their index. */
  types: Array<StepType>;
};


/**
 * The structure of a thread, or of the run below one step, without inputs and outputs. A tree of any size can be drawn
 * from it, and contents read on demand. Each member costs only its own work: `revision` alone is cheap.
 */
export type OutlineChangesArgs = {
  since: Scalars['String']['input'];
};


/**
 * The structure of a thread, or of the run below one step, without inputs and outputs. A tree of any size can be drawn
 * from it, and contents read on demand. Each member costs only its own work: `revision` alone is cheap.
 */
export type OutlineMatchesArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  text: Scalars['String']['input'];
};


/**
 * The structure of a thread, or of the run below one step, without inputs and outputs. A tree of any size can be drawn
 * from it, and contents read on demand. Each member costs only its own work: `revision` alone is cheap.
 */
export type OutlineSkeletonArgs = {
  count?: InputMaybe<Scalars['Int']['input']>;
  from?: InputMaybe<Scalars['Int']['input']>;
};

/** The flags of a step in an outline, each with its number in the column `flags`. */
export type OutlineFlag =
  /** The parents of the step form a circle, which is cut here. */
  | 'CIRCLE'
  /** The step or its generation has an error. */
  | 'FAILED'
  /** The step is a generation. */
  | 'GENERATION'
  /** The step names a parent that was never received. */
  | 'PARENT_MISSING'
  /** The step has a start and no end, and is no message. */
  | 'RUNNING'
  /** The step is a generation, and some part of it has no price: its cost is at least the known one. */
  | 'UNPRICED';

/** The place of a page in its list. */
export type PageInfo = {
  /** Cursor of the last row of the page, for `after`; null when the page is empty. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** True when rows follow the last one in the order of the list. */
  hasNextPage: Scalars['Boolean']['output'];
  /** True when rows precede the first one in the order of the list. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first row of the page; null when the page is empty. */
  startCursor?: Maybe<Scalars['String']['output']>;
};

/** A user of the application: the person in a thread. */
export type Participant = {
  /** Cost in dollars of all generations in the user's threads; null when none has a price. */
  cost?: Maybe<Scalars['Float']['output']>;
  /** When the user was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Number of steps in the user's threads that failed. */
  errorCount?: Maybe<Scalars['Int']['output']>;
  /** The earliest start of a thread of the user, or its arrival when its steps told none; null before the first thread. */
  firstEngaged?: Maybe<Scalars['DateTime']['output']>;
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** Chosen by the client, unique in the project: a user name or an e-mail address, for example. */
  identifier: Scalars['String']['output'];
  /**
   * The latest start of a thread of the user, or start or end of a step in one, whichever is later. Those that told none
   * count by their arrival. Null before the first thread.
   */
  lastEngaged?: Maybe<Scalars['DateTime']['output']>;
  /** Metadata that the application recorded about the user: an object, empty when there is none. */
  metadata: Scalars['Json']['output'];
  /** Number of the user's threads. */
  threadCount?: Maybe<Scalars['Int']['output']>;
  /** Tokens of all generations in the user's threads. */
  tokenCount?: Maybe<Scalars['Int']['output']>;
  /** Number of these generations of which some part has no price, and so is not in the cost. */
  unpricedCount?: Maybe<Scalars['Int']['output']>;
};

/** A page of participants. */
export type ParticipantConnection = {
  /** The rows, in the order of the list. */
  edges: Array<ParticipantEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of matching rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of participants. */
export type ParticipantEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Participant;
};

/** An order of participants. Default: newest first. Participants of equal values come in the order of their ids. */
export type ParticipantsOrderByInput = {
  /** The column to order by: one that `@orderable` names. */
  column: Scalars['String']['input'];
  /** The direction. */
  direction: OrderDirection;
};

/** The prices of a model for a time. */
export type Price = {
  /** The day up to which it is known to hold, as in `2025-11-30`; null for a price of the project. */
  asOf?: Maybe<Scalars['String']['output']>;
  /** The first moment at which it holds, for calls by their own start. */
  from: Scalars['DateTime']['output'];
  /** The id of a price of the project; null for one of the book. */
  id?: Maybe<Scalars['String']['output']>;
  /** The names of the model that it holds for. */
  models: Array<Scalars['String']['output']>;
  /** The provider; null for a price of the project that holds for any. */
  provider?: Maybe<Scalars['String']['output']>;
  /** The plain prices. */
  rates: PriceRates;
  /** The provider's page of prices; null for a price of the project. */
  source?: Maybe<Scalars['String']['output']>;
  /** Prices that hold instead for large inputs and for service tiers. */
  tiers: Array<PriceTier>;
  /** The moment from which on it holds no more; null when there is none yet. */
  until?: Maybe<Scalars['DateTime']['output']>;
};

/** The prices that were made known with the service. */
export type PriceBook = {
  /** Its age in days. */
  ageDays: Scalars['Int']['output'];
  /** The day of its prices, as in `2025-11-30`. */
  asOf: Scalars['String']['output'];
  /** True when it is older than 60 days: prices have probably changed since. */
  isOld: Scalars['Boolean']['output'];
  /** Its prices, by provider and model. */
  prices: Array<Price>;
};

/** A price of the project. It replaces the one of the same model, provider and first moment. */
export type PriceInput = {
  /** `USD`, which is also the default: no other currency is converted. */
  currency?: InputMaybe<Scalars['String']['input']>;
  /** The first moment at which it holds. Default: 1970. */
  from?: InputMaybe<Scalars['DateTime']['input']>;
  /** The model's name, exactly as calls record it, regardless of case. */
  model: Scalars['String']['input'];
  /** The provider's name, exactly as calls record it. Default: any. */
  provider?: InputMaybe<Scalars['String']['input']>;
  /** The plain prices. */
  rates: PriceRatesInput;
  /** Prices that hold instead for large inputs and for service tiers, at most 20. */
  tiers?: InputMaybe<Array<PriceTierInput>>;
  /** The moment from which on it holds no more. Default: none. */
  until?: InputMaybe<Scalars['DateTime']['input']>;
};

/** Prices of tokens, in dollars per million. A part without one is not priced; reasoning then costs as much as output. */
export type PriceRates = {
  /** Tokens in of sound. */
  audioInput?: Maybe<Scalars['Float']['output']>;
  /** Tokens out of sound. */
  audioOutput?: Maybe<Scalars['Float']['output']>;
  /** Tokens in that were written to a cache, for a time that the provider did not say. */
  cacheWrite?: Maybe<Scalars['Float']['output']>;
  /** Tokens in that were written to a cache for an hour. */
  cacheWrite1h?: Maybe<Scalars['Float']['output']>;
  /** Tokens in that were written to a cache for five minutes. */
  cacheWrite5m?: Maybe<Scalars['Float']['output']>;
  /** Tokens in that came from a cache. */
  cached?: Maybe<Scalars['Float']['output']>;
  /** Tokens in of images. */
  imageInput?: Maybe<Scalars['Float']['output']>;
  /** Tokens out of images. */
  imageOutput?: Maybe<Scalars['Float']['output']>;
  /** Tokens in that are in none of the other parts. */
  input?: Maybe<Scalars['Float']['output']>;
  /** Tokens out that are in none of the other parts. */
  output?: Maybe<Scalars['Float']['output']>;
  /** Tokens out of reasoning. */
  reasoning?: Maybe<Scalars['Float']['output']>;
};

/** Prices of tokens, in dollars per million, with at most six decimal places. Omit a part that has none. */
export type PriceRatesInput = {
  /** Tokens in of sound. */
  audioInput?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens out of sound. */
  audioOutput?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens in that were written to a cache, for a time that the provider did not say. */
  cacheWrite?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens in that were written to a cache for an hour. */
  cacheWrite1h?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens in that were written to a cache for five minutes. */
  cacheWrite5m?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens in that came from a cache. */
  cached?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens in of images. */
  imageInput?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens out of images. */
  imageOutput?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens in that are in none of the other parts. */
  input?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens out that are in none of the other parts. */
  output?: InputMaybe<Scalars['Float']['input']>;
  /** Tokens out of reasoning. Default: the price of output. */
  reasoning?: InputMaybe<Scalars['Float']['input']>;
};

/** Prices of some calls, instead of the plain ones. */
export type PriceTier = {
  /** For calls whose input has more tokens than these, in all of its parts. */
  aboveInputTokens?: Maybe<Scalars['Int']['output']>;
  /** The prices. */
  rates: PriceRates;
  /** For calls whose settings name this service tier. */
  serviceTier?: Maybe<Scalars['String']['output']>;
};

/** Prices of some calls, instead of the plain ones. */
export type PriceTierInput = {
  /** For calls whose input has more tokens than these, in all of its parts. */
  aboveInputTokens?: InputMaybe<Scalars['Int']['input']>;
  /** The prices. */
  rates: PriceRatesInput;
  /** For calls whose settings name this service tier. */
  serviceTier?: InputMaybe<Scalars['String']['input']>;
};

/** The project of the caller's key. */
export type Project = {
  /** The rule for the end of a conversation; null when there is none. */
  conversationEnd?: Maybe<ConversationEnd>;
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Its id, as used in links. */
  id: Scalars['String']['output'];
  /** True while nothing was ever recorded in it. */
  isEmpty: Scalars['Boolean']['output'];
  /** Its name. */
  name: Scalars['String']['output'];
  /** The scopes of the caller's key. */
  scopes: Array<KeyScope>;
  /** The place of the service's data; null without the scope `admin`. */
  storage?: Maybe<Storage>;
};

/** A prompt for experiments that is no version of a prompt. */
export type PromptExperiment = {
  /** The lineage that it varies; null when there is none. */
  fromLineageId?: Maybe<Scalars['String']['output']>;
  /** The version that it started from; null when not recorded. */
  fromVersion?: Maybe<Scalars['Int']['output']>;
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** The project that it belongs to. */
  projectId?: Maybe<Scalars['String']['output']>;
  /** Always null: keys belong to projects, not to people. */
  projectUserId?: Maybe<Scalars['String']['output']>;
  /** Stored unchanged. */
  scoreTemplateId?: Maybe<Scalars['String']['output']>;
  /** Model, temperature and other settings; an object or null. */
  settings?: Maybe<Scalars['Json']['output']>;
  /** Messages with Mustache tags. */
  templateMessages?: Maybe<Scalars['Json']['output']>;
  /** The tools to offer to the model; a list or null. */
  tools?: Maybe<Scalars['Json']['output']>;
  /** The template's variables, as objects with `name` and `language`. */
  variables?: Maybe<Scalars['Json']['output']>;
};

/** A name for one version of a prompt, such as `production`. It can be moved to another version. */
export type PromptLabel = {
  /** When it was moved there. */
  movedAt: Scalars['DateTime']['output'];
  /** The name of the API key that moved it. */
  movedBy: Scalars['String']['output'];
  /** Its name, unique in the prompt. */
  name: Scalars['String']['output'];
  /** The number of the version that it leads to. */
  version: Scalars['Int']['output'];
};

/** A move of a label from one version to another. */
export type PromptLabelMove = {
  /** The version that it led to before; null when it was new. */
  fromVersion?: Maybe<Scalars['Int']['output']>;
  /** The label's name. */
  label: Scalars['String']['output'];
  /** When it was moved. */
  movedAt: Scalars['DateTime']['output'];
  /** The name of the API key that moved it. */
  movedBy: Scalars['String']['output'];
  /** The version that it led to afterwards; null when it was removed. */
  toVersion?: Maybe<Scalars['Int']['output']>;
};

/** A named prompt with its history. */
export type PromptLineage = {
  /**
   * The id of the version with the largest share of calls, the lowest of several; null when the prompt has no version.
   * Literal AI clients up to 0.0.608 use one such version instead of a split.
   */
  championId?: Maybe<Scalars['String']['output']>;
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** When it was deleted; null while it exists. */
  deletedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Its purpose; null when not given. */
  description?: Maybe<Scalars['String']['output']>;
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** The newest 100 moves of its labels, newest first. */
  labelMoves: Array<PromptLabelMove>;
  /** Its labels, by name. Each leads to one version, whatever the split. */
  labels: Array<PromptLabel>;
  /** Unique in the project. */
  name: Scalars['String']['output'];
  /** The split of its calls between its versions, by version. */
  rollouts: Array<PromptVersionRollout>;
  /** Its versions, newest first. */
  versions: Array<PromptVersion>;
};

/** The prompts of a project. */
export type PromptLineageConnection = {
  /** One row per prompt, by name. */
  edges: Array<PromptLineageEdge>;
  /** All rows are on the one page. */
  pageInfo: PageInfo;
  /** Number of rows. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a list of prompts. */
export type PromptLineageEdge = {
  /** The row's cursor. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: PromptLineage;
};

/** Everything that a client needs to draw versions of a prompt by itself, as the service does. */
export type PromptRollout = {
  /** The versions that have a label but no segment, by number. */
  labelledVersions: Array<PromptVersion>;
  /** The prompt's labels, by name. */
  labels: Array<PromptLabel>;
  /** The prompt. */
  lineage: PromptLineage;
  /**
   * The millionths from 0 to 1,000,000 in order, each assigned to a version. A new split moves no more of them than
   * the new weights require, so that a key keeps its version where possible.
   */
  segments: Array<PromptSegment>;
  /** The versions that have a segment, by number. */
  versions: Array<PromptVersion>;
};

/** A range of millionths that one version has. */
export type PromptSegment = {
  /** The first millionth. */
  from: Scalars['Int']['output'];
  /** The first millionth after the range. */
  to: Scalars['Int']['output'];
  /** The version. */
  version: Scalars['Int']['output'];
};

/** Figures about the generations of a prompt version. */
export type PromptUse = {
  /** Number of them that failed. */
  errorCount: Scalars['Int']['output'];
  /** Number of them. */
  generationCount: Scalars['Int']['output'];
  /** Their mean duration, in seconds; null when unknown. */
  meanDuration?: Maybe<Scalars['Float']['output']>;
  /** Their mean number of tokens; null when unknown. */
  meanTokens?: Maybe<Scalars['Float']['output']>;
  /** Their scores, summarised by name. */
  scores: Array<ScoreSummary>;
};

/** One version of a prompt. It never changes. */
export type PromptVersion = {
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Chosen by the service. */
  id: Scalars['String']['output'];
  /** Always null: a version never changes, but labels move. The lineage has them. */
  label?: Maybe<Scalars['String']['output']>;
  /** The prompt that it is a version of. */
  lineage: PromptLineage;
  /** Model, temperature and other settings, and the `provider`; an object or null. */
  settings?: Maybe<Scalars['Json']['output']>;
  /** Its state; null when it has none. */
  status?: Maybe<Scalars['String']['output']>;
  /** Tags. */
  tags: Array<Scalars['String']['output']>;
  /** Messages with Mustache tags, each with a `uuid` that identifies it once it is formatted. */
  templateMessages: Scalars['Json']['output'];
  /** The tools to offer to the model; a list or null. */
  tools?: Maybe<Scalars['Json']['output']>;
  /** `CHAT`: every template is a list of messages. */
  type: GenerationType;
  /** The same as `createdAt`, because a version never changes. */
  updatedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Its page in the web UI. */
  url?: Maybe<Scalars['String']['output']>;
  /** Figures about its newest 10,000 generations. */
  use: PromptUse;
  /**
   * The template's variables, as objects with `name` and `language`: `json` for a variable that is a list, an object
   * or a condition, `plaintext` for one that is printed.
   */
  variables: Scalars['Json']['output'];
  /** Defaults of omitted variables; an object. */
  variablesDefaultValues?: Maybe<Scalars['Json']['output']>;
  /** The number of the version in its lineage, from 0. */
  version: Scalars['Int']['output'];
  /** The change in this version, in words; null when not given. */
  versionDesc?: Maybe<Scalars['String']['output']>;
};


/** One version of a prompt. It never changes. */
export type PromptVersionUseArgs = {
  since?: InputMaybe<Scalars['DateTime']['input']>;
};

/** The share of a prompt's calls that one of its versions gets. */
export type PromptVersionRollout = {
  /** Its weight: its share of the sum of all weights is its probability, so that percentages and fractions both work. */
  rollout: Scalars['Float']['output'];
  /** The version. */
  version: Scalars['Int']['output'];
};

/** The split of a prompt's calls between its versions. */
export type PromptVersionRolloutConnection = {
  /** One row per version that has a weight, by version. */
  edges: Array<PromptVersionRolloutEdge>;
  /** All rows are on the one page. */
  pageInfo: PageInfo;
  /** Number of rows. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a split. */
export type PromptVersionRolloutEdge = {
  /** The row's cursor. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: PromptVersionRollout;
};

/** The weight of a version. */
export type PromptVersionRolloutInput = {
  /** Its weight, 0 or more. At least one weight of a split is above 0. */
  rollout: Scalars['Float']['input'];
  /** A version of the prompt. */
  version: Scalars['Int']['input'];
};

/** Reads. Every field is limited to the project of the API key. */
export type Query = {
  /** The history of an alert, newest first. The newest 200 events of an alert are kept. Empty when no alert has this id. */
  alertEvents: Array<AlertEvent>;
  /** The alerts of the project, by name. */
  alerts: Array<Alert>;
  /** The keys of the project, oldest first, including revoked ones. Needs a key with the scope `admin`. */
  apiKeys: Array<ApiKey>;
  /** The attachment with this id; null when there is none. */
  attachment?: Maybe<Attachment>;
  /** Lists who did what in the project, newest first. Needs a key with the scope `admin`. */
  auditEntries: AuditEntryConnection;
  /** The dataset with this id or name; the id wins. Null when there is none. */
  dataset?: Maybe<Dataset>;
  /** The experiment with this id; null when there is none. */
  datasetExperiment?: Maybe<DatasetExperiment>;
  /** Lists experiments, newest first. */
  datasetExperiments: DatasetExperimentConnection;
  /** The item with this id; null when there is none. */
  datasetItem?: Maybe<DatasetItem>;
  /** Lists datasets, newest first. */
  datasets: DatasetConnection;
  /** The values of a field among the newest rows, most frequent first. */
  facets: Array<Facet>;
  /** Lists generations, newest first, of steps of every type. */
  generations: GenerationConnection;
  /**
   * Lists the steps, or threads for a judge of threads, that a person and a judge have judged by the same name: those of
   * the latest 2,000 scores by people.
   */
  judgementPairs: Array<JudgementPair>;
  /** Lists the judges of live traffic, those that were active last first; at most 200. */
  judges: Array<Judge>;
  /**
   * Counts, errors, percentiles, tokens and mean scores over time. Rows that told no start count by their arrival.
   *
   * Counts and sums are exact. Percentiles of ranges with more than 10,000 rows are within 1 % of the exact value.
   *
   * Long ranges are put together from spans that were measured ahead.
   *
   * Fails with `TOO_LARGE` when more rows have to be read than a search may: those of recent minutes, of parts of hours, and
   * all rows for users, scores, and queries other than one value of a property.
   * Default limits: 1,000,000 rows, and 100,000 for scores.
   */
  metrics: Metrics;
  /** The models that prompts are tried with, by name. */
  modelEndpoints: Array<ModelEndpoint>;
  /**
   * The outline of a thread, or of a step with everything below it, with or without a thread. Exactly one of the two
   * arguments is required. Null when there is no such thread or step.
   */
  outline?: Maybe<Outline>;
  /** The participant with this id or identifier; the id wins. Null when there is none. */
  participant?: Maybe<Participant>;
  /** Lists participants, newest first. */
  participants: ParticipantConnection;
  /** The price book of the service. */
  priceBook: PriceBook;
  /** Lists the prices of the project, by model. They come before those of the book. */
  prices: Array<Price>;
  /** The project of the API key. */
  project: Project;
  /** The prompt with this name, even a deleted one; null when there is none. */
  promptLineage?: Maybe<PromptLineage>;
  /**
   * The split of a prompt's calls between its versions. Until it is first set, version 0 gets all of them. Empty when
   * no prompt has this name.
   */
  promptLineageRollout: PromptVersionRolloutConnection;
  /** All prompts of the project, by name, without deleted ones. */
  promptLineages: PromptLineageConnection;
  /** The data by which a client draws versions of a prompt without further requests. Null when no prompt has this name. */
  promptRollout?: Maybe<PromptRollout>;
  /**
   * A version of a prompt: the one with this id, or the one with this name and number or label. For a name alone, one
   * version is drawn by the prompt's split. The id wins. Null when there is none.
   *
   * An unknown label is an error that lists the prompt's labels.
   */
  promptVersion?: Maybe<PromptVersion>;
  /** The last run of `reprice`; null when there was none. */
  repricing?: Maybe<Repricing>;
  /** The rules for the age of the project's data. */
  retention: Retention;
  /** The number of threads and steps that some rules would delete now. Deletes nothing. */
  retentionPreview: RetentionPreview;
  /** The definitions of scores, by name. Scores without a definition are not listed. */
  scoreDefinitions: Array<ScoreDefinition>;
  /** Lists scores, newest first. */
  scores: ScoreConnection;
  /** The session with this id; null when no step of it was ever received. */
  session?: Maybe<ClientSession>;
  /** The step with this id; null when there is none. */
  step?: Maybe<Step>;
  /** Lists steps, newest first. */
  steps: StepConnection;
  /** The steps with these ids, in the order of the ids; null for an unknown id. */
  stepsById: Array<Maybe<Step>>;
  /** The thread with this id, with all its steps; null when there is none. */
  threadDetail?: Maybe<Thread>;
  /** Lists threads, newest first, including those without steps. */
  threads: ThreadConnection;
  /** The views of the project, by name; charts by their position. */
  views: Array<View>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryAlertEventsArgs = {
  alertId: Scalars['String']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryAttachmentArgs = {
  id: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryAuditEntriesArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  filters?: InputMaybe<Array<AuditEntriesInputType>>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<AuditEntriesOrderByInput>;
  skip?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryDatasetArgs = {
  id?: InputMaybe<Scalars['String']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryDatasetExperimentArgs = {
  id: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryDatasetExperimentsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  datasetId?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryDatasetItemArgs = {
  id: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryDatasetsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  cursorAnchor?: InputMaybe<Scalars['DateTime']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  projectId?: InputMaybe<Scalars['String']['input']>;
  skip?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryFacetsArgs = {
  field: FacetField;
  first?: InputMaybe<Scalars['Int']['input']>;
  prefix?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryGenerationsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  cursorAnchor?: InputMaybe<Scalars['DateTime']['input']>;
  filters?: InputMaybe<Array<GenerationsInputType>>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<GenerationsOrderByInput>;
  projectId?: InputMaybe<Scalars['String']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  skip?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryJudgementPairsArgs = {
  judgeId: Scalars['String']['input'];
  name: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryMetricsArgs = {
  buckets?: InputMaybe<Scalars['Int']['input']>;
  by?: InputMaybe<MetricDimension>;
  environment?: InputMaybe<Scalars['String']['input']>;
  excludeExperiments?: InputMaybe<Scalars['Boolean']['input']>;
  from: Scalars['DateTime']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  participantId?: InputMaybe<Scalars['String']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  subject: MetricSubject;
  to: Scalars['DateTime']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryOutlineArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  revision?: InputMaybe<Scalars['String']['input']>;
  rootStepId?: InputMaybe<Scalars['String']['input']>;
  threadId?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryParticipantArgs = {
  id?: InputMaybe<Scalars['String']['input']>;
  identifier?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryParticipantsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  cursorAnchor?: InputMaybe<Scalars['DateTime']['input']>;
  filters?: InputMaybe<Array<ParticipantsInputType>>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ParticipantsOrderByInput>;
  projectId?: InputMaybe<Scalars['String']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  skip?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryPromptLineageArgs = {
  name: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryPromptLineageRolloutArgs = {
  lineageName: Scalars['String']['input'];
  projectId?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryPromptRolloutArgs = {
  name: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryPromptVersionArgs = {
  id?: InputMaybe<Scalars['String']['input']>;
  label?: InputMaybe<Scalars['String']['input']>;
  name?: InputMaybe<Scalars['String']['input']>;
  version?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryRetentionPreviewArgs = {
  keep?: InputMaybe<Array<RetentionException>>;
  rules: Array<RetentionRuleInput>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryScoresArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  cursorAnchor?: InputMaybe<Scalars['DateTime']['input']>;
  filters?: InputMaybe<Array<ScoresInputType>>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ScoresOrderByInput>;
  projectId?: InputMaybe<Scalars['String']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  skip?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QuerySessionArgs = {
  id: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryStepArgs = {
  id: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryStepsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  cursorAnchor?: InputMaybe<Scalars['DateTime']['input']>;
  filters?: InputMaybe<Array<StepsInputType>>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<StepsOrderByInput>;
  projectId?: InputMaybe<Scalars['String']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  skip?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryStepsByIdArgs = {
  ids: Array<Scalars['String']['input']>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryThreadDetailArgs = {
  id: Scalars['String']['input'];
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryThreadsArgs = {
  after?: InputMaybe<Scalars['ID']['input']>;
  before?: InputMaybe<Scalars['ID']['input']>;
  cursorAnchor?: InputMaybe<Scalars['DateTime']['input']>;
  filters?: InputMaybe<Array<ThreadsInputType>>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<ThreadsOrderByInput>;
  projectId?: InputMaybe<Scalars['String']['input']>;
  query?: InputMaybe<Scalars['String']['input']>;
  skip?: InputMaybe<Scalars['Int']['input']>;
  stepTypesToKeep?: InputMaybe<Array<StepType>>;
};


/** Reads. Every field is limited to the project of the API key. */
export type QueryViewsArgs = {
  subject?: InputMaybe<ViewSubject>;
};

/** A score that was not stored with its result: it does not fit the definition of its name. */
export type RefusedResultScore = {
  /** The reason as a code. */
  code: ErrorCode;
  /** Its index among the scores of the result, from 0. */
  index: Scalars['Int']['output'];
  /** The reason: the field and the expected value. */
  message: Scalars['String']['output'];
  /** The name of the judgement. */
  name: Scalars['String']['output'];
  /** The index of its result, from 0. */
  resultIndex: Scalars['Int']['output'];
};

/** A score that was not stored with its step or thread: it does not fit the definition of its name. */
export type RefusedScore = {
  /** The reason as a code. */
  code: ErrorCode;
  /** Its index among the scores of the step or thread, from 0. */
  index: Scalars['Int']['output'];
  /** The reason: the field and the expected value. */
  message: Scalars['String']['output'];
  /** The name of the judgement. */
  name: Scalars['String']['output'];
  /** The index of its step in the batch, from 0; null for a score of a thread. */
  stepIndex?: Maybe<Scalars['Int']['output']>;
  /** The index of its thread in the batch, from 0; null for a score of a step. */
  threadIndex?: Maybe<Scalars['Int']['output']>;
};

/** A step that was not stored. */
export type RefusedStep = {
  /** The reason as a code. `UNAVAILABLE` and `INTERNAL` are temporary: the step may be sent again unchanged. */
  code: ErrorCode;
  /** Its id; null when it had no readable one. */
  id?: Maybe<Scalars['String']['output']>;
  /** Its index in the batch, from 0. */
  index: Scalars['Int']['output'];
  /** The reason: the field and the expected value. */
  message: Scalars['String']['output'];
};

/** A thread that was not stored. */
export type RefusedThread = {
  /** The reason as a code. */
  code: ErrorCode;
  /** Its id; null when it had no readable one. */
  id?: Maybe<Scalars['String']['output']>;
  /** Its index in the batch, from 0. */
  index: Scalars['Int']['output'];
  /** The reason: the field and the expected value. */
  message: Scalars['String']['output'];
};

/** A run of `reprice`. */
export type Repricing = {
  /** Number of calls that are priced anew so far. */
  done: Scalars['Float']['output'];
  /** When no call was left; null while it runs. */
  endedAt?: Maybe<Scalars['DateTime']['output']>;
  /** When it began. */
  startedAt: Scalars['DateTime']['output'];
  /** Number of calls that had prices of before. */
  total: Scalars['Float']['output'];
};

/**
 * The rules for the age of the project's data.
 *
 * A thread is deleted with all that is in it once its last activity and its arrival are longer ago than the days of its
 * environment. A step without a thread goes by its own start, end and arrival.
 *
 * Copies in datasets, results of experiments, prompts and users stay.
 */
export type Retention = {
  /** Number of steps that were deleted because of their age so far. */
  deletedSteps: Scalars['Float']['output'];
  /** Number of threads that were deleted because of their age so far. */
  deletedThreads: Scalars['Float']['output'];
  /** Exceptions, which are kept whatever their age. */
  keep: Array<RetentionException>;
  /** True when metrics go on to count what was deleted, by the hour. */
  keepMetrics: Scalars['Boolean']['output'];
  /** When the last of them were deleted; null when none were. */
  lastDeletedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The days of each environment; without rules, everything is kept. */
  rules: Array<RetentionRule>;
};

/** Data that is kept whatever its age. It keeps the whole of its thread, or of its run without a thread. */
export type RetentionException =
  /** Steps that were copied into a dataset. */
  | 'inDataset'
  /** Steps and threads with a score. */
  | 'scored'
  /** Steps and threads with a score by a person: of the type `HUMAN`. */
  | 'scoredByPeople';

/** The numbers of threads and steps that rules would delete now. */
export type RetentionPreview = {
  /** False when counting stopped at 10,000, or after two seconds: there may be more. */
  isComplete: Scalars['Boolean']['output'];
  /** Number of steps that are in no thread. */
  steps: Scalars['Int']['output'];
  /** Number of threads, with all that is in them. */
  threads: Scalars['Int']['output'];
};

/** The days for which the data of an environment is kept. */
export type RetentionRule = {
  /** Days after the last activity. */
  days: Scalars['Int']['output'];
  /** `dev`, `staging`, `prod` or `experiment`. Null: all environments without a rule of their own, except for `experiment`. */
  environment?: Maybe<Scalars['String']['output']>;
};

/** The days for which the data of an environment is kept. */
export type RetentionRuleInput = {
  /** Days after the last activity: 1 to 36,500. */
  days: Scalars['Int']['input'];
  /**
   * `dev`, `staging`, `prod` or `experiment`. Default: all environments without a rule of their own, except for
   * `experiment`.
   */
  environment?: InputMaybe<Scalars['String']['input']>;
};

/** The failed results that were deleted. */
export type RetryDatasetExperimentItemsPayload = {
  /** Their number, at most 1,000. When it is that, more may be left. */
  count: Scalars['Int']['output'];
};

/** A judgement of a step, of a thread or of an experiment item. */
export type Score = {
  /** The reason; null when not given. */
  comment?: Maybe<Scalars['String']['output']>;
  /** When it was given. */
  createdAt?: Maybe<Scalars['DateTime']['output']>;
  /** The judged experiment item; null when a step or a thread was judged. */
  datasetExperimentItemId?: Maybe<Scalars['String']['output']>;
  /** The place of the judged experiment item; null when a step or a thread was judged, and when it was deleted. */
  experimentItem?: Maybe<ExperimentItemPlace>;
  /**
   * The judged generation, which has its step's id; null when the score was given to a step.
   * @deprecated A generation has its step's id: use stepId.
   */
  generationId?: Maybe<Scalars['String']['output']>;
  /** Unique in the project. */
  id: Scalars['String']['output'];
  /**
   * True when the judged step is not stored: it may still arrive, or never. False for a score of an experiment item or
   * of a thread.
   */
  isStepMissing: Scalars['Boolean']['output'];
  /**
   * True when the judged thread is not stored: it may still arrive, or never. False for a score of a step or of an
   * experiment item.
   */
  isThreadMissing: Scalars['Boolean']['output'];
  /** The value as a label; null when it has none. */
  label?: Maybe<Scalars['String']['output']>;
  /** The name of the judgement, such as `user-feedback`. */
  name: Scalars['String']['output'];
  /** The project that it belongs to. */
  projectId?: Maybe<Scalars['String']['output']>;
  /** The person, program or model that judged; null when not recorded. */
  scorer?: Maybe<Scalars['String']['output']>;
  /** The judged step; null for an experiment item and for a thread, and until the step arrives. */
  step?: Maybe<Step>;
  /** The judged step; null for an experiment item and for a thread. */
  stepId?: Maybe<Scalars['String']['output']>;
  /** Tags; null when none were ever set. */
  tags?: Maybe<Array<Scalars['String']['output']>>;
  /** The judged thread; null when a step or an experiment item was judged, and until the thread arrives. */
  thread?: Maybe<Thread>;
  /** The judged thread; null when a step or an experiment item was judged. */
  threadId?: Maybe<Scalars['String']['output']>;
  /** The kind of judge. */
  type: ScoreType;
  /** When it was last changed. */
  updatedAt?: Maybe<Scalars['DateTime']['output']>;
  /** The value, in the unit that the name implies. */
  value: Scalars['Float']['output'];
};

/** A page of scores. */
export type ScoreConnection = {
  /** The rows, in the order of the list. */
  edges: Array<ScoreEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of matching rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/**
 * The meaning of the scores of one name, for people who give or compare them. A definition is optional, and scores are
 * checked against it when it is enforced.
 */
export type ScoreDefinition = {
  /** The values that are better. */
  better: ScoreDirection;
  /** The question that the score answers; null when not given. */
  description?: Maybe<Scalars['String']['output']>;
  /** True when scores that do not fit the definition are rejected. */
  isEnforced: Scalars['Boolean']['output'];
  /** The kind of the values. */
  kind: ScoreKind;
  /** The values to choose from, each with a label, lowest first. Empty for numbers. */
  labels: Array<ScoreLabel>;
  /** The highest value; null when there is none. */
  max?: Maybe<Scalars['Float']['output']>;
  /** The lowest value; null when there is none. */
  min?: Maybe<Scalars['Float']['output']>;
  /** The name of the scores. */
  name: Scalars['String']['output'];
};

/** The values of a score that are better. */
export type ScoreDirection =
  /** Higher values are better. */
  | 'HIGHER'
  /** Lower values are better. */
  | 'LOWER'
  /** No value is better. */
  | 'NONE';

/** A row of a page of scores. */
export type ScoreEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Score;
};

/**
 * A score to create. One of `stepId`, `threadId` and `datasetExperimentItemId` is required; a score of a thread has
 * neither of the others.
 */
export type ScoreInput = {
  /** The reason. */
  comment?: InputMaybe<Scalars['String']['input']>;
  /** The judged experiment item. */
  datasetExperimentItemId?: InputMaybe<Scalars['String']['input']>;
  /** The judged generation, which is its step; the same as `stepId`. */
  generationId?: InputMaybe<Scalars['String']['input']>;
  /** The value as a label. */
  label?: InputMaybe<Scalars['String']['input']>;
  /** The name of the judgement. */
  name: Scalars['String']['input'];
  /** The person, program or model that judges. */
  scorer?: InputMaybe<Scalars['String']['input']>;
  /** The judged step. */
  stepId?: InputMaybe<Scalars['String']['input']>;
  /** Tags. */
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The judged thread. */
  threadId?: InputMaybe<Scalars['String']['input']>;
  /** The kind of judge. */
  type: ScoreType;
  /** The value, a finite number. May be omitted when `label` is one of the definition's. */
  value?: InputMaybe<Scalars['Float']['input']>;
};

/** The kind of a score's values. */
export type ScoreKind =
  /** `false` or `true`, with the values 0 and 1. */
  | 'BOOLEAN'
  /** One of the labels of the definition, with its value. */
  | 'CATEGORY'
  /** Any number, or one of a range. */
  | 'NUMBER';

/** A value of a score and its label. */
export type ScoreLabel = {
  /** The label. */
  label: Scalars['String']['output'];
  /** The value. */
  value: Scalars['Float']['output'];
};

/** A value of a score and its label. */
export type ScoreLabelInput = {
  /** The label. */
  label: Scalars['String']['input'];
  /** The value, a finite number. */
  value: Scalars['Float']['input'];
};

/**
 * A score that comes with its step or thread. Omitted and null members keep their stored values; an empty string counts
 * as omitted.
 */
export type ScorePayloadInput = {
  /** The reason. */
  comment?: InputMaybe<Scalars['String']['input']>;
  /** The experiment item that it also belongs to. */
  datasetExperimentItemId?: InputMaybe<Scalars['String']['input']>;
  /** Ignored: a generation has its step's id. */
  generationId?: InputMaybe<Scalars['String']['input']>;
  /**
   * The score with this id is updated. Without an id, the score of the step or thread with the same name, type and
   * scorer is updated.
   */
  id?: InputMaybe<Scalars['String']['input']>;
  /** The value as a label. */
  label?: InputMaybe<Scalars['String']['input']>;
  /** The name of the judgement. */
  name: Scalars['String']['input'];
  /** The person, program or model that judged. */
  scorer?: InputMaybe<Scalars['String']['input']>;
  /** Ignored: a score belongs to the step or thread that it comes with. */
  stepId?: InputMaybe<Scalars['String']['input']>;
  /** Tags. */
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The kind of judge. */
  type: ScoreType;
  /** The value, a finite number. May be omitted when `label` is one of the definition's. */
  value?: InputMaybe<Scalars['Float']['input']>;
};

/** A summary of the scores of one name. */
export type ScoreSummary = {
  /** Number of them. */
  count: Scalars['Int']['output'];
  /** Their sample standard deviation; null for a single score. */
  deviation?: Maybe<Scalars['Float']['output']>;
  /** The mean of their values. */
  mean: Scalars['Float']['output'];
  /** The name of the judgement. */
  name: Scalars['String']['output'];
};

/** The kind of judge. */
export type ScoreType =
  /** A language model. */
  | 'AI'
  /** A program, by rule. */
  | 'CODE'
  /** A person. */
  | 'HUMAN';

/** An order of scores. Default: newest first. */
export type ScoresOrderByInput = {
  /** The column to order by: one that `@orderable` names. */
  column: Scalars['String']['input'];
  /** The direction. */
  direction: OrderDirection;
};

/** A range of sequence numbers, both ends included. */
export type SequenceRange = {
  /** The first. */
  from: Scalars['Int']['output'];
  /** The last. */
  to: Scalars['Int']['output'];
};

/** The report of a client about its session, sent with each batch. */
export type SessionInput = {
  /** When it ended. Omitted while it runs. */
  endedAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Chosen by the client. */
  id: Scalars['String']['input'];
  /** Steps that will not arrive. */
  losses?: InputMaybe<Array<SessionLossInput>>;
  /** The sequence number of the last recorded step. Numbers start at 1 and have no gaps. */
  recorded: Scalars['Int']['input'];
  /** The release of the application. */
  release?: InputMaybe<Scalars['String']['input']>;
  /** When the client was created. */
  startedAt: Scalars['DateTime']['input'];
};

/** Steps that a client dropped or that the service rejected. */
export type SessionLoss = {
  /** The first sequence number. */
  from: Scalars['Int']['output'];
  /** The reason: `memory` `refused` `too_large` `deadline` `closed` `spool` `internal`, or another word of the client. */
  reason: Scalars['String']['output'];
  /** The thread that they belong to; null when there is none or it is unknown. */
  threadId?: Maybe<Scalars['String']['output']>;
  /** The last sequence number. */
  to: Scalars['Int']['output'];
};

/** Steps that a client dropped. */
export type SessionLossInput = {
  /** The first sequence number. */
  from: Scalars['Int']['input'];
  /** The reason, in one word. */
  reason: Scalars['String']['input'];
  /** The thread that they belong to. */
  threadId?: InputMaybe<Scalars['String']['input']>;
  /** The last sequence number. */
  to: Scalars['Int']['input'];
};

/** A timed piece of work, or a message. Steps nest by `parentId` and belong together by `threadId`. */
export type Step = {
  /** The step's files, in the order of creation. */
  attachments: Array<Attachment>;
  /**
   * Cost in dollars of its generation and of those of all steps below it, each call counted once; null when none has a
   * price, and for a step with more than 10,000 steps, or 1,000 levels of steps, below it.
   */
  cost?: Maybe<Scalars['Float']['output']>;
  /** When the service first received it. */
  createdAt: Scalars['DateTime']['output'];
  /** When it ended, by the client's clock; null while it runs or when not recorded. */
  endTime?: Maybe<Scalars['DateTime']['output']>;
  /** `dev`, `staging`, `prod` or `experiment`: that of the request that first brought the step. */
  environment?: Maybe<Scalars['String']['output']>;
  /** The error message; null when nothing failed. */
  error?: Maybe<Scalars['String']['output']>;
  /** The model call of the step; null when it is none. */
  generation?: Maybe<Generation>;
  /** Unique in the project, in any form. The client chooses it. */
  id: Scalars['String']['output'];
  /** The input. Messages and texts are `{content}`; null when not recorded. */
  input?: Maybe<Scalars['Json']['output']>;
  /** Size of the input as JSON text, in bytes; null without an input. */
  inputBytes?: Maybe<Scalars['Int']['output']>;
  /**
   * Its input in one line of plain text, up to 120 characters: of a model call the last message that was asked, of a tool
   * its arguments. Null without an input.
   */
  inputExcerpt?: Maybe<Scalars['String']['output']>;
  /** The beginning of the input: the content of a text or message, otherwise JSON text. Null without an input. */
  inputPreview?: Maybe<Scalars['String']['output']>;
  /** Metadata that the application recorded: an object, or null when there is none. */
  metadata?: Maybe<Scalars['Json']['output']>;
  /** The name of the step, such as the function or tool. */
  name?: Maybe<Scalars['String']['output']>;
  /** The output. Messages and texts are `{content}`; null when not recorded. */
  output?: Maybe<Scalars['Json']['output']>;
  /** Size of the output as JSON text, in bytes; null without an output. */
  outputBytes?: Maybe<Scalars['Int']['output']>;
  /**
   * Its output in one line of plain text, up to 120 characters: of a model call the answer, or the tools that it calls
   * with their arguments. Null without an output.
   */
  outputExcerpt?: Maybe<Scalars['String']['output']>;
  /** The beginning of the output: the content of a text or message, otherwise JSON text. Null without an output. */
  outputPreview?: Maybe<Scalars['String']['output']>;
  /** The step inside which this one ran; null at the root. The parent may never have been received. */
  parentId?: Maybe<Scalars['String']['output']>;
  /** The identifier of the user of its thread; null when not recorded. */
  participantIdentifier?: Maybe<Scalars['String']['output']>;
  /** The outermost run that the step is part of, as reported by the client; null for that run itself. */
  rootRunId?: Maybe<Scalars['String']['output']>;
  /** The step's scores, in the order of creation. */
  scores: Array<Score>;
  /** Its number in that session, from 1 and without gaps. */
  sequence?: Maybe<Scalars['Int']['output']>;
  /** The session of the client that recorded it last; null when the client has none. */
  sessionId?: Maybe<Scalars['String']['output']>;
  /** When it started, by the client's clock; null when not recorded. */
  startTime?: Maybe<Scalars['DateTime']['output']>;
  /** Tags; null when none were ever set. */
  tags?: Maybe<Array<Scalars['String']['output']>>;
  /** The thread that the step belongs to; null when it belongs to none. */
  thread?: Maybe<Thread>;
  /** The thread that the step belongs to; null when it belongs to none. */
  threadId?: Maybe<Scalars['String']['output']>;
  /** The kind of work; `undefined` when not given. */
  type: StepType;
};


/** A timed piece of work, or a message. Steps nest by `parentId` and belong together by `threadId`. */
export type StepInputPreviewArgs = {
  chars?: InputMaybe<Scalars['Int']['input']>;
};


/** A timed piece of work, or a message. Steps nest by `parentId` and belong together by `threadId`. */
export type StepOutputPreviewArgs = {
  chars?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of steps. */
export type StepConnection = {
  /** The rows, in the order of the list. */
  edges: Array<StepEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of matching rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of steps. */
export type StepEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Step;
};

/**
 * A step to record, complete or in part. Omitted fields keep their stored values. Null clears a field, except `type`,
 * `generation`, `scores` and `attachments`, where it changes nothing.
 */
export type StepInput = {
  /** Files to add, or to update by id. An empty list changes nothing. */
  attachments?: InputMaybe<Array<AttachmentPayloadInput>>;
  /** When it ended, by your clock. */
  endTime?: InputMaybe<Scalars['DateTime']['input']>;
  /**
   * `dev`, `staging`, `prod` or `experiment`. Default: that of the request's `x-env` header. The first stored one
   * stays.
   */
  environment?: InputMaybe<Scalars['String']['input']>;
  /** The error message. */
  error?: InputMaybe<Scalars['String']['input']>;
  /** The model call of the step. Omitted and null members keep their stored values. */
  generation?: InputMaybe<GenerationPayloadInput>;
  /** Unique in the project, in any form. A step that already has this id is updated. */
  id: Scalars['String']['input'];
  /** The input, up to 3 MB. A text is stored as `{content}`. */
  input?: InputMaybe<Scalars['Json']['input']>;
  /** Further metadata, up to 1 MB. It replaces the stored metadata. A value that is no object is stored as `{value}`. */
  metadata?: InputMaybe<Scalars['Json']['input']>;
  /** Its name. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** The output, up to 3 MB. A text is stored as `{content}`. */
  output?: InputMaybe<Scalars['Json']['input']>;
  /** The step inside which it ran. The parent may arrive later, or never. */
  parentId?: InputMaybe<Scalars['String']['input']>;
  /** The outermost run that it is part of; omitted for that run itself. */
  rootRunId?: InputMaybe<Scalars['String']['input']>;
  /** Scores to add, or to update by id. An empty list changes nothing. */
  scores?: InputMaybe<Array<ScorePayloadInput>>;
  /** Its number in that session, from 1 and without gaps. */
  sequence?: InputMaybe<Scalars['Int']['input']>;
  /**
   * The session of the client that recorded it. With `sequence` it makes repetitions harmless: a received number is
   * not written again, and an older part never replaces a newer one.
   */
  sessionId?: InputMaybe<Scalars['String']['input']>;
  /** When it started, by your clock. */
  startTime?: InputMaybe<Scalars['DateTime']['input']>;
  /** Tags. They replace the stored ones; an empty list changes nothing. */
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  /** The thread that it belongs to. An unknown thread is created. */
  threadId?: InputMaybe<Scalars['String']['input']>;
  /** The kind of work. `undefined` never replaces a stored type. */
  type?: InputMaybe<StepType>;
};

/** The kind of work that a step did. */
export type StepType =
  /** A message that the application showed to its user. */
  | 'assistant_message'
  /** Text turned into vectors. */
  | 'embedding'
  /** A call of a language model. */
  | 'llm'
  /** Candidates put into order of relevance. */
  | 'rerank'
  /** Documents looked up. */
  | 'retrieval'
  /** The root of a piece of work, such as an agent answering a message. */
  | 'run'
  /** A message from the system, neither the user nor the model. */
  | 'system_message'
  /** A call of a tool or function. */
  | 'tool'
  /** No type was given. */
  | 'undefined'
  /** A message from the user. */
  | 'user_message';

/** An order of steps. Default: newest first. */
export type StepsOrderByInput = {
  /** The column to order by: one that `@orderable` names. */
  column: Scalars['String']['input'];
  /** The direction. */
  direction: OrderDirection;
};

/** The place of a service's data. */
export type Storage = {
  /** `embedded` or `postgres`. */
  database: Scalars['String']['output'];
  /** Size of the database on disk with all projects, in bytes. */
  databaseBytes?: Maybe<Scalars['Float']['output']>;
  /** The folder of the embedded database, or the server and name of another one, without secrets. */
  databasePlace?: Maybe<Scalars['String']['output']>;
  /** `folder` or `bucket`. */
  files: Scalars['String']['output'];
  /** The folder or the bucket of the files. */
  filesPlace?: Maybe<Scalars['String']['output']>;
};

/** A conversation. */
export type Thread = {
  /** Cost in dollars of all its generations, each call counted once; null when none has a price. */
  cost?: Maybe<Scalars['Float']['output']>;
  /** When the service first stored it. */
  createdAt: Scalars['DateTime']['output'];
  /** Seconds from the start of its first step to the end of its last; null while no step has ended. Messages need no end. */
  duration?: Maybe<Scalars['Float']['output']>;
  /**
   * When the conversation ended, by the project's `conversationEnd`; null while it is open, and for every thread of a
   * project without that rule.
   */
  endedAt?: Maybe<Scalars['DateTime']['output']>;
  /**
   * `dev`, `staging`, `prod` or `experiment`: that of the request that first brought the thread, or the one that was
   * set since.
   */
  environment?: Maybe<Scalars['String']['output']>;
  /** Number of its steps that failed, by their own error or that of their generation. */
  errorCount: Scalars['Int']['output'];
  /** The beginning of the error of the first step that failed, up to 120 characters; null when none did. */
  firstError?: Maybe<Scalars['String']['output']>;
  /**
   * The beginning of the first message of its user, up to 300 characters; in a thread without messages the input of its
   * first root step in one line, else what its first model was asked. Null when there is none.
   */
  firstMessage?: Maybe<Scalars['String']['output']>;
  /** Unique in the project, in any form. The client chooses it. */
  id: Scalars['String']['output'];
  /**
   * The last answer to its user in one line of plain text, up to 120 characters: the last message of the assistant, else
   * the output of the last root step, else the last answer of a model. Null when there is none.
   */
  lastMessage?: Maybe<Scalars['String']['output']>;
  /** Metadata that the application recorded: an object, or null when there is none. */
  metadata?: Maybe<Scalars['Json']['output']>;
  /** Its title, often the whole first message; null when it has none. */
  name?: Maybe<Scalars['String']['output']>;
  /** The user in the conversation; null when not recorded. */
  participant?: Maybe<Participant>;
  /** Its scores and those of its steps, newest first. Only the newest 2,000 scores of all selected threads are read. */
  scores: Array<Score>;
  /** The sessions of the clients that recorded its steps or reported losses of it, oldest first. */
  sessions: Array<ClientSession>;
  /** The first start of its steps; null when none of them told one. */
  startedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Number of its steps. */
  stepCount: Scalars['Int']['output'];
  /** Its steps, oldest first: by start, otherwise by arrival. `stepTypesToKeep` of the list applies. */
  steps: Array<Step>;
  /** Tags; null when none were ever set. */
  tags?: Maybe<Array<Scalars['String']['output']>>;
  /** Tokens of all its generations; null when none recorded any. */
  tokenCount?: Maybe<Scalars['Int']['output']>;
  /** Number of its calls of which some part has no price, and so is not in the cost. */
  unpricedCount?: Maybe<Scalars['Int']['output']>;
};


/** A conversation. */
export type ThreadScoresArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of threads. */
export type ThreadConnection = {
  /** The rows, in the order of the list. */
  edges: Array<ThreadEdge>;
  /** The place of the page in the list. */
  pageInfo: PageInfo;
  /** Number of matching rows on all pages. Exact up to 10,000, an estimate beyond; counted only when selected. */
  totalCount?: Maybe<Scalars['Int']['output']>;
};

/** A row of a page of threads. */
export type ThreadEdge = {
  /** The row's cursor, for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The row. */
  node: Thread;
};

/** A new thread, or changes of one. Omitted fields keep their stored values. */
export type ThreadInput = {
  /**
   * `dev`, `staging`, `prod` or `experiment`. Default: that of the request's `x-env` header. The first stored one
   * stays.
   */
  environment?: InputMaybe<Scalars['String']['input']>;
  /** Unique in the project, in any form. */
  id: Scalars['String']['input'];
  /** Merged into the stored metadata key by key. A null member deletes its key; null as a whole deletes everything. */
  metadata?: InputMaybe<Scalars['Json']['input']>;
  /** Its title; null clears it. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** The id or identifier of its user. An unknown identifier creates the user. */
  participantId?: InputMaybe<Scalars['String']['input']>;
  /** Scores of the thread to add, or to update by id. An empty list changes nothing. */
  scores?: InputMaybe<Array<ScorePayloadInput>>;
  /** Tags. They replace the stored ones. */
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** A condition on threads. All conditions in a list must hold. */
export type ThreadsInputType = {
  /** The field to compare: one that `@filterable` names. */
  field: Scalars['String']['input'];
  /**
   * The comparison. Strings and JSON: `eq` `neq` `ilike` `nilike` (contains, case-insensitive). Numbers: `eq` `neq`
   * `gt` `gte` `lt` `lte`. Timestamps: `gt` `gte` `lt` `lte`.
   *
   * Lists: `in` (at least one in common), `nin` (none in common), `ilike` and `nilike` (one of them contains the text,
   * none does). Fields that may be null: `is` and `nis` with the value null (has none, has one).
   */
  operator: Scalars['String']['input'];
  /**
   * For JSON fields: a dotted path to a value, which is compared in its text form; without one the whole text is
   * compared. For `scoreValue`: the name of the score; without one any score counts.
   */
  path?: InputMaybe<Scalars['String']['input']>;
  /**
   * The value to compare with: a string, a number, an ISO 8601 timestamp, a list of them, or null, as the field and
   * the operator require.
   */
  value?: InputMaybe<Scalars['Json']['input']>;
};

/** An order of threads. Default: newest first. */
export type ThreadsOrderByInput = {
  /** The column to order by: one that `@orderable` names. */
  column: Scalars['String']['input'];
  /** The direction. */
  direction: OrderDirection;
};

/** A part of the tokens of a model call, by the names of `TokenUsage`. */
export type TokenPart =
  /** Tokens in of sound. */
  | 'audioInput'
  /** Tokens out of sound. */
  | 'audioOutput'
  /** Tokens in that were written to a cache, for a time that the provider did not say. */
  | 'cacheWrite'
  /** Tokens in that were written to a cache for an hour. */
  | 'cacheWrite1h'
  /** Tokens in that were written to a cache for five minutes. */
  | 'cacheWrite5m'
  /** Tokens in that came from a cache. */
  | 'cached'
  /** Tokens in of images. */
  | 'imageInput'
  /** Tokens out of images. */
  | 'imageOutput'
  /** Tokens in that are in none of the other parts. */
  | 'input'
  /** Tokens out that are in none of the other parts. */
  | 'output'
  /** Tokens out of reasoning. */
  | 'reasoning'
  /** The part of the provider's total that none of its other numbers has. */
  | 'unexplained';

/** The tokens of a model call, in parts that have none in common. A part that is null is unknown: the provider did not say. */
export type TokenUsage = {
  /** Tokens in of sound. */
  audioInput?: Maybe<Scalars['Int']['output']>;
  /** Tokens out of sound. */
  audioOutput?: Maybe<Scalars['Int']['output']>;
  /** Tokens in that were written to a cache, for a time that the provider did not say. */
  cacheWrite?: Maybe<Scalars['Int']['output']>;
  /** Tokens in that were written to a cache for an hour. */
  cacheWrite1h?: Maybe<Scalars['Int']['output']>;
  /** Tokens in that were written to a cache for five minutes. */
  cacheWrite5m?: Maybe<Scalars['Int']['output']>;
  /** Tokens in that came from a cache. */
  cached?: Maybe<Scalars['Int']['output']>;
  /** Tokens in of images. */
  imageInput?: Maybe<Scalars['Int']['output']>;
  /** Tokens out of images. */
  imageOutput?: Maybe<Scalars['Int']['output']>;
  /** Tokens in that are in none of the other parts. */
  input?: Maybe<Scalars['Int']['output']>;
  /** Tokens out that are in none of the other parts. */
  output?: Maybe<Scalars['Int']['output']>;
  /** Tokens out of reasoning. */
  reasoning?: Maybe<Scalars['Int']['output']>;
  /** The sum of the parts. */
  total: Scalars['Int']['output'];
  /** The part of the provider's total that none of its other numbers has. */
  unexplained?: Maybe<Scalars['Int']['output']>;
};

/** The tokens of a model call, in parts that have none in common. Omit a part that is unknown. */
export type TokenUsageInput = {
  /** Tokens in of sound. */
  audioInput?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens out of sound. */
  audioOutput?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens in that were written to a cache, for a time that the provider did not say. */
  cacheWrite?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens in that were written to a cache for an hour. */
  cacheWrite1h?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens in that were written to a cache for five minutes. */
  cacheWrite5m?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens in that came from a cache. */
  cached?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens in of images. */
  imageInput?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens out of images. */
  imageOutput?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens in that are in none of the other parts. */
  input?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens out that are in none of the other parts. */
  output?: InputMaybe<Scalars['Int']['input']>;
  /** Tokens out of reasoning. */
  reasoning?: InputMaybe<Scalars['Int']['input']>;
  /** The total that the provider told. Default: the sum of the parts; what it is larger is added to `unexplained`. */
  total?: InputMaybe<Scalars['Int']['input']>;
  /** The part of the provider's total that none of its other numbers has. */
  unexplained?: InputMaybe<Scalars['Int']['input']>;
};

/** A part of the tokens of a call that has no price. */
export type UnpricedPart = {
  /** The part. */
  part: TokenPart;
  /** The reason. */
  reason: UnpricedReason;
  /** Its tokens; null when they are unknown. */
  tokens?: Maybe<Scalars['Int']['output']>;
};

/** The reason for a part without a price. */
export type UnpricedReason =
  /** No price is known for the model, of this provider, at the time of the call. */
  | 'NO_MODEL'
  /** The model has no price for this part. */
  | 'NO_PRICE'
  /** The model has no price for the service tier of the call, or for an input whose size is unknown. */
  | 'NO_TIER'
  /** The number of tokens is unknown. */
  | 'NO_TOKENS'
  /** The cost is above 9,007 dollars for one call. */
  | 'TOO_LARGE';

/** The result of a new split. */
export type UpdatePromptLineageRolloutPayload = {
  /**
   * The reason as a code: `UNKNOWN_LINEAGE`, `UNKNOWN_VERSION`, `DUPLICATE_VERSION` or `INVALID_ROLLOUT`; null when it
   * was stored.
   */
  errorCode?: Maybe<Scalars['String']['output']>;
  /** The reason for the rejection; null when it was stored. */
  message?: Maybe<Scalars['String']['output']>;
  /** True when it is stored. */
  ok: Scalars['Boolean']['output'];
};

/** A filter of a list with a name, which everyone in the project sees. */
export type View = {
  /** The measurement of a chart; null for the view of a list. */
  chart?: Maybe<ChartSettings>;
  /** The columns to show, in their order; null for those that the list shows by default. */
  columns?: Maybe<Array<Scalars['String']['output']>>;
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The environment of the rows; null for all. */
  environment?: Maybe<Scalars['String']['output']>;
  /** Unique in the project. The service chooses it. */
  id: Scalars['String']['output'];
  /** True when the list opens with it. At most one view of a list is. */
  isDefault: Scalars['Boolean']['output'];
  /** The name, which no other view of the list has. */
  name: Scalars['String']['output'];
  /** The column by which the list is ordered; null for the default order. */
  orderColumn?: Maybe<Scalars['String']['output']>;
  /** The direction of the order; null for the default order. */
  orderDirection?: Maybe<OrderDirection>;
  /** The place of a chart among the others, smallest first; null for the view of a list. */
  position?: Maybe<Scalars['Float']['output']>;
  /** The conditions as text, as in `query` of the list. Empty when all rows pass. */
  query: Scalars['String']['output'];
  /** The range of time: a length up to now such as `7d`, or two moments separated by `..`; null for all time. */
  range?: Maybe<Scalars['String']['output']>;
  /** The list that it shows. */
  subject: ViewSubject;
  /** When it was last changed. */
  updatedAt: Scalars['DateTime']['output'];
};

/** The list that a view shows. */
export type ViewSubject =
  /** No list: a chart of measurements over time, which has `chart`. */
  | 'CHARTS'
  /** Steps with a generation. */
  | 'GENERATIONS'
  /** Scores. */
  | 'SCORES'
  /** Steps. */
  | 'STEPS'
  /** Threads. */
  | 'THREADS'
  /** Users, which the contract calls participants. */
  | 'USERS';

/** A day of the week. */
export type Weekday =
  /** Friday. */
  | 'FRIDAY'
  /** Monday. */
  | 'MONDAY'
  /** Saturday. */
  | 'SATURDAY'
  /** Sunday. */
  | 'SUNDAY'
  /** Thursday. */
  | 'THURSDAY'
  /** Tuesday. */
  | 'TUESDAY'
  /** Wednesday. */
  | 'WEDNESDAY';

/** A condition on audit entries. All conditions in a list must hold. */
export type AuditEntriesInputType = {
  /** The field to compare: one that `@filterable` names. */
  field: Scalars['String']['input'];
  /**
   * The comparison. Strings: `eq` `neq` `ilike` `nilike` (contains, case-insensitive). Timestamps: `gt` `gte` `lt` `lte`.
   * Fields that may be null: `is` and `nis` with the value null (has none, has one).
   */
  operator: Scalars['String']['input'];
  /** Ignored: no field of an audit entry takes a path. */
  path?: InputMaybe<Scalars['String']['input']>;
  /** The value to compare with: a string, an ISO 8601 timestamp, or null, as the field and the operator require. */
  value?: InputMaybe<Scalars['Json']['input']>;
};

/** A condition on generations. All conditions in a list must hold. */
export type GenerationsInputType = {
  /** The field to compare: one that `@filterable` names. */
  field: Scalars['String']['input'];
  /**
   * The comparison. Strings and JSON: `eq` `neq` `ilike` `nilike` (contains, case-insensitive). Numbers: `eq` `neq`
   * `gt` `gte` `lt` `lte`. Timestamps: `gt` `gte` `lt` `lte`.
   *
   * Lists: `in` (at least one in common), `nin` (none in common), `ilike` and `nilike` (one of them contains the text,
   * none does). Fields that may be null: `is` and `nis` with the value null (has none, has one).
   */
  operator: Scalars['String']['input'];
  /** For `score`: the name of the score. Without one any score counts. */
  path?: InputMaybe<Scalars['String']['input']>;
  /**
   * The value to compare with: a string, a number, an ISO 8601 timestamp, a list of them, or null, as the field and
   * the operator require.
   */
  value?: InputMaybe<Scalars['Json']['input']>;
};

/** A condition on participants. All conditions in a list must hold. */
export type ParticipantsInputType = {
  /** The field to compare: one that `@filterable` names. */
  field: Scalars['String']['input'];
  /**
   * The comparison. Strings and JSON: `eq` `neq` `ilike` `nilike` (contains, case-insensitive). Numbers: `eq` `neq`
   * `gt` `gte` `lt` `lte`. Timestamps: `gt` `gte` `lt` `lte`.
   *
   * Lists: `in` (at least one in common), `nin` (none in common), `ilike` and `nilike` (one of them contains the text,
   * none does). Fields that may be null: `is` and `nis` with the value null (has none, has one).
   */
  operator: Scalars['String']['input'];
  /**
   * For JSON fields: a dotted path to a value, which is compared in its text form; without one the whole text is
   * compared.
   */
  path?: InputMaybe<Scalars['String']['input']>;
  /**
   * The value to compare with: a string, a number, an ISO 8601 timestamp, a list of them, or null, as the field and
   * the operator require.
   */
  value?: InputMaybe<Scalars['Json']['input']>;
};

/** A condition on scores. All conditions in a list must hold. */
export type ScoresInputType = {
  /** The field to compare: one that `@filterable` names. */
  field: Scalars['String']['input'];
  /**
   * The comparison. Strings and JSON: `eq` `neq` `ilike` `nilike` (contains, case-insensitive). Numbers: `eq` `neq`
   * `gt` `gte` `lt` `lte`. Timestamps: `gt` `gte` `lt` `lte`.
   *
   * Lists: `in` (at least one in common), `nin` (none in common), `ilike` and `nilike` (one of them contains the text,
   * none does). Fields that may be null: `is` and `nis` with the value null (has none, has one).
   */
  operator: Scalars['String']['input'];
  /** Ignored: no field of a score takes a path. */
  path?: InputMaybe<Scalars['String']['input']>;
  /**
   * The value to compare with: a string, a number, an ISO 8601 timestamp, a list of them, or null, as the field and
   * the operator require.
   */
  value?: InputMaybe<Scalars['Json']['input']>;
};

/** A condition on steps. All conditions in a list must hold. */
export type StepsInputType = {
  /** The field to compare: one that `@filterable` names. */
  field: Scalars['String']['input'];
  /**
   * The comparison. Strings and JSON: `eq` `neq` `ilike` `nilike` (contains, case-insensitive). Numbers: `eq` `neq`
   * `gt` `gte` `lt` `lte`. Timestamps: `gt` `gte` `lt` `lte`.
   *
   * Lists: `in` (at least one in common), `nin` (none in common), `ilike` and `nilike` (one of them contains the text,
   * none does). Fields that may be null: `is` and `nis` with the value null (has none, has one).
   */
  operator: Scalars['String']['input'];
  /**
   * For JSON fields: a dotted path to a value, which is compared in its text form; without one the whole text is
   * compared. For `score`: the name of the score; without one any score counts.
   */
  path?: InputMaybe<Scalars['String']['input']>;
  /**
   * The value to compare with: a string, a number, an ISO 8601 timestamp, a list of them, or null, as the field and
   * the operator require.
   */
  value?: InputMaybe<Scalars['Json']['input']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AddGenerationsToDatasetPayload: ResolverTypeWrapper<Omit<AddGenerationsToDatasetPayload, 'items'> & { items: Array<ResolversTypes['DatasetItem']> }>;
  Alert: ResolverTypeWrapper<AlertRow>;
  AlertCall: ResolverTypeWrapper<AlertCall>;
  AlertCallState: AlertCallState;
  AlertComparison: AlertComparison;
  AlertEvent: ResolverTypeWrapper<AlertEventRow>;
  AlertEventType: AlertEventType;
  AlertMetric: AlertMetric;
  AlertQuietHours: ResolverTypeWrapper<AlertQuietHours>;
  AlertQuietHoursInput: AlertQuietHoursInput;
  AlertQuietPeriod: ResolverTypeWrapper<AlertQuietPeriod>;
  AlertQuietPeriodInput: AlertQuietPeriodInput;
  AlertState: AlertState;
  AlertSubject: AlertSubject;
  AlertWithSecret: ResolverTypeWrapper<Omit<AlertWithSecret, 'alert'> & { alert: ResolversTypes['Alert'] }>;
  ApiKey: ResolverTypeWrapper<KeyRow>;
  Attachment: ResolverTypeWrapper<AttachmentRow>;
  AttachmentPayloadInput: AttachmentPayloadInput;
  AuditAction: AuditAction;
  AuditActorKind: AuditActorKind;
  AuditEntriesOrderByInput: AuditEntriesOrderByInput;
  AuditEntry: ResolverTypeWrapper<AuditEntryRow>;
  AuditEntryConnection: ResolverTypeWrapper<AuditEntryPage>;
  AuditEntryEdge: ResolverTypeWrapper<Omit<AuditEntryEdge, 'node'> & { node: ResolversTypes['AuditEntry'] }>;
  AuditSubjectKind: AuditSubjectKind;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  ChartMetric: ChartMetric;
  ChartSettings: ResolverTypeWrapper<ChartSettings>;
  ChartSettingsInput: ChartSettingsInput;
  ClientSession: ResolverTypeWrapper<SessionRow>;
  ConversationEnd: ResolverTypeWrapper<ConversationEnd>;
  CostDetails: ResolverTypeWrapper<ShownCost>;
  CostPart: ResolverTypeWrapper<CostPart>;
  CostSource: CostSource;
  CreateDatasetExperimentItemsPayload: ResolverTypeWrapper<CreateDatasetExperimentItemsPayload>;
  CreateJudgementsPayload: ResolverTypeWrapper<CreateJudgementsPayload>;
  CreateScoresPayload: ResolverTypeWrapper<Omit<CreateScoresPayload, 'scores'> & { scores: Array<ResolversTypes['Score']> }>;
  CreatedApiKey: ResolverTypeWrapper<Omit<CreatedApiKey, 'apiKey'> & { apiKey: ResolversTypes['ApiKey'] }>;
  Dataset: ResolverTypeWrapper<DatasetRow>;
  DatasetConnection: ResolverTypeWrapper<DatasetPage>;
  DatasetEdge: ResolverTypeWrapper<Omit<DatasetEdge, 'node'> & { node: ResolversTypes['Dataset'] }>;
  DatasetExperiment: ResolverTypeWrapper<ExperimentRow>;
  DatasetExperimentConnection: ResolverTypeWrapper<ExperimentPage>;
  DatasetExperimentEdge: ResolverTypeWrapper<Omit<DatasetExperimentEdge, 'node'> & { node: ResolversTypes['DatasetExperiment'] }>;
  DatasetExperimentItem: ResolverTypeWrapper<ExperimentItemRow>;
  DatasetExperimentItemConnection: ResolverTypeWrapper<ExperimentItemPage>;
  DatasetExperimentItemEdge: ResolverTypeWrapper<Omit<DatasetExperimentItemEdge, 'node'> & { node: ResolversTypes['DatasetExperimentItem'] }>;
  DatasetItem: ResolverTypeWrapper<DatasetItemRow>;
  DatasetItemConnection: ResolverTypeWrapper<DatasetItemPage>;
  DatasetItemEdge: ResolverTypeWrapper<Omit<DatasetItemEdge, 'node'> & { node: ResolversTypes['DatasetItem'] }>;
  DatasetType: DatasetType;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Deleted: ResolverTypeWrapper<Deleted>;
  DeletedParticipantData: ResolverTypeWrapper<DeletedParticipantData>;
  ErrorCode: ErrorCode;
  ExperimentItemPlace: ResolverTypeWrapper<ItemPlaceRow>;
  ExperimentLease: ResolverTypeWrapper<ExperimentLease>;
  ExperimentLeaseState: ExperimentLeaseState;
  ExperimentOutcomes: ResolverTypeWrapper<ExperimentOutcomes>;
  ExperimentPlaceInput: ExperimentPlaceInput;
  ExperimentResultInput: ExperimentResultInput;
  ExperimentStatus: ExperimentStatus;
  Facet: ResolverTypeWrapper<Facet>;
  FacetField: FacetField;
  FieldKind: FieldKind;
  FieldPath: FieldPath;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  Generation: ResolverTypeWrapper<GenerationRow>;
  GenerationConnection: ResolverTypeWrapper<GenerationPage>;
  GenerationEdge: ResolverTypeWrapper<Omit<GenerationEdge, 'node'> & { node: ResolversTypes['Generation'] }>;
  GenerationPayloadInput: GenerationPayloadInput;
  GenerationType: GenerationType;
  GenerationsOrderByInput: GenerationsOrderByInput;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  IngestStepPayload: ResolverTypeWrapper<IngestStepPayload>;
  IngestStepsPayload: ResolverTypeWrapper<IngestStepsPayload>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Json: ResolverTypeWrapper<Scalars['Json']['output']>;
  Judge: ResolverTypeWrapper<JudgeRow>;
  JudgeBudget: ResolverTypeWrapper<JudgeBudget>;
  JudgeBudgetInput: JudgeBudgetInput;
  JudgeInput: JudgeInput;
  JudgeSubject: JudgeSubject;
  JudgeUsage: ResolverTypeWrapper<JudgeUsage>;
  JudgementInput: JudgementInput;
  JudgementLease: ResolverTypeWrapper<JudgementLease>;
  JudgementPair: ResolverTypeWrapper<JudgementPair>;
  JudgementScoreInput: JudgementScoreInput;
  KeyScope: KeyScope;
  LeaseDatasetExperimentItemsPayload: ResolverTypeWrapper<LeaseDatasetExperimentItemsPayload>;
  LeaseJudgementsPayload: ResolverTypeWrapper<LeaseJudgementsPayload>;
  Measurement: ResolverTypeWrapper<Measurement>;
  MetricDimension: MetricDimension;
  MetricSeries: ResolverTypeWrapper<Series>;
  MetricSubject: MetricSubject;
  Metrics: ResolverTypeWrapper<Omit<Metrics, 'series'> & { series: Array<ResolversTypes['MetricSeries']> }>;
  ModelEndpoint: ResolverTypeWrapper<ModelEndpointRow>;
  ModelProtocol: ModelProtocol;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  OrderDirection: OrderDirection;
  Outline: ResolverTypeWrapper<FoundOutline>;
  OutlineFlag: OutlineFlag;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Participant: ResolverTypeWrapper<ParticipantRow>;
  ParticipantConnection: ResolverTypeWrapper<ParticipantPage>;
  ParticipantEdge: ResolverTypeWrapper<Omit<ParticipantEdge, 'node'> & { node: ResolversTypes['Participant'] }>;
  ParticipantsOrderByInput: ParticipantsOrderByInput;
  Price: ResolverTypeWrapper<PriceEntry>;
  PriceBook: ResolverTypeWrapper<Omit<PriceBook, 'prices'> & { prices: Array<ResolversTypes['Price']> }>;
  PriceInput: PriceInput;
  PriceRates: ResolverTypeWrapper<Rates>;
  PriceRatesInput: PriceRatesInput;
  PriceTier: ResolverTypeWrapper<Omit<PriceTier, 'rates'> & { rates: ResolversTypes['PriceRates'] }>;
  PriceTierInput: PriceTierInput;
  Project: ResolverTypeWrapper<ProjectRow>;
  PromptExperiment: ResolverTypeWrapper<PromptVariantRow>;
  PromptLabel: ResolverTypeWrapper<PromptLabelRow>;
  PromptLabelMove: ResolverTypeWrapper<PromptLabelMoveRow>;
  PromptLineage: ResolverTypeWrapper<LineageRow>;
  PromptLineageConnection: ResolverTypeWrapper<Omit<PromptLineageConnection, 'edges'> & { edges: Array<ResolversTypes['PromptLineageEdge']> }>;
  PromptLineageEdge: ResolverTypeWrapper<Omit<PromptLineageEdge, 'node'> & { node: ResolversTypes['PromptLineage'] }>;
  PromptRollout: ResolverTypeWrapper<PromptRolloutRow>;
  PromptSegment: ResolverTypeWrapper<PromptSegment>;
  PromptUse: ResolverTypeWrapper<Omit<PromptUse, 'scores'> & { scores: Array<ResolversTypes['ScoreSummary']> }>;
  PromptVersion: ResolverTypeWrapper<PromptVersionRow>;
  PromptVersionRollout: ResolverTypeWrapper<PromptVersionRollout>;
  PromptVersionRolloutConnection: ResolverTypeWrapper<PromptVersionRolloutConnection>;
  PromptVersionRolloutEdge: ResolverTypeWrapper<PromptVersionRolloutEdge>;
  PromptVersionRolloutInput: PromptVersionRolloutInput;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RefusedResultScore: ResolverTypeWrapper<RefusedResultScore>;
  RefusedScore: ResolverTypeWrapper<RefusedScore>;
  RefusedStep: ResolverTypeWrapper<RefusedStep>;
  RefusedThread: ResolverTypeWrapper<RefusedThread>;
  Repricing: ResolverTypeWrapper<Repricing>;
  Retention: ResolverTypeWrapper<RetentionState>;
  RetentionException: RetentionException;
  RetentionPreview: ResolverTypeWrapper<RetentionPreview>;
  RetentionRule: ResolverTypeWrapper<RetentionRule>;
  RetentionRuleInput: RetentionRuleInput;
  RetryDatasetExperimentItemsPayload: ResolverTypeWrapper<RetryDatasetExperimentItemsPayload>;
  Score: ResolverTypeWrapper<ScoreRow>;
  ScoreConnection: ResolverTypeWrapper<ScorePage>;
  ScoreDefinition: ResolverTypeWrapper<ScoreDefinitionRow>;
  ScoreDirection: ScoreDirection;
  ScoreEdge: ResolverTypeWrapper<Omit<ScoreEdge, 'node'> & { node: ResolversTypes['Score'] }>;
  ScoreInput: ScoreInput;
  ScoreKind: ScoreKind;
  ScoreLabel: ResolverTypeWrapper<ScoreLabel>;
  ScoreLabelInput: ScoreLabelInput;
  ScorePayloadInput: ScorePayloadInput;
  ScoreSummary: ResolverTypeWrapper<ScoreSummaryRow>;
  ScoreType: ScoreType;
  ScoresOrderByInput: ScoresOrderByInput;
  SequenceRange: ResolverTypeWrapper<SequenceRange>;
  SessionInput: SessionInput;
  SessionLoss: ResolverTypeWrapper<SessionLoss>;
  SessionLossInput: SessionLossInput;
  Step: ResolverTypeWrapper<StepRow>;
  StepConnection: ResolverTypeWrapper<StepPage>;
  StepEdge: ResolverTypeWrapper<Omit<StepEdge, 'node'> & { node: ResolversTypes['Step'] }>;
  StepInput: StepInput;
  StepType: StepType;
  StepsOrderByInput: StepsOrderByInput;
  Storage: ResolverTypeWrapper<Storage>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Thread: ResolverTypeWrapper<ThreadNode>;
  ThreadConnection: ResolverTypeWrapper<ThreadPage>;
  ThreadEdge: ResolverTypeWrapper<Omit<ThreadEdge, 'node'> & { node: ResolversTypes['Thread'] }>;
  ThreadInput: ThreadInput;
  ThreadsInputType: ThreadsInputType;
  ThreadsOrderByInput: ThreadsOrderByInput;
  TokenPart: TokenPart;
  TokenUsage: ResolverTypeWrapper<Usage>;
  TokenUsageInput: TokenUsageInput;
  UnpricedPart: ResolverTypeWrapper<UnpricedPart>;
  UnpricedReason: UnpricedReason;
  UpdatePromptLineageRolloutPayload: ResolverTypeWrapper<UpdatePromptLineageRolloutPayload>;
  View: ResolverTypeWrapper<ViewRow>;
  ViewSubject: ViewSubject;
  Weekday: Weekday;
  auditEntriesInputType: AuditEntriesInputType;
  generationsInputType: GenerationsInputType;
  participantsInputType: ParticipantsInputType;
  scoresInputType: ScoresInputType;
  stepsInputType: StepsInputType;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AddGenerationsToDatasetPayload: Omit<AddGenerationsToDatasetPayload, 'items'> & { items: Array<ResolversParentTypes['DatasetItem']> };
  Alert: AlertRow;
  AlertCall: AlertCall;
  AlertEvent: AlertEventRow;
  AlertQuietHours: AlertQuietHours;
  AlertQuietHoursInput: AlertQuietHoursInput;
  AlertQuietPeriod: AlertQuietPeriod;
  AlertQuietPeriodInput: AlertQuietPeriodInput;
  AlertWithSecret: Omit<AlertWithSecret, 'alert'> & { alert: ResolversParentTypes['Alert'] };
  ApiKey: KeyRow;
  Attachment: AttachmentRow;
  AttachmentPayloadInput: AttachmentPayloadInput;
  AuditEntriesOrderByInput: AuditEntriesOrderByInput;
  AuditEntry: AuditEntryRow;
  AuditEntryConnection: AuditEntryPage;
  AuditEntryEdge: Omit<AuditEntryEdge, 'node'> & { node: ResolversParentTypes['AuditEntry'] };
  Boolean: Scalars['Boolean']['output'];
  ChartSettings: ChartSettings;
  ChartSettingsInput: ChartSettingsInput;
  ClientSession: SessionRow;
  ConversationEnd: ConversationEnd;
  CostDetails: ShownCost;
  CostPart: CostPart;
  CreateDatasetExperimentItemsPayload: CreateDatasetExperimentItemsPayload;
  CreateJudgementsPayload: CreateJudgementsPayload;
  CreateScoresPayload: Omit<CreateScoresPayload, 'scores'> & { scores: Array<ResolversParentTypes['Score']> };
  CreatedApiKey: Omit<CreatedApiKey, 'apiKey'> & { apiKey: ResolversParentTypes['ApiKey'] };
  Dataset: DatasetRow;
  DatasetConnection: DatasetPage;
  DatasetEdge: Omit<DatasetEdge, 'node'> & { node: ResolversParentTypes['Dataset'] };
  DatasetExperiment: ExperimentRow;
  DatasetExperimentConnection: ExperimentPage;
  DatasetExperimentEdge: Omit<DatasetExperimentEdge, 'node'> & { node: ResolversParentTypes['DatasetExperiment'] };
  DatasetExperimentItem: ExperimentItemRow;
  DatasetExperimentItemConnection: ExperimentItemPage;
  DatasetExperimentItemEdge: Omit<DatasetExperimentItemEdge, 'node'> & { node: ResolversParentTypes['DatasetExperimentItem'] };
  DatasetItem: DatasetItemRow;
  DatasetItemConnection: DatasetItemPage;
  DatasetItemEdge: Omit<DatasetItemEdge, 'node'> & { node: ResolversParentTypes['DatasetItem'] };
  DateTime: Scalars['DateTime']['output'];
  Deleted: Deleted;
  DeletedParticipantData: DeletedParticipantData;
  ExperimentItemPlace: ItemPlaceRow;
  ExperimentLease: ExperimentLease;
  ExperimentOutcomes: ExperimentOutcomes;
  ExperimentPlaceInput: ExperimentPlaceInput;
  ExperimentResultInput: ExperimentResultInput;
  Facet: Facet;
  Float: Scalars['Float']['output'];
  Generation: GenerationRow;
  GenerationConnection: GenerationPage;
  GenerationEdge: Omit<GenerationEdge, 'node'> & { node: ResolversParentTypes['Generation'] };
  GenerationPayloadInput: GenerationPayloadInput;
  GenerationsOrderByInput: GenerationsOrderByInput;
  ID: Scalars['ID']['output'];
  IngestStepPayload: IngestStepPayload;
  IngestStepsPayload: IngestStepsPayload;
  Int: Scalars['Int']['output'];
  Json: Scalars['Json']['output'];
  Judge: JudgeRow;
  JudgeBudget: JudgeBudget;
  JudgeBudgetInput: JudgeBudgetInput;
  JudgeInput: JudgeInput;
  JudgeUsage: JudgeUsage;
  JudgementInput: JudgementInput;
  JudgementLease: JudgementLease;
  JudgementPair: JudgementPair;
  JudgementScoreInput: JudgementScoreInput;
  LeaseDatasetExperimentItemsPayload: LeaseDatasetExperimentItemsPayload;
  LeaseJudgementsPayload: LeaseJudgementsPayload;
  Measurement: Measurement;
  MetricSeries: Series;
  Metrics: Omit<Metrics, 'series'> & { series: Array<ResolversParentTypes['MetricSeries']> };
  ModelEndpoint: ModelEndpointRow;
  Mutation: Record<PropertyKey, never>;
  Outline: FoundOutline;
  PageInfo: PageInfo;
  Participant: ParticipantRow;
  ParticipantConnection: ParticipantPage;
  ParticipantEdge: Omit<ParticipantEdge, 'node'> & { node: ResolversParentTypes['Participant'] };
  ParticipantsOrderByInput: ParticipantsOrderByInput;
  Price: PriceEntry;
  PriceBook: Omit<PriceBook, 'prices'> & { prices: Array<ResolversParentTypes['Price']> };
  PriceInput: PriceInput;
  PriceRates: Rates;
  PriceRatesInput: PriceRatesInput;
  PriceTier: Omit<PriceTier, 'rates'> & { rates: ResolversParentTypes['PriceRates'] };
  PriceTierInput: PriceTierInput;
  Project: ProjectRow;
  PromptExperiment: PromptVariantRow;
  PromptLabel: PromptLabelRow;
  PromptLabelMove: PromptLabelMoveRow;
  PromptLineage: LineageRow;
  PromptLineageConnection: Omit<PromptLineageConnection, 'edges'> & { edges: Array<ResolversParentTypes['PromptLineageEdge']> };
  PromptLineageEdge: Omit<PromptLineageEdge, 'node'> & { node: ResolversParentTypes['PromptLineage'] };
  PromptRollout: PromptRolloutRow;
  PromptSegment: PromptSegment;
  PromptUse: Omit<PromptUse, 'scores'> & { scores: Array<ResolversParentTypes['ScoreSummary']> };
  PromptVersion: PromptVersionRow;
  PromptVersionRollout: PromptVersionRollout;
  PromptVersionRolloutConnection: PromptVersionRolloutConnection;
  PromptVersionRolloutEdge: PromptVersionRolloutEdge;
  PromptVersionRolloutInput: PromptVersionRolloutInput;
  Query: Record<PropertyKey, never>;
  RefusedResultScore: RefusedResultScore;
  RefusedScore: RefusedScore;
  RefusedStep: RefusedStep;
  RefusedThread: RefusedThread;
  Repricing: Repricing;
  Retention: RetentionState;
  RetentionPreview: RetentionPreview;
  RetentionRule: RetentionRule;
  RetentionRuleInput: RetentionRuleInput;
  RetryDatasetExperimentItemsPayload: RetryDatasetExperimentItemsPayload;
  Score: ScoreRow;
  ScoreConnection: ScorePage;
  ScoreDefinition: ScoreDefinitionRow;
  ScoreEdge: Omit<ScoreEdge, 'node'> & { node: ResolversParentTypes['Score'] };
  ScoreInput: ScoreInput;
  ScoreLabel: ScoreLabel;
  ScoreLabelInput: ScoreLabelInput;
  ScorePayloadInput: ScorePayloadInput;
  ScoreSummary: ScoreSummaryRow;
  ScoresOrderByInput: ScoresOrderByInput;
  SequenceRange: SequenceRange;
  SessionInput: SessionInput;
  SessionLoss: SessionLoss;
  SessionLossInput: SessionLossInput;
  Step: StepRow;
  StepConnection: StepPage;
  StepEdge: Omit<StepEdge, 'node'> & { node: ResolversParentTypes['Step'] };
  StepInput: StepInput;
  StepsOrderByInput: StepsOrderByInput;
  Storage: Storage;
  String: Scalars['String']['output'];
  Thread: ThreadNode;
  ThreadConnection: ThreadPage;
  ThreadEdge: Omit<ThreadEdge, 'node'> & { node: ResolversParentTypes['Thread'] };
  ThreadInput: ThreadInput;
  ThreadsInputType: ThreadsInputType;
  ThreadsOrderByInput: ThreadsOrderByInput;
  TokenUsage: Usage;
  TokenUsageInput: TokenUsageInput;
  UnpricedPart: UnpricedPart;
  UpdatePromptLineageRolloutPayload: UpdatePromptLineageRolloutPayload;
  View: ViewRow;
  auditEntriesInputType: AuditEntriesInputType;
  generationsInputType: GenerationsInputType;
  participantsInputType: ParticipantsInputType;
  scoresInputType: ScoresInputType;
  stepsInputType: StepsInputType;
};

export type BitDirectiveArgs = {
  value: Scalars['Int']['input'];
};

export type BitDirectiveResolver<Result, Parent, ContextType = Context, Args = BitDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type FilterableDirectiveArgs = {
  enum?: Maybe<Scalars['String']['input']>;
  field: Scalars['String']['input'];
  isNullable?: Scalars['Boolean']['input'];
  isOld?: Scalars['Boolean']['input'];
  kind: FieldKind;
  meaning: Scalars['String']['input'];
  path?: Maybe<FieldPath>;
  values?: Maybe<Array<Scalars['String']['input']>>;
};

export type FilterableDirectiveResolver<Result, Parent, ContextType = Context, Args = FilterableDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type OrderableDirectiveArgs = {
  column: Scalars['String']['input'];
};

export type OrderableDirectiveResolver<Result, Parent, ContextType = Context, Args = OrderableDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type ScopeDirectiveArgs = {
  any: Array<KeyScope>;
};

export type ScopeDirectiveResolver<Result, Parent, ContextType = Context, Args = ScopeDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type AddGenerationsToDatasetPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AddGenerationsToDatasetPayload'] = ResolversParentTypes['AddGenerationsToDatasetPayload']> = {
  items?: Resolver<Array<ResolversTypes['DatasetItem']>, ParentType, ContextType>;
};

export type AlertResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Alert'] = ResolversParentTypes['Alert']> = {
  comparison?: Resolver<ResolversTypes['AlertComparison'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  environment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  evaluatedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isPaused?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  message?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  metric?: Resolver<ResolversTypes['AlertMetric'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  query?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  quietHours?: Resolver<Maybe<ResolversTypes['AlertQuietHours']>, ParentType, ContextType>;
  repeatMinutes?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  state?: Resolver<Maybe<ResolversTypes['AlertState']>, ParentType, ContextType>;
  stateSince?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['AlertSubject'], ParentType, ContextType>;
  threshold?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  webhookHost?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  windowMinutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AlertCallResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AlertCall'] = ResolversParentTypes['AlertCall']> = {
  attempts?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  calledAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nextAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['AlertCallState'], ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type AlertEventResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AlertEvent'] = ResolversParentTypes['AlertEvent']> = {
  alertId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  call?: Resolver<Maybe<ResolversTypes['AlertCall']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isQuiet?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  message?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  state?: Resolver<Maybe<ResolversTypes['AlertState']>, ParentType, ContextType>;
  threshold?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['AlertEventType'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type AlertQuietHoursResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AlertQuietHours'] = ResolversParentTypes['AlertQuietHours']> = {
  periods?: Resolver<Array<ResolversTypes['AlertQuietPeriod']>, ParentType, ContextType>;
  timeZone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AlertQuietPeriodResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AlertQuietPeriod'] = ResolversParentTypes['AlertQuietPeriod']> = {
  days?: Resolver<Array<ResolversTypes['Weekday']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  to?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type AlertWithSecretResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AlertWithSecret'] = ResolversParentTypes['AlertWithSecret']> = {
  alert?: Resolver<ResolversTypes['Alert'], ParentType, ContextType>;
  secret?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ApiKeyResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  prefix?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  revokedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  scopes?: Resolver<Array<ResolversTypes['KeyScope']>, ParentType, ContextType>;
};

export type AttachmentResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Attachment'] = ResolversParentTypes['Attachment']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  metadata?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  mime?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  objectKey?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  stepId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  threadId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  url?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AuditEntryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AuditEntry'] = ResolversParentTypes['AuditEntry']> = {
  action?: Resolver<ResolversTypes['AuditAction'], ParentType, ContextType>;
  actorId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  actorKind?: Resolver<ResolversTypes['AuditActorKind'], ParentType, ContextType>;
  actorName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  details?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
  fields?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  requestId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  subjectId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  subjectKind?: Resolver<ResolversTypes['AuditSubjectKind'], ParentType, ContextType>;
  subjectName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type AuditEntryConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AuditEntryConnection'] = ResolversParentTypes['AuditEntryConnection']> = {
  edges?: Resolver<Array<ResolversTypes['AuditEntryEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type AuditEntryEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['AuditEntryEdge'] = ResolversParentTypes['AuditEntryEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['AuditEntry'], ParentType, ContextType>;
};

export type ChartSettingsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ChartSettings'] = ResolversParentTypes['ChartSettings']> = {
  by?: Resolver<Maybe<ResolversTypes['MetricDimension']>, ParentType, ContextType>;
  metric?: Resolver<ResolversTypes['ChartMetric'], ParentType, ContextType>;
  score?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['MetricSubject'], ParentType, ContextType>;
};

export type ClientSessionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ClientSession'] = ResolversParentTypes['ClientSession']> = {
  endedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  losses?: Resolver<Array<ResolversTypes['SessionLoss']>, ParentType, ContextType>;
  missing?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  missingRanges?: Resolver<Array<ResolversTypes['SequenceRange']>, ParentType, ContextType>;
  received?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  recorded?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  release?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type ConversationEndResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ConversationEnd'] = ResolversParentTypes['ConversationEnd']> = {
  idleMinutes?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  tags?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  toolNames?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CostDetailsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CostDetails'] = ResolversParentTypes['CostDetails']> = {
  cost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  isOutdated?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  parts?: Resolver<Array<ResolversTypes['CostPart']>, ParentType, ContextType>;
  price?: Resolver<Maybe<ResolversTypes['Price']>, ParentType, ContextType>;
  serviceTier?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['CostSource']>, ParentType, ContextType>;
  unpriced?: Resolver<Array<ResolversTypes['UnpricedPart']>, ParentType, ContextType>;
};

export type CostPartResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CostPart'] = ResolversParentTypes['CostPart']> = {
  cost?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  part?: Resolver<ResolversTypes['TokenPart'], ParentType, ContextType>;
  price?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  tokens?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CreateDatasetExperimentItemsPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CreateDatasetExperimentItemsPayload'] = ResolversParentTypes['CreateDatasetExperimentItemsPayload']> = {
  ids?: Resolver<Array<Maybe<ResolversTypes['String']>>, ParentType, ContextType>;
  refusedScores?: Resolver<Array<ResolversTypes['RefusedResultScore']>, ParentType, ContextType>;
};

export type CreateJudgementsPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CreateJudgementsPayload'] = ResolversParentTypes['CreateJudgementsPayload']> = {
  stored?: Resolver<Array<ResolversTypes['Boolean']>, ParentType, ContextType>;
};

export type CreateScoresPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CreateScoresPayload'] = ResolversParentTypes['CreateScoresPayload']> = {
  scores?: Resolver<Array<ResolversTypes['Score']>, ParentType, ContextType>;
};

export type CreatedApiKeyResolvers<ContextType = Context, ParentType extends ResolversParentTypes['CreatedApiKey'] = ResolversParentTypes['CreatedApiKey']> = {
  apiKey?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DatasetResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Dataset'] = ResolversParentTypes['Dataset']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  experimentCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  itemCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  items?: Resolver<ResolversTypes['DatasetItemConnection'], ParentType, ContextType, Partial<DatasetItemsArgs>>;
  metadata?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['DatasetType'], ParentType, ContextType>;
};

export type DatasetConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetConnection'] = ResolversParentTypes['DatasetConnection']> = {
  edges?: Resolver<Array<ResolversTypes['DatasetEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type DatasetEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetEdge'] = ResolversParentTypes['DatasetEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Dataset'], ParentType, ContextType>;
};

export type DatasetExperimentResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetExperiment'] = ResolversParentTypes['DatasetExperiment']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  dataset?: Resolver<Maybe<ResolversTypes['Dataset']>, ParentType, ContextType>;
  datasetId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  errorCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  identity?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  itemCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  items?: Resolver<ResolversTypes['DatasetExperimentItemConnection'], ParentType, ContextType, Partial<DatasetExperimentItemsArgs>>;
  measures?: Resolver<Array<ResolversTypes['ScoreSummary']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  outcomes?: Resolver<ResolversTypes['ExperimentOutcomes'], ParentType, ContextType, RequireFields<DatasetExperimentOutcomesArgs, 'runCosts'>>;
  params?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  problem?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  promptExperimentId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  scores?: Resolver<Array<ResolversTypes['ScoreSummary']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['ExperimentStatus']>, ParentType, ContextType>;
};

export type DatasetExperimentConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetExperimentConnection'] = ResolversParentTypes['DatasetExperimentConnection']> = {
  edges?: Resolver<Array<ResolversTypes['DatasetExperimentEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type DatasetExperimentEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetExperimentEdge'] = ResolversParentTypes['DatasetExperimentEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['DatasetExperiment'], ParentType, ContextType>;
};

export type DatasetExperimentItemResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetExperimentItem'] = ResolversParentTypes['DatasetExperimentItem']> = {
  cost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  datasetExperimentId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  datasetItem?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType>;
  datasetItemId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  durationMs?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  expectedOutput?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  experiment?: Resolver<Maybe<ResolversTypes['DatasetExperiment']>, ParentType, ContextType>;
  experimentRunId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  input?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  key?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  output?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  repetition?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  runCost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  runUnpricedCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  scores?: Resolver<Array<ResolversTypes['Score']>, ParentType, ContextType>;
  tokens?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type DatasetExperimentItemConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetExperimentItemConnection'] = ResolversParentTypes['DatasetExperimentItemConnection']> = {
  edges?: Resolver<Array<ResolversTypes['DatasetExperimentItemEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type DatasetExperimentItemEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetExperimentItemEdge'] = ResolversParentTypes['DatasetExperimentItemEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['DatasetExperimentItem'], ParentType, ContextType>;
};

export type DatasetItemResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetItem'] = ResolversParentTypes['DatasetItem']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  datasetId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expectedOutput?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  input?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
  intermediarySteps?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  metadata?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
  results?: Resolver<ResolversTypes['DatasetExperimentItemConnection'], ParentType, ContextType, Partial<DatasetItemResultsArgs>>;
  stepId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type DatasetItemConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetItemConnection'] = ResolversParentTypes['DatasetItemConnection']> = {
  edges?: Resolver<Array<ResolversTypes['DatasetItemEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type DatasetItemEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DatasetItemEdge'] = ResolversParentTypes['DatasetItemEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['DatasetItem'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeletedResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Deleted'] = ResolversParentTypes['Deleted']> = {
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DeletedParticipantDataResolvers<ContextType = Context, ParentType extends ResolversParentTypes['DeletedParticipantData'] = ResolversParentTypes['DeletedParticipantData']> = {
  attachments?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  datasetItems?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  experimentItems?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  generations?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  isComplete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  scores?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  steps?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  threads?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  threadsKept?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  users?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ExperimentItemPlaceResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ExperimentItemPlace'] = ResolversParentTypes['ExperimentItemPlace']> = {
  datasetItemId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  experiment?: Resolver<Maybe<ResolversTypes['DatasetExperiment']>, ParentType, ContextType>;
  experimentRunId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ExperimentLeaseResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ExperimentLease'] = ResolversParentTypes['ExperimentLease']> = {
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  remainingMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  repetition?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['ExperimentLeaseState'], ParentType, ContextType>;
};

export type ExperimentOutcomesResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ExperimentOutcomes'] = ResolversParentTypes['ExperimentOutcomes']> = {
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  rows?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
};

export type FacetResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Facet'] = ResolversParentTypes['Facet']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type GenerationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Generation'] = ResolversParentTypes['Generation']> = {
  completion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  costDetails?: Resolver<Maybe<ResolversTypes['CostDetails']>, ParentType, ContextType>;
  costSource?: Resolver<Maybe<ResolversTypes['CostSource']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  duration?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  inputExcerpt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  inputTokenCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  isCostPartial?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  messageCompletion?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  messages?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  metadata?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  model?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  outputExcerpt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  outputTokenCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  projectId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  prompt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  promptId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  provider?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  settings?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  step?: Resolver<Maybe<ResolversTypes['Step']>, ParentType, ContextType>;
  stepId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  tags?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  tokenCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  tokenThroughputInSeconds?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  tools?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  ttFirstToken?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['GenerationType'], ParentType, ContextType>;
  usage?: Resolver<Maybe<ResolversTypes['TokenUsage']>, ParentType, ContextType>;
  variables?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
};

export type GenerationConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GenerationConnection'] = ResolversParentTypes['GenerationConnection']> = {
  edges?: Resolver<Array<ResolversTypes['GenerationEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type GenerationEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['GenerationEdge'] = ResolversParentTypes['GenerationEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Generation'], ParentType, ContextType>;
};

export type IngestStepPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['IngestStepPayload'] = ResolversParentTypes['IngestStepPayload']> = {
  message?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ok?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type IngestStepsPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['IngestStepsPayload'] = ResolversParentTypes['IngestStepsPayload']> = {
  accepted?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  message?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ok?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  refused?: Resolver<Array<ResolversTypes['RefusedStep']>, ParentType, ContextType>;
  refusedScores?: Resolver<Array<ResolversTypes['RefusedScore']>, ParentType, ContextType>;
  refusedThreads?: Resolver<Array<ResolversTypes['RefusedThread']>, ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Json'], any> {
  name: 'Json';
}

export type JudgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Judge'] = ResolversParentTypes['Judge']> = {
  budget?: Resolver<Maybe<ResolversTypes['JudgeBudget']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expired?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isSpent?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  judged?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastSeenAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  sample?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  scoreNames?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['JudgeSubject'], ParentType, ContextType>;
  usedToday?: Resolver<ResolversTypes['JudgeUsage'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  waiting?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type JudgeBudgetResolvers<ContextType = Context, ParentType extends ResolversParentTypes['JudgeBudget'] = ResolversParentTypes['JudgeBudget']> = {
  dollars?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  judgements?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  tokens?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type JudgeUsageResolvers<ContextType = Context, ParentType extends ResolversParentTypes['JudgeUsage'] = ResolversParentTypes['JudgeUsage']> = {
  dollars?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  judgements?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  tokens?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type JudgementLeaseResolvers<ContextType = Context, ParentType extends ResolversParentTypes['JudgementLease'] = ResolversParentTypes['JudgementLease']> = {
  attempt?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type JudgementPairResolvers<ContextType = Context, ParentType extends ResolversParentTypes['JudgementPair'] = ResolversParentTypes['JudgementPair']> = {
  human?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  isLabelled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  judge?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  stepId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  threadId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type LeaseDatasetExperimentItemsPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['LeaseDatasetExperimentItemsPayload'] = ResolversParentTypes['LeaseDatasetExperimentItemsPayload']> = {
  leases?: Resolver<Array<ResolversTypes['ExperimentLease']>, ParentType, ContextType>;
};

export type LeaseJudgementsPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['LeaseJudgementsPayload'] = ResolversParentTypes['LeaseJudgementsPayload']> = {
  isSpent?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  judgeId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  leases?: Resolver<Array<ResolversTypes['JudgementLease']>, ParentType, ContextType>;
  usedToday?: Resolver<ResolversTypes['JudgeUsage'], ParentType, ContextType>;
  waitMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type MeasurementResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Measurement'] = ResolversParentTypes['Measurement']> = {
  cost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deviation?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  errorCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  inputTokens?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  mean?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  outputTokens?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  p50?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  p95?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  p99?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  start?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  tokens?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  unpricedCount?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type MetricSeriesResolvers<ContextType = Context, ParentType extends ResolversParentTypes['MetricSeries'] = ResolversParentTypes['MetricSeries']> = {
  buckets?: Resolver<Array<ResolversTypes['Measurement']>, ParentType, ContextType>;
  isRest?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  key?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Measurement'], ParentType, ContextType>;
};

export type MetricsResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Metrics'] = ResolversParentTypes['Metrics']> = {
  bucketSeconds?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  leavesOutDeleted?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  series?: Resolver<Array<ResolversTypes['MetricSeries']>, ParentType, ContextType>;
};

export type ModelEndpointResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ModelEndpoint'] = ResolversParentTypes['ModelEndpoint']> = {
  baseUrl?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  hasKey?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  model?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  protocol?: Resolver<ResolversTypes['ModelProtocol'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  addGenerationToDataset?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType, RequireFields<MutationAddGenerationToDatasetArgs, 'datasetId' | 'generationId'>>;
  addGenerationsToDataset?: Resolver<ResolversTypes['AddGenerationsToDatasetPayload'], ParentType, ContextType, RequireFields<MutationAddGenerationsToDatasetArgs, 'datasetId' | 'generationIds'>>;
  addStepToDataset?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType, RequireFields<MutationAddStepToDatasetArgs, 'datasetId' | 'stepId'>>;
  addThreadToDataset?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType, RequireFields<MutationAddThreadToDatasetArgs, 'datasetId' | 'threadId'>>;
  createAlert?: Resolver<ResolversTypes['AlertWithSecret'], ParentType, ContextType, RequireFields<MutationCreateAlertArgs, 'comparison' | 'metric' | 'name' | 'subject' | 'threshold' | 'webhookUrl' | 'windowMinutes'>>;
  createApiKey?: Resolver<ResolversTypes['CreatedApiKey'], ParentType, ContextType, RequireFields<MutationCreateApiKeyArgs, 'name' | 'scopes'>>;
  createAttachment?: Resolver<Maybe<ResolversTypes['Attachment']>, ParentType, ContextType, RequireFields<MutationCreateAttachmentArgs, 'name' | 'stepId'>>;
  createDataset?: Resolver<Maybe<ResolversTypes['Dataset']>, ParentType, ContextType, RequireFields<MutationCreateDatasetArgs, 'name'>>;
  createDatasetExperiment?: Resolver<Maybe<ResolversTypes['DatasetExperiment']>, ParentType, ContextType, RequireFields<MutationCreateDatasetExperimentArgs, 'name'>>;
  createDatasetExperimentItem?: Resolver<Maybe<ResolversTypes['DatasetExperimentItem']>, ParentType, ContextType, RequireFields<MutationCreateDatasetExperimentItemArgs, 'datasetExperimentId'>>;
  createDatasetExperimentItems?: Resolver<ResolversTypes['CreateDatasetExperimentItemsPayload'], ParentType, ContextType, RequireFields<MutationCreateDatasetExperimentItemsArgs, 'datasetExperimentId' | 'holder' | 'items'>>;
  createDatasetItem?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType, RequireFields<MutationCreateDatasetItemArgs, 'datasetId' | 'input'>>;
  createGeneration?: Resolver<Maybe<ResolversTypes['Generation']>, ParentType, ContextType, RequireFields<MutationCreateGenerationArgs, 'generation'>>;
  createJudgements?: Resolver<ResolversTypes['CreateJudgementsPayload'], ParentType, ContextType, RequireFields<MutationCreateJudgementsArgs, 'holder' | 'judgeId' | 'judgements'>>;
  createParticipant?: Resolver<Maybe<ResolversTypes['Participant']>, ParentType, ContextType, RequireFields<MutationCreateParticipantArgs, 'identifier'>>;
  createPromptExperiment?: Resolver<Maybe<ResolversTypes['PromptExperiment']>, ParentType, ContextType, Partial<MutationCreatePromptExperimentArgs>>;
  createPromptLineage?: Resolver<Maybe<ResolversTypes['PromptLineage']>, ParentType, ContextType, RequireFields<MutationCreatePromptLineageArgs, 'name'>>;
  createPromptVersion?: Resolver<Maybe<ResolversTypes['PromptVersion']>, ParentType, ContextType, RequireFields<MutationCreatePromptVersionArgs, 'lineageId'>>;
  createScore?: Resolver<Maybe<ResolversTypes['Score']>, ParentType, ContextType, RequireFields<MutationCreateScoreArgs, 'name' | 'type'>>;
  createScores?: Resolver<ResolversTypes['CreateScoresPayload'], ParentType, ContextType, RequireFields<MutationCreateScoresArgs, 'scores'>>;
  createStep?: Resolver<Maybe<ResolversTypes['Step']>, ParentType, ContextType, Partial<MutationCreateStepArgs>>;
  createThread?: Resolver<Maybe<ResolversTypes['Thread']>, ParentType, ContextType, Partial<MutationCreateThreadArgs>>;
  createView?: Resolver<ResolversTypes['View'], ParentType, ContextType, RequireFields<MutationCreateViewArgs, 'name' | 'query' | 'subject'>>;
  deleteAlert?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteAlertArgs, 'id'>>;
  deleteAttachment?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteAttachmentArgs, 'id'>>;
  deleteDataset?: Resolver<Maybe<ResolversTypes['Dataset']>, ParentType, ContextType, RequireFields<MutationDeleteDatasetArgs, 'id'>>;
  deleteDatasetExperiment?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteDatasetExperimentArgs, 'id'>>;
  deleteDatasetItem?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType, RequireFields<MutationDeleteDatasetItemArgs, 'id'>>;
  deleteModelEndpoint?: Resolver<Maybe<ResolversTypes['ModelEndpoint']>, ParentType, ContextType, RequireFields<MutationDeleteModelEndpointArgs, 'id'>>;
  deleteParticipant?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteParticipantArgs, 'id'>>;
  deleteParticipantData?: Resolver<ResolversTypes['DeletedParticipantData'], ParentType, ContextType, RequireFields<MutationDeleteParticipantDataArgs, 'copies' | 'dryRun' | 'identifier'>>;
  deletePrice?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeletePriceArgs, 'id'>>;
  deleteScore?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteScoreArgs, 'id'>>;
  deleteScoreDefinition?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteScoreDefinitionArgs, 'name'>>;
  deleteStep?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteStepArgs, 'id'>>;
  deleteThread?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteThreadArgs, 'id'>>;
  deleteView?: Resolver<Maybe<ResolversTypes['Deleted']>, ParentType, ContextType, RequireFields<MutationDeleteViewArgs, 'id'>>;
  endDatasetExperiment?: Resolver<Maybe<ResolversTypes['DatasetExperiment']>, ParentType, ContextType, RequireFields<MutationEndDatasetExperimentArgs, 'id' | 'status'>>;
  ingestStep?: Resolver<ResolversTypes['IngestStepPayload'], ParentType, ContextType, RequireFields<MutationIngestStepArgs, 'id'>>;
  ingestSteps?: Resolver<ResolversTypes['IngestStepsPayload'], ParentType, ContextType, RequireFields<MutationIngestStepsArgs, 'steps'>>;
  leaseDatasetExperimentItems?: Resolver<ResolversTypes['LeaseDatasetExperimentItemsPayload'], ParentType, ContextType, RequireFields<MutationLeaseDatasetExperimentItemsArgs, 'datasetExperimentId' | 'holder' | 'items' | 'seconds'>>;
  leaseJudgements?: Resolver<ResolversTypes['LeaseJudgementsPayload'], ParentType, ContextType, RequireFields<MutationLeaseJudgementsArgs, 'first' | 'holder' | 'judge' | 'seconds'>>;
  promotePromptVersion?: Resolver<Maybe<ResolversTypes['PromptLineage']>, ParentType, ContextType, RequireFields<MutationPromotePromptVersionArgs, 'lineageId' | 'version'>>;
  removePromptLabel?: Resolver<Maybe<ResolversTypes['PromptLineage']>, ParentType, ContextType, RequireFields<MutationRemovePromptLabelArgs, 'label' | 'name'>>;
  reprice?: Resolver<ResolversTypes['Repricing'], ParentType, ContextType>;
  retryDatasetExperimentItems?: Resolver<ResolversTypes['RetryDatasetExperimentItemsPayload'], ParentType, ContextType, RequireFields<MutationRetryDatasetExperimentItemsArgs, 'datasetExperimentId'>>;
  revokeApiKey?: Resolver<ResolversTypes['Deleted'], ParentType, ContextType, RequireFields<MutationRevokeApiKeyArgs, 'id'>>;
  rotateAlertSecret?: Resolver<ResolversTypes['AlertWithSecret'], ParentType, ContextType, RequireFields<MutationRotateAlertSecretArgs, 'id'>>;
  setConversationEnd?: Resolver<Maybe<ResolversTypes['ConversationEnd']>, ParentType, ContextType, Partial<MutationSetConversationEndArgs>>;
  setModelEndpoint?: Resolver<Maybe<ResolversTypes['ModelEndpoint']>, ParentType, ContextType, RequireFields<MutationSetModelEndpointArgs, 'baseUrl' | 'model' | 'name' | 'protocol'>>;
  setPrices?: Resolver<Array<ResolversTypes['Price']>, ParentType, ContextType, RequireFields<MutationSetPricesArgs, 'prices'>>;
  setPromptLabel?: Resolver<Maybe<ResolversTypes['PromptLineage']>, ParentType, ContextType, RequireFields<MutationSetPromptLabelArgs, 'label' | 'name' | 'version'>>;
  setRetention?: Resolver<ResolversTypes['Retention'], ParentType, ContextType, RequireFields<MutationSetRetentionArgs, 'rules'>>;
  setScoreDefinition?: Resolver<ResolversTypes['ScoreDefinition'], ParentType, ContextType, RequireFields<MutationSetScoreDefinitionArgs, 'name'>>;
  testAlert?: Resolver<ResolversTypes['AlertEvent'], ParentType, ContextType, RequireFields<MutationTestAlertArgs, 'id'>>;
  updateAlert?: Resolver<ResolversTypes['Alert'], ParentType, ContextType, RequireFields<MutationUpdateAlertArgs, 'id'>>;
  updateAttachment?: Resolver<Maybe<ResolversTypes['Attachment']>, ParentType, ContextType, RequireFields<MutationUpdateAttachmentArgs, 'id'>>;
  updateDataset?: Resolver<Maybe<ResolversTypes['Dataset']>, ParentType, ContextType, RequireFields<MutationUpdateDatasetArgs, 'id'>>;
  updateDatasetItem?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType, RequireFields<MutationUpdateDatasetItemArgs, 'id'>>;
  updateParticipant?: Resolver<Maybe<ResolversTypes['Participant']>, ParentType, ContextType, RequireFields<MutationUpdateParticipantArgs, 'id'>>;
  updatePromptLineageRollout?: Resolver<ResolversTypes['UpdatePromptLineageRolloutPayload'], ParentType, ContextType, RequireFields<MutationUpdatePromptLineageRolloutArgs, 'name' | 'rollouts'>>;
  updateScore?: Resolver<Maybe<ResolversTypes['Score']>, ParentType, ContextType, RequireFields<MutationUpdateScoreArgs, 'id'>>;
  updateStep?: Resolver<Maybe<ResolversTypes['Step']>, ParentType, ContextType, RequireFields<MutationUpdateStepArgs, 'id'>>;
  updateThread?: Resolver<Maybe<ResolversTypes['Thread']>, ParentType, ContextType, RequireFields<MutationUpdateThreadArgs, 'id'>>;
  updateView?: Resolver<ResolversTypes['View'], ParentType, ContextType, RequireFields<MutationUpdateViewArgs, 'id'>>;
  upsertThread?: Resolver<Maybe<ResolversTypes['Thread']>, ParentType, ContextType, RequireFields<MutationUpsertThreadArgs, 'id'>>;
};

export type OutlineResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Outline'] = ResolversParentTypes['Outline']> = {
  changes?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType, RequireFields<OutlineChangesArgs, 'since'>>;
  endedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  errorCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  isWhole?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  matches?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType, RequireFields<OutlineMatchesArgs, 'first' | 'text'>>;
  maxDepth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  names?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  runningCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  skeleton?: Resolver<ResolversTypes['Json'], ParentType, ContextType, RequireFields<OutlineSkeletonArgs, 'from'>>;
  snapshot?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  stepCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  types?: Resolver<Array<ResolversTypes['StepType']>, ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ParticipantResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Participant'] = ResolversParentTypes['Participant']> = {
  cost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  errorCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  firstEngaged?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  identifier?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastEngaged?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  metadata?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
  threadCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  tokenCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  unpricedCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ParticipantConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ParticipantConnection'] = ResolversParentTypes['ParticipantConnection']> = {
  edges?: Resolver<Array<ResolversTypes['ParticipantEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ParticipantEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ParticipantEdge'] = ResolversParentTypes['ParticipantEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Participant'], ParentType, ContextType>;
};

export type PriceResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Price'] = ResolversParentTypes['Price']> = {
  asOf?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  models?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  provider?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  rates?: Resolver<ResolversTypes['PriceRates'], ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  tiers?: Resolver<Array<ResolversTypes['PriceTier']>, ParentType, ContextType>;
  until?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type PriceBookResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PriceBook'] = ResolversParentTypes['PriceBook']> = {
  ageDays?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  asOf?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isOld?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  prices?: Resolver<Array<ResolversTypes['Price']>, ParentType, ContextType>;
};

export type PriceRatesResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PriceRates'] = ResolversParentTypes['PriceRates']> = {
  audioInput?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  audioOutput?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  cacheWrite?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  cacheWrite1h?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  cacheWrite5m?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  cached?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  imageInput?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  imageOutput?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  input?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  output?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  reasoning?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type PriceTierResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PriceTier'] = ResolversParentTypes['PriceTier']> = {
  aboveInputTokens?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  rates?: Resolver<ResolversTypes['PriceRates'], ParentType, ContextType>;
  serviceTier?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ProjectResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Project'] = ResolversParentTypes['Project']> = {
  conversationEnd?: Resolver<Maybe<ResolversTypes['ConversationEnd']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isEmpty?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  scopes?: Resolver<Array<ResolversTypes['KeyScope']>, ParentType, ContextType>;
  storage?: Resolver<Maybe<ResolversTypes['Storage']>, ParentType, ContextType>;
};

export type PromptExperimentResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptExperiment'] = ResolversParentTypes['PromptExperiment']> = {
  fromLineageId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  fromVersion?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  projectId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  projectUserId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  scoreTemplateId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  settings?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  templateMessages?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  tools?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  variables?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
};

export type PromptLabelResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptLabel'] = ResolversParentTypes['PromptLabel']> = {
  movedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  movedBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type PromptLabelMoveResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptLabelMove'] = ResolversParentTypes['PromptLabelMove']> = {
  fromVersion?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  label?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  movedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  movedBy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  toVersion?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type PromptLineageResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptLineage'] = ResolversParentTypes['PromptLineage']> = {
  championId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  deletedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  labelMoves?: Resolver<Array<ResolversTypes['PromptLabelMove']>, ParentType, ContextType>;
  labels?: Resolver<Array<ResolversTypes['PromptLabel']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  rollouts?: Resolver<Array<ResolversTypes['PromptVersionRollout']>, ParentType, ContextType>;
  versions?: Resolver<Array<ResolversTypes['PromptVersion']>, ParentType, ContextType>;
};

export type PromptLineageConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptLineageConnection'] = ResolversParentTypes['PromptLineageConnection']> = {
  edges?: Resolver<Array<ResolversTypes['PromptLineageEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type PromptLineageEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptLineageEdge'] = ResolversParentTypes['PromptLineageEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['PromptLineage'], ParentType, ContextType>;
};

export type PromptRolloutResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptRollout'] = ResolversParentTypes['PromptRollout']> = {
  labelledVersions?: Resolver<Array<ResolversTypes['PromptVersion']>, ParentType, ContextType>;
  labels?: Resolver<Array<ResolversTypes['PromptLabel']>, ParentType, ContextType>;
  lineage?: Resolver<ResolversTypes['PromptLineage'], ParentType, ContextType>;
  segments?: Resolver<Array<ResolversTypes['PromptSegment']>, ParentType, ContextType>;
  versions?: Resolver<Array<ResolversTypes['PromptVersion']>, ParentType, ContextType>;
};

export type PromptSegmentResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptSegment'] = ResolversParentTypes['PromptSegment']> = {
  from?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  to?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type PromptUseResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptUse'] = ResolversParentTypes['PromptUse']> = {
  errorCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  generationCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  meanDuration?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  meanTokens?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  scores?: Resolver<Array<ResolversTypes['ScoreSummary']>, ParentType, ContextType>;
};

export type PromptVersionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptVersion'] = ResolversParentTypes['PromptVersion']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lineage?: Resolver<ResolversTypes['PromptLineage'], ParentType, ContextType>;
  settings?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  tags?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  templateMessages?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
  tools?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['GenerationType'], ParentType, ContextType>;
  updatedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  url?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  use?: Resolver<ResolversTypes['PromptUse'], ParentType, ContextType, Partial<PromptVersionUseArgs>>;
  variables?: Resolver<ResolversTypes['Json'], ParentType, ContextType>;
  variablesDefaultValues?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  versionDesc?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PromptVersionRolloutResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptVersionRollout'] = ResolversParentTypes['PromptVersionRollout']> = {
  rollout?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type PromptVersionRolloutConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptVersionRolloutConnection'] = ResolversParentTypes['PromptVersionRolloutConnection']> = {
  edges?: Resolver<Array<ResolversTypes['PromptVersionRolloutEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type PromptVersionRolloutEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['PromptVersionRolloutEdge'] = ResolversParentTypes['PromptVersionRolloutEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['PromptVersionRollout'], ParentType, ContextType>;
};

export type QueryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  alertEvents?: Resolver<Array<ResolversTypes['AlertEvent']>, ParentType, ContextType, RequireFields<QueryAlertEventsArgs, 'alertId'>>;
  alerts?: Resolver<Array<ResolversTypes['Alert']>, ParentType, ContextType>;
  apiKeys?: Resolver<Array<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  attachment?: Resolver<Maybe<ResolversTypes['Attachment']>, ParentType, ContextType, RequireFields<QueryAttachmentArgs, 'id'>>;
  auditEntries?: Resolver<ResolversTypes['AuditEntryConnection'], ParentType, ContextType, Partial<QueryAuditEntriesArgs>>;
  dataset?: Resolver<Maybe<ResolversTypes['Dataset']>, ParentType, ContextType, Partial<QueryDatasetArgs>>;
  datasetExperiment?: Resolver<Maybe<ResolversTypes['DatasetExperiment']>, ParentType, ContextType, RequireFields<QueryDatasetExperimentArgs, 'id'>>;
  datasetExperiments?: Resolver<ResolversTypes['DatasetExperimentConnection'], ParentType, ContextType, Partial<QueryDatasetExperimentsArgs>>;
  datasetItem?: Resolver<Maybe<ResolversTypes['DatasetItem']>, ParentType, ContextType, RequireFields<QueryDatasetItemArgs, 'id'>>;
  datasets?: Resolver<ResolversTypes['DatasetConnection'], ParentType, ContextType, Partial<QueryDatasetsArgs>>;
  facets?: Resolver<Array<ResolversTypes['Facet']>, ParentType, ContextType, RequireFields<QueryFacetsArgs, 'field' | 'first'>>;
  generations?: Resolver<ResolversTypes['GenerationConnection'], ParentType, ContextType, Partial<QueryGenerationsArgs>>;
  judgementPairs?: Resolver<Array<ResolversTypes['JudgementPair']>, ParentType, ContextType, RequireFields<QueryJudgementPairsArgs, 'judgeId' | 'name'>>;
  judges?: Resolver<Array<ResolversTypes['Judge']>, ParentType, ContextType>;
  metrics?: Resolver<ResolversTypes['Metrics'], ParentType, ContextType, RequireFields<QueryMetricsArgs, 'buckets' | 'excludeExperiments' | 'from' | 'subject' | 'to'>>;
  modelEndpoints?: Resolver<Array<ResolversTypes['ModelEndpoint']>, ParentType, ContextType>;
  outline?: Resolver<Maybe<ResolversTypes['Outline']>, ParentType, ContextType, Partial<QueryOutlineArgs>>;
  participant?: Resolver<Maybe<ResolversTypes['Participant']>, ParentType, ContextType, Partial<QueryParticipantArgs>>;
  participants?: Resolver<ResolversTypes['ParticipantConnection'], ParentType, ContextType, Partial<QueryParticipantsArgs>>;
  priceBook?: Resolver<ResolversTypes['PriceBook'], ParentType, ContextType>;
  prices?: Resolver<Array<ResolversTypes['Price']>, ParentType, ContextType>;
  project?: Resolver<ResolversTypes['Project'], ParentType, ContextType>;
  promptLineage?: Resolver<Maybe<ResolversTypes['PromptLineage']>, ParentType, ContextType, RequireFields<QueryPromptLineageArgs, 'name'>>;
  promptLineageRollout?: Resolver<ResolversTypes['PromptVersionRolloutConnection'], ParentType, ContextType, RequireFields<QueryPromptLineageRolloutArgs, 'lineageName'>>;
  promptLineages?: Resolver<ResolversTypes['PromptLineageConnection'], ParentType, ContextType>;
  promptRollout?: Resolver<Maybe<ResolversTypes['PromptRollout']>, ParentType, ContextType, RequireFields<QueryPromptRolloutArgs, 'name'>>;
  promptVersion?: Resolver<Maybe<ResolversTypes['PromptVersion']>, ParentType, ContextType, Partial<QueryPromptVersionArgs>>;
  repricing?: Resolver<Maybe<ResolversTypes['Repricing']>, ParentType, ContextType>;
  retention?: Resolver<ResolversTypes['Retention'], ParentType, ContextType>;
  retentionPreview?: Resolver<ResolversTypes['RetentionPreview'], ParentType, ContextType, RequireFields<QueryRetentionPreviewArgs, 'rules'>>;
  scoreDefinitions?: Resolver<Array<ResolversTypes['ScoreDefinition']>, ParentType, ContextType>;
  scores?: Resolver<ResolversTypes['ScoreConnection'], ParentType, ContextType, Partial<QueryScoresArgs>>;
  session?: Resolver<Maybe<ResolversTypes['ClientSession']>, ParentType, ContextType, RequireFields<QuerySessionArgs, 'id'>>;
  step?: Resolver<Maybe<ResolversTypes['Step']>, ParentType, ContextType, RequireFields<QueryStepArgs, 'id'>>;
  steps?: Resolver<ResolversTypes['StepConnection'], ParentType, ContextType, Partial<QueryStepsArgs>>;
  stepsById?: Resolver<Array<Maybe<ResolversTypes['Step']>>, ParentType, ContextType, RequireFields<QueryStepsByIdArgs, 'ids'>>;
  threadDetail?: Resolver<Maybe<ResolversTypes['Thread']>, ParentType, ContextType, RequireFields<QueryThreadDetailArgs, 'id'>>;
  threads?: Resolver<ResolversTypes['ThreadConnection'], ParentType, ContextType, Partial<QueryThreadsArgs>>;
  views?: Resolver<Array<ResolversTypes['View']>, ParentType, ContextType, Partial<QueryViewsArgs>>;
};

export type RefusedResultScoreResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RefusedResultScore'] = ResolversParentTypes['RefusedResultScore']> = {
  code?: Resolver<ResolversTypes['ErrorCode'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  resultIndex?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type RefusedScoreResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RefusedScore'] = ResolversParentTypes['RefusedScore']> = {
  code?: Resolver<ResolversTypes['ErrorCode'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  stepIndex?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  threadIndex?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type RefusedStepResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RefusedStep'] = ResolversParentTypes['RefusedStep']> = {
  code?: Resolver<ResolversTypes['ErrorCode'], ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type RefusedThreadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RefusedThread'] = ResolversParentTypes['RefusedThread']> = {
  code?: Resolver<ResolversTypes['ErrorCode'], ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type RepricingResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Repricing'] = ResolversParentTypes['Repricing']> = {
  done?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  endedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  startedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type RetentionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Retention'] = ResolversParentTypes['Retention']> = {
  deletedSteps?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  deletedThreads?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  keep?: Resolver<Array<ResolversTypes['RetentionException']>, ParentType, ContextType>;
  keepMetrics?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  lastDeletedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  rules?: Resolver<Array<ResolversTypes['RetentionRule']>, ParentType, ContextType>;
};

export type RetentionPreviewResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RetentionPreview'] = ResolversParentTypes['RetentionPreview']> = {
  isComplete?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  steps?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  threads?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type RetentionRuleResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RetentionRule'] = ResolversParentTypes['RetentionRule']> = {
  days?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  environment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type RetryDatasetExperimentItemsPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['RetryDatasetExperimentItemsPayload'] = ResolversParentTypes['RetryDatasetExperimentItemsPayload']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ScoreResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Score'] = ResolversParentTypes['Score']> = {
  comment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  datasetExperimentItemId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  experimentItem?: Resolver<Maybe<ResolversTypes['ExperimentItemPlace']>, ParentType, ContextType>;
  generationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isStepMissing?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  isThreadMissing?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  projectId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  scorer?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  step?: Resolver<Maybe<ResolversTypes['Step']>, ParentType, ContextType>;
  stepId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  tags?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  thread?: Resolver<Maybe<ResolversTypes['Thread']>, ParentType, ContextType>;
  threadId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['ScoreType'], ParentType, ContextType>;
  updatedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ScoreConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ScoreConnection'] = ResolversParentTypes['ScoreConnection']> = {
  edges?: Resolver<Array<ResolversTypes['ScoreEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ScoreDefinitionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ScoreDefinition'] = ResolversParentTypes['ScoreDefinition']> = {
  better?: Resolver<ResolversTypes['ScoreDirection'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  isEnforced?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ScoreKind'], ParentType, ContextType>;
  labels?: Resolver<Array<ResolversTypes['ScoreLabel']>, ParentType, ContextType>;
  max?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  min?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ScoreEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ScoreEdge'] = ResolversParentTypes['ScoreEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Score'], ParentType, ContextType>;
};

export type ScoreLabelResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ScoreLabel'] = ResolversParentTypes['ScoreLabel']> = {
  label?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ScoreSummaryResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ScoreSummary'] = ResolversParentTypes['ScoreSummary']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deviation?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  mean?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type SequenceRangeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SequenceRange'] = ResolversParentTypes['SequenceRange']> = {
  from?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  to?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type SessionLossResolvers<ContextType = Context, ParentType extends ResolversParentTypes['SessionLoss'] = ResolversParentTypes['SessionLoss']> = {
  from?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  threadId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  to?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type StepResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Step'] = ResolversParentTypes['Step']> = {
  attachments?: Resolver<Array<ResolversTypes['Attachment']>, ParentType, ContextType>;
  cost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  endTime?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  environment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  generation?: Resolver<Maybe<ResolversTypes['Generation']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  input?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  inputBytes?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  inputExcerpt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  inputPreview?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType, RequireFields<StepInputPreviewArgs, 'chars'>>;
  metadata?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  output?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  outputBytes?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  outputExcerpt?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  outputPreview?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType, RequireFields<StepOutputPreviewArgs, 'chars'>>;
  parentId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  participantIdentifier?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  rootRunId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  scores?: Resolver<Array<ResolversTypes['Score']>, ParentType, ContextType>;
  sequence?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  sessionId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  startTime?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  tags?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  thread?: Resolver<Maybe<ResolversTypes['Thread']>, ParentType, ContextType>;
  threadId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['StepType'], ParentType, ContextType>;
};

export type StepConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['StepConnection'] = ResolversParentTypes['StepConnection']> = {
  edges?: Resolver<Array<ResolversTypes['StepEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type StepEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['StepEdge'] = ResolversParentTypes['StepEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Step'], ParentType, ContextType>;
};

export type StorageResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Storage'] = ResolversParentTypes['Storage']> = {
  database?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  databaseBytes?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  databasePlace?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  files?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  filesPlace?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ThreadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['Thread'] = ResolversParentTypes['Thread']> = {
  cost?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  duration?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  endedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  environment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  errorCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  firstError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  firstMessage?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  lastMessage?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  metadata?: Resolver<Maybe<ResolversTypes['Json']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  participant?: Resolver<Maybe<ResolversTypes['Participant']>, ParentType, ContextType>;
  scores?: Resolver<Array<ResolversTypes['Score']>, ParentType, ContextType, RequireFields<ThreadScoresArgs, 'first'>>;
  sessions?: Resolver<Array<ResolversTypes['ClientSession']>, ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  stepCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  steps?: Resolver<Array<ResolversTypes['Step']>, ParentType, ContextType>;
  tags?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  tokenCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  unpricedCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ThreadConnectionResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ThreadConnection'] = ResolversParentTypes['ThreadConnection']> = {
  edges?: Resolver<Array<ResolversTypes['ThreadEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ThreadEdgeResolvers<ContextType = Context, ParentType extends ResolversParentTypes['ThreadEdge'] = ResolversParentTypes['ThreadEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Thread'], ParentType, ContextType>;
};

export type TokenUsageResolvers<ContextType = Context, ParentType extends ResolversParentTypes['TokenUsage'] = ResolversParentTypes['TokenUsage']> = {
  audioInput?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  audioOutput?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  cacheWrite?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  cacheWrite1h?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  cacheWrite5m?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  cached?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  imageInput?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  imageOutput?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  input?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  output?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  reasoning?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  unexplained?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type UnpricedPartResolvers<ContextType = Context, ParentType extends ResolversParentTypes['UnpricedPart'] = ResolversParentTypes['UnpricedPart']> = {
  part?: Resolver<ResolversTypes['TokenPart'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['UnpricedReason'], ParentType, ContextType>;
  tokens?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type UpdatePromptLineageRolloutPayloadResolvers<ContextType = Context, ParentType extends ResolversParentTypes['UpdatePromptLineageRolloutPayload'] = ResolversParentTypes['UpdatePromptLineageRolloutPayload']> = {
  errorCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  message?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  ok?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type ViewResolvers<ContextType = Context, ParentType extends ResolversParentTypes['View'] = ResolversParentTypes['View']> = {
  chart?: Resolver<Maybe<ResolversTypes['ChartSettings']>, ParentType, ContextType>;
  columns?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  environment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  isDefault?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  orderColumn?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  orderDirection?: Resolver<Maybe<ResolversTypes['OrderDirection']>, ParentType, ContextType>;
  position?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  query?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  range?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  subject?: Resolver<ResolversTypes['ViewSubject'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type Resolvers<ContextType = Context> = {
  AddGenerationsToDatasetPayload?: AddGenerationsToDatasetPayloadResolvers<ContextType>;
  Alert?: AlertResolvers<ContextType>;
  AlertCall?: AlertCallResolvers<ContextType>;
  AlertEvent?: AlertEventResolvers<ContextType>;
  AlertQuietHours?: AlertQuietHoursResolvers<ContextType>;
  AlertQuietPeriod?: AlertQuietPeriodResolvers<ContextType>;
  AlertWithSecret?: AlertWithSecretResolvers<ContextType>;
  ApiKey?: ApiKeyResolvers<ContextType>;
  Attachment?: AttachmentResolvers<ContextType>;
  AuditEntry?: AuditEntryResolvers<ContextType>;
  AuditEntryConnection?: AuditEntryConnectionResolvers<ContextType>;
  AuditEntryEdge?: AuditEntryEdgeResolvers<ContextType>;
  ChartSettings?: ChartSettingsResolvers<ContextType>;
  ClientSession?: ClientSessionResolvers<ContextType>;
  ConversationEnd?: ConversationEndResolvers<ContextType>;
  CostDetails?: CostDetailsResolvers<ContextType>;
  CostPart?: CostPartResolvers<ContextType>;
  CreateDatasetExperimentItemsPayload?: CreateDatasetExperimentItemsPayloadResolvers<ContextType>;
  CreateJudgementsPayload?: CreateJudgementsPayloadResolvers<ContextType>;
  CreateScoresPayload?: CreateScoresPayloadResolvers<ContextType>;
  CreatedApiKey?: CreatedApiKeyResolvers<ContextType>;
  Dataset?: DatasetResolvers<ContextType>;
  DatasetConnection?: DatasetConnectionResolvers<ContextType>;
  DatasetEdge?: DatasetEdgeResolvers<ContextType>;
  DatasetExperiment?: DatasetExperimentResolvers<ContextType>;
  DatasetExperimentConnection?: DatasetExperimentConnectionResolvers<ContextType>;
  DatasetExperimentEdge?: DatasetExperimentEdgeResolvers<ContextType>;
  DatasetExperimentItem?: DatasetExperimentItemResolvers<ContextType>;
  DatasetExperimentItemConnection?: DatasetExperimentItemConnectionResolvers<ContextType>;
  DatasetExperimentItemEdge?: DatasetExperimentItemEdgeResolvers<ContextType>;
  DatasetItem?: DatasetItemResolvers<ContextType>;
  DatasetItemConnection?: DatasetItemConnectionResolvers<ContextType>;
  DatasetItemEdge?: DatasetItemEdgeResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  Deleted?: DeletedResolvers<ContextType>;
  DeletedParticipantData?: DeletedParticipantDataResolvers<ContextType>;
  ExperimentItemPlace?: ExperimentItemPlaceResolvers<ContextType>;
  ExperimentLease?: ExperimentLeaseResolvers<ContextType>;
  ExperimentOutcomes?: ExperimentOutcomesResolvers<ContextType>;
  Facet?: FacetResolvers<ContextType>;
  Generation?: GenerationResolvers<ContextType>;
  GenerationConnection?: GenerationConnectionResolvers<ContextType>;
  GenerationEdge?: GenerationEdgeResolvers<ContextType>;
  IngestStepPayload?: IngestStepPayloadResolvers<ContextType>;
  IngestStepsPayload?: IngestStepsPayloadResolvers<ContextType>;
  Json?: GraphQLScalarType;
  Judge?: JudgeResolvers<ContextType>;
  JudgeBudget?: JudgeBudgetResolvers<ContextType>;
  JudgeUsage?: JudgeUsageResolvers<ContextType>;
  JudgementLease?: JudgementLeaseResolvers<ContextType>;
  JudgementPair?: JudgementPairResolvers<ContextType>;
  LeaseDatasetExperimentItemsPayload?: LeaseDatasetExperimentItemsPayloadResolvers<ContextType>;
  LeaseJudgementsPayload?: LeaseJudgementsPayloadResolvers<ContextType>;
  Measurement?: MeasurementResolvers<ContextType>;
  MetricSeries?: MetricSeriesResolvers<ContextType>;
  Metrics?: MetricsResolvers<ContextType>;
  ModelEndpoint?: ModelEndpointResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Outline?: OutlineResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Participant?: ParticipantResolvers<ContextType>;
  ParticipantConnection?: ParticipantConnectionResolvers<ContextType>;
  ParticipantEdge?: ParticipantEdgeResolvers<ContextType>;
  Price?: PriceResolvers<ContextType>;
  PriceBook?: PriceBookResolvers<ContextType>;
  PriceRates?: PriceRatesResolvers<ContextType>;
  PriceTier?: PriceTierResolvers<ContextType>;
  Project?: ProjectResolvers<ContextType>;
  PromptExperiment?: PromptExperimentResolvers<ContextType>;
  PromptLabel?: PromptLabelResolvers<ContextType>;
  PromptLabelMove?: PromptLabelMoveResolvers<ContextType>;
  PromptLineage?: PromptLineageResolvers<ContextType>;
  PromptLineageConnection?: PromptLineageConnectionResolvers<ContextType>;
  PromptLineageEdge?: PromptLineageEdgeResolvers<ContextType>;
  PromptRollout?: PromptRolloutResolvers<ContextType>;
  PromptSegment?: PromptSegmentResolvers<ContextType>;
  PromptUse?: PromptUseResolvers<ContextType>;
  PromptVersion?: PromptVersionResolvers<ContextType>;
  PromptVersionRollout?: PromptVersionRolloutResolvers<ContextType>;
  PromptVersionRolloutConnection?: PromptVersionRolloutConnectionResolvers<ContextType>;
  PromptVersionRolloutEdge?: PromptVersionRolloutEdgeResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  RefusedResultScore?: RefusedResultScoreResolvers<ContextType>;
  RefusedScore?: RefusedScoreResolvers<ContextType>;
  RefusedStep?: RefusedStepResolvers<ContextType>;
  RefusedThread?: RefusedThreadResolvers<ContextType>;
  Repricing?: RepricingResolvers<ContextType>;
  Retention?: RetentionResolvers<ContextType>;
  RetentionPreview?: RetentionPreviewResolvers<ContextType>;
  RetentionRule?: RetentionRuleResolvers<ContextType>;
  RetryDatasetExperimentItemsPayload?: RetryDatasetExperimentItemsPayloadResolvers<ContextType>;
  Score?: ScoreResolvers<ContextType>;
  ScoreConnection?: ScoreConnectionResolvers<ContextType>;
  ScoreDefinition?: ScoreDefinitionResolvers<ContextType>;
  ScoreEdge?: ScoreEdgeResolvers<ContextType>;
  ScoreLabel?: ScoreLabelResolvers<ContextType>;
  ScoreSummary?: ScoreSummaryResolvers<ContextType>;
  SequenceRange?: SequenceRangeResolvers<ContextType>;
  SessionLoss?: SessionLossResolvers<ContextType>;
  Step?: StepResolvers<ContextType>;
  StepConnection?: StepConnectionResolvers<ContextType>;
  StepEdge?: StepEdgeResolvers<ContextType>;
  Storage?: StorageResolvers<ContextType>;
  Thread?: ThreadResolvers<ContextType>;
  ThreadConnection?: ThreadConnectionResolvers<ContextType>;
  ThreadEdge?: ThreadEdgeResolvers<ContextType>;
  TokenUsage?: TokenUsageResolvers<ContextType>;
  UnpricedPart?: UnpricedPartResolvers<ContextType>;
  UpdatePromptLineageRolloutPayload?: UpdatePromptLineageRolloutPayloadResolvers<ContextType>;
  View?: ViewResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = Context> = {
  bit?: BitDirectiveResolver<any, any, ContextType>;
  filterable?: FilterableDirectiveResolver<any, any, ContextType>;
  orderable?: OrderableDirectiveResolver<any, any, ContextType>;
  scope?: ScopeDirectiveResolver<any, any, ContextType>;
};
