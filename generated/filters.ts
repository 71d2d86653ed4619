import type { AuditAction, AuditActorKind, AuditSubjectKind, CostSource, GenerationType, ScoreType, StepType } from './schema.js'

/** The fields by which auditEntries can be filtered. */
export interface AuditEntriesFields {
  /** The kind of action. */
  action: { kind: 'STRING'; isNullable: false; value: AuditAction }
  /** The kind of who acted. */
  actorKind: { kind: 'STRING'; isNullable: false; value: AuditActorKind }
  /** The key or the person that acted, by id. */
  actorId: { kind: 'STRING'; isNullable: true }
  /** The name of the key or the person that acted. */
  actorName: { kind: 'STRING'; isNullable: true }
  /** The kind of thing that was acted on. */
  subjectKind: { kind: 'STRING'; isNullable: false; value: AuditSubjectKind }
  /** The thing that was acted on, by id or by its digest. */
  subjectId: { kind: 'STRING'; isNullable: true }
  /** The name of the thing that was acted on. */
  subjectName: { kind: 'STRING'; isNullable: true }
  /** The request, by id. */
  requestId: { kind: 'STRING'; isNullable: true }
  /** The time at which it was done. */
  createdAt: { kind: 'INSTANT'; isNullable: false }
  /** The id. */
  id: { kind: 'STRING'; isNullable: false }
}

export type AuditEntriesColumn = 'createdAt'

/** The fields by which generations can be filtered. */
export interface GenerationsFields {
  /** The model. */
  model: { kind: 'STRING'; isNullable: true }
  /** The provider of the model. */
  provider: { kind: 'STRING'; isNullable: true }
  /** The prompt, by name. */
  promptLineage: { kind: 'STRING'; isNullable: true }
  /** The version of the prompt. */
  promptVersion: { kind: 'NUMBER'; isNullable: true }
  /** The texts of the step: name, input, output, messages and errors. */
  content: { kind: 'STRING'; isNullable: false }
  /** The error. */
  error: { kind: 'STRING'; isNullable: true }
  /** The error of its step, or else its own: counts of generations that failed have both. */
  failure: { kind: 'STRING'; isNullable: true }
  /** Duration of the call, in seconds. */
  duration: { kind: 'NUMBER'; isNullable: true }
  /** Tokens in and out. */
  tokenCount: { kind: 'NUMBER'; isNullable: true }
  /** Cost in dollars. */
  cost: { kind: 'NUMBER'; isNullable: true }
  /** The origin of the cost. Null without one. */
  costSource: { kind: 'STRING'; isNullable: true; value: CostSource }
  /** One of its scores. */
  score: { kind: 'NUMBER'; isNullable: true; path: 'SCORE_NAME' }
  /** The user, by identifier. */
  participant: { kind: 'LIST'; isNullable: true }
  /** Tags, its own or those of its step. */
  tags: { kind: 'LIST'; isNullable: true }
  /** The environment. */
  environment: { kind: 'STRING'; isNullable: true; value: 'dev' | 'staging' | 'prod' | 'experiment' }
  /** The form of the call: chat or completion. */
  type: { kind: 'STRING'; isNullable: false; value: GenerationType }
  /** The start of its step, or the arrival of a step that told none. */
  startedAt: { kind: 'INSTANT'; isNullable: false }
  /** The time at which it arrived. */
  createdAt: { kind: 'INSTANT'; isNullable: false }
  /** The id of its step. */
  id: { kind: 'STRING'; isNullable: false }
}

export type GenerationsColumn = 'createdAt' | 'startedAt' | 'duration' | 'model' | 'tokenCount' | 'cost' | 'provider' | 'participant'

/** The fields by which participants can be filtered. */
export interface ParticipantsFields {
  /** The identifier. */
  identifier: { kind: 'LIST'; isNullable: true }
  /** Number of threads. */
  threadCount: { kind: 'NUMBER'; isNullable: true }
  /** Tokens of all threads. */
  tokenCount: { kind: 'NUMBER'; isNullable: true }
  /** Number of steps in all threads that failed. */
  errorCount: { kind: 'NUMBER'; isNullable: false }
  /** Cost in dollars of all threads. */
  cost: { kind: 'NUMBER'; isNullable: true }
  /** The latest start of a thread, or start or end of a step in one. */
  lastEngaged: { kind: 'INSTANT'; isNullable: true }
  /** Metadata. */
  metadata: { kind: 'JSON'; isNullable: true; path: 'KEYS' }
  /** The time at which the user was first stored. */
  createdAt: { kind: 'INSTANT'; isNullable: false }
  /** The id. */
  id: { kind: 'STRING'; isNullable: false }
}

export type ParticipantsColumn = 'createdAt' | 'lastEngaged' | 'firstEngaged' | 'threadCount' | 'tokenCount' | 'errorCount' | 'cost' | 'identifier'

