export type {
  DatasetType,
  ErrorCode,
  GenerationType,
  ScoreType,
  StepType,
} from '../generated/schema.js'
export type { Api } from './api/api.js'
export type {
  Attachment,
  AttachmentUpdate,
  AttachParams,
  CreateAttachmentParams,
  UploadFileParams,
} from './api/attachments.js'
export type {
  CreateDatasetParams,
  Dataset,
  DatasetItem,
  DatasetItemInput,
  DatasetSelector,
  DatasetUpdate,
  DatasetWithItems,
} from './api/datasets.js'
export type {
  CreateExperimentParams,
  DatasetExperiment,
  DatasetExperimentItem,
  ExperimentItemInput,
} from './api/experiments.js'
export type {
  ChatGeneration,
  CompletionGeneration,
  Generation,
  GenerationInput,
  GenerationMessage,
  GetGenerationsParams,
} from './api/generations.js'
export type { PromptChoice, PromptDefinition, PromptLineage, PromptRollout } from './api/prompts.js'
export type { RawResult } from './api/raw.js'
export type {
  CreatedScore,
  GetScoresParams,
  Score,
  ScoreInput,
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
  UpsertThreadParams,
} from './api/threads.js'
export type { GetUsersParams, User } from './api/users.js'
export { StepwellClient } from './client.js'
export type { PromptOptions, StepwellClientOptions } from './client-options.js'
export type {
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
export type { PromptRolloutCopy } from './prompts/rollout.js'
export type { PromptSnapshot } from './prompts/snapshot.js'
export * from './prompts/variables.js'
export type { Fetch } from './settings.js'
export type { Snake } from './spelling.js'
export * from './tracing/index.js'
export type { Content } from './transport/content.js'
export type { QueryParameters, TypedDocument } from './transport/graphql.js'
export type { CallOptions } from './transport/http.js'
export type { UploadedFile } from './transport/upload.js'
