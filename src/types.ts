// The types that signatures use, for every entry point that has such signatures.
export type {
  AuditEntriesColumn,
  GenerationsColumn,
  ParticipantsColumn,
  ScoresColumn,
  StepsColumn,
  ThreadsColumn,
} from '../generated/filters.js'
export type {
  CreateGenerationMutation,
  CreatePromptLineageMutationVariables,
  CreateStepMutation,
  DeleteAttachmentMutation,
  IngestStepsMutation,
  UpdateAttachmentMutation,
  UpdatePromptAbTestingMutation,
  UpdateStepMutation,
} from '../generated/operations.js'
export type {
  AlertCall,
  AlertCallState,
  AlertComparison,
  AlertEventType,
  AlertMetric,
  AlertQuietHours,
  AlertQuietHoursInput,
  AlertQuietPeriod,
  AlertQuietPeriodInput,
  AlertState,
  AlertSubject,
  AttachmentPayloadInput,
  CostSource,
  DatasetType,
  ErrorCode,
  FacetField,
  GenerationPayloadInput,
  GenerationType,
  KeyScope,
  MetricDimension,
  MetricSubject,
  Participant,
  ScoreDirection,
  ScoreKind,
  ScoreLabelInput,
  ScorePayloadInput,
  ScoreType,
  StepType,
  TokenUsageInput,
  Weekday,
} from '../generated/schema.js'
export type {
  Alert,
  AlertEvent,
  AlertEventsParams,
  AlertUpdate,
  AlertWithSecret,
  CreateAlertParams,
} from './api/alerts/alerts.js'
export type { Api } from './api/api.js'
export type {
  Attachment,
  AttachmentUpdate,
  AttachParams,
  CreateAttachmentParams,
  UploadFileParams,
} from './api/attachments.js'
export type { AuditAction, AuditEntry, GetAuditEntriesParams } from './api/audit/audit.js'
export type { IdParam, RawResult } from './api/calls/raw.js'
export type { Price, PriceBook, PriceInput, Repricing } from './api/costs/prices.js'
export type {
  AddGenerationParams,
  AddGenerationsParams,
  AddStepParams,
  AddThreadParams,
} from './api/datasets/copies.js'
export type {
  CreateDatasetParams,
  Dataset,
  DatasetSelector,
  DatasetUpdate,
  DatasetWithItems,
} from './api/datasets/datasets.js'
export type {
  DatasetItem,
  DatasetItemInput,
  DatasetItemUpdate,
  GetDatasetItemsParams,
} from './api/datasets/items.js'
export type {
  CreateExperimentParams,
  DatasetExperiment,
  DatasetExperimentItem,
  EndExperimentParams,
  ExperimentItemInput,
  ExperimentStatus,
  ExperimentWithScores,
  GetExperimentItemsParams,
  GetExperimentsParams,
} from './api/experiments.js'
export type {
  ChatGeneration,
  CompletionGeneration,
  Generation,
  GenerationInput,
  GenerationMessage,
  GetGenerationsParams,
} from './api/generations.js'
export type {
  CreateJudgementsParams,
  GetJudgementPairsParams,
  Judge,
  JudgeBudget,
  JudgeInput,
  JudgementInput,
  JudgementLeases,
  JudgementPair,
  JudgementScoreInput,
  LeaseJudgementsParams,
} from './api/judges.js'
export type {
  CreateExperimentItemsParams,
  ExperimentLease,
  ExperimentLeaseState,
  ExperimentPlace,
  ExperimentResultInput,
  LeaseExperimentItemsParams,
  RefusedResultScore,
  RetryExperimentItemsParams,
  StoredExperimentResults,
} from './api/leases.js'
export type {
  Facet,
  FacetsParams,
  Measurement,
  MetricSeries,
  Metrics,
  MetricsParams,
} from './api/metrics.js'
export type { Outline, OutlineSearch, OutlineStep, OutlineSubject } from './api/outlines.js'
export type {
  ApiKey,
  ConversationEnd,
  CreateApiKeyParams,
  CreatedApiKey,
  ModelEndpoint,
  ModelEndpointDefinition,
  Project,
  SetConversationEndParams,
} from './api/projects.js'
export type { PromptDefinition, PromptVariantDefinition } from './api/prompts/definitions.js'
export type { PromptLabel, PromptLabelName, PromptLabelTarget } from './api/prompts/labels.js'
export type { PromptChoice, PromptLineage } from './api/prompts/prompts.js'
export type { PromptRollout, PromptSplit, PromptVersionUse } from './api/prompts/splits.js'
export type {
  Retention,
  RetentionException,
  RetentionParams,
  RetentionPreview,
  RetentionRuleParams,
  SetRetentionParams,
} from './api/retention/retention.js'
export type {
  CreatedScore,
  GetScoresParams,
  Score,
  ScoreDefinition,
  ScoreDefinitionInput,
  ScoreInput,
  ScoreSummary,
  ScoreUpdate,
} from './api/scores.js'
export type { ClientSession } from './api/sessions.js'
export type {
  CreateStepParams,
  GetStepsParams,
  Step,
  StepInput,
  UpdateStepParams,
} from './api/steps.js'
export type {
  GetThreadsParams,
  ListThreadsParams,
  Thread,
  ThreadChanges,
  ThreadWithSteps,
  UpsertThread,
  UpsertThreadParams,
} from './api/threads.js'
export type {
  CreateUserParams,
  DeletedUserData,
  DeleteUserDataOptions,
  DeleteUserDataParams,
  GetUsersParams,
  User,
  UserUpdate,
} from './api/users.js'
export type {
  CreateViewParams,
  GetViewsParams,
  View,
  ViewSubject,
  ViewUpdate,
} from './api/views/views.js'
export type { PromptOptions, StepwellClientOptions } from './client-options.js'
export type { ExportedList, ExportParams, SnakeExportParams } from './exports.js'
export type {
  AuditEntriesFilter,
  GenerationsFilter,
  OrderBy,
  ScoresFilter,
  StepsFilter,
  ThreadsFilter,
  UsersFilter,
} from './lists/filters.js'
export type { List, Page, PageInfo, PageParams, SnakeList } from './lists/pagination.js'
export type { PromptFields, PromptVariable, TemplateMessage } from './prompts/fields.js'
export type { FormatOptions, FormattedMessage } from './prompts/format.js'
export type { ChatPromptTemplateClass } from './prompts/langchain.js'
export type { Prompt, PromptMethods, SnakePrompt } from './prompts/prompt.js'
export type { PromptCacheOptions } from './prompts/prompt-cache.js'
export type { PromptRolloutCopy } from './prompts/rollout.js'
export type { PromptSnapshot } from './prompts/snapshot.js'
export type * from './prompts/variables.js'
export type { Fetch } from './settings.js'
export type { Snake } from './spelling.js'
export type { Content, ContentSource } from './transport/content.js'
export type { QueryParameters, TypedDocument } from './transport/graphql.js'
export type { CallOptions } from './transport/http.js'
export type { UploadedFile } from './transport/upload.js'
export type { ScoreValue } from './values/scores.js'