/** The fields by which scores can be filtered. */
export interface ScoresFields {
  /** The name. */
  name: { kind: 'STRING'; isNullable: false }
  /** The value. */
  value: { kind: 'NUMBER'; isNullable: false }
  /** The kind of judge: a person, a program or a model. */
  type: { kind: 'STRING'; isNullable: false; value: ScoreType }
  /** The person, program or model that judged. */
  scorer: { kind: 'STRING'; isNullable: true }
  /** The comment. */
  comment: { kind: 'STRING'; isNullable: true }
  /** The label. */
  label: { kind: 'STRING'; isNullable: true }
  /** The user of its step or thread, by identifier. */
  participant: { kind: 'LIST'; isNullable: true }
  /** Tags. */
  tags: { kind: 'LIST'; isNullable: true }
  /** The time at which it arrived. */
  createdAt: { kind: 'INSTANT'; isNullable: false }
  /** Its step, by id. */
  stepId: { kind: 'STRING'; isNullable: true }
  /** The thread that it judges, by id. */
  threadId: { kind: 'STRING'; isNullable: true }
  /** The id. */
  id: { kind: 'STRING'; isNullable: false }
}

export type ScoresColumn = 'createdAt' | 'value'

/** The fields by which steps can be filtered. */
export interface StepsFields {
  /** The name. */
  name: { kind: 'STRING'; isNullable: true }
  /** The type. */
  type: { kind: 'STRING'; isNullable: false; value: StepType }
  /** The error. */
  error: { kind: 'STRING'; isNullable: true }
  /** The error, or else that of its model call: counts of steps that failed have both. */
  failure: { kind: 'STRING'; isNullable: true }
  /** The user, by identifier. */
  participantIdentifiers: { kind: 'LIST'; isNullable: true }
  /** Tags. */
  tags: { kind: 'LIST'; isNullable: true }
  /** The environment. */
  environment: { kind: 'STRING'; isNullable: true; value: 'dev' | 'staging' | 'prod' | 'experiment' }
  /** One of its scores. */
  score: { kind: 'NUMBER'; isNullable: true; path: 'SCORE_NAME' }
  /** The texts of the step: name, input, output, messages and errors. */
  content: { kind: 'STRING'; isNullable: false }
  /** The input. */
  input: { kind: 'JSON'; isNullable: true; path: 'KEYS' }
  /** The output. */
  output: { kind: 'JSON'; isNullable: true; path: 'KEYS' }
  /** Metadata. */
  metadata: { kind: 'JSON'; isNullable: true; path: 'KEYS' }
  /** The start. */
  startTime: { kind: 'INSTANT'; isNullable: true }
  /** The end. */
  endTime: { kind: 'INSTANT'; isNullable: true }
  /** The start, or the arrival of a step that told none. */
  startedAt: { kind: 'INSTANT'; isNullable: false }
  /** The time at which it arrived. */
  createdAt: { kind: 'INSTANT'; isNullable: false }
  /** Its thread, by id. */
  threadId: { kind: 'STRING'; isNullable: true }
  /** The step above it, by id. */
  parentId: { kind: 'STRING'; isNullable: true }
  /** The first run above it, by id. */
  rootRunId: { kind: 'STRING'; isNullable: true }
  /** The id. */
  id: { kind: 'STRING'; isNullable: false }
}

export type StepsColumn = 'createdAt' | 'startedAt'

/** The fields by which threads can be filtered. */
export interface ThreadsFields {
  /** The name. */
  name: { kind: 'STRING'; isNullable: true }
  /** The user, by identifier. */
  participantIdentifiers: { kind: 'LIST'; isNullable: true }
  /** Number of steps that failed. */
  errorCount: { kind: 'NUMBER'; isNullable: false }
  /** From the first start to the last end, in seconds. */
  duration: { kind: 'NUMBER'; isNullable: true }
  /** Tokens of all generations. */
  tokenCount: { kind: 'NUMBER'; isNullable: true }
  /** Cost in dollars of all generations. */
  cost: { kind: 'NUMBER'; isNullable: true }
  /** Number of generations of which some part has no price. */
  unpricedCount: { kind: 'NUMBER'; isNullable: false }
  /** Number of steps. */
  stepCount: { kind: 'NUMBER'; isNullable: false }
  /** Tags. */
  tags: { kind: 'LIST'; isNullable: true }
  /** The environment. */
  environment: { kind: 'STRING'; isNullable: true; value: 'dev' | 'staging' | 'prod' | 'experiment' }
  /** Its score, or that of one of its steps. */
  scoreValue: { kind: 'NUMBER'; isNullable: true; path: 'SCORE_NAME' }
  /** Types of its steps. */
  stepType: { kind: 'LIST'; isNullable: false; value: StepType }
  /** The name of one of its steps. */
  stepName: { kind: 'STRING'; isNullable: true }
  /** The output of one of its steps. */
  stepOutput: { kind: 'JSON'; isNullable: true; path: 'KEYS' }
  /** The texts of one of its steps: name, input, output, messages and errors. */
  stepContent: { kind: 'STRING'; isNullable: false }
  /** The error of one of its steps. */
  stepError: { kind: 'STRING'; isNullable: true }
  /** Metadata. */
  metadata: { kind: 'JSON'; isNullable: true; path: 'KEYS' }
  /** The first start of its steps, or its arrival when none told one. */
  startedAt: { kind: 'INSTANT'; isNullable: false }
  /** The time at which it arrived. */
  createdAt: { kind: 'INSTANT'; isNullable: false }
  /** The time at which the conversation ended. Null while it is open. */
  endedAt: { kind: 'INSTANT'; isNullable: true }
  /** The user, by id. */
  participantId: { kind: 'STRING'; isNullable: true }
  /** The id. */
  id: { kind: 'STRING'; isNullable: false }
}

export type ThreadsColumn = 'createdAt' | 'startedAt' | 'tokenCount' | 'cost' | 'duration' | 'participant'
