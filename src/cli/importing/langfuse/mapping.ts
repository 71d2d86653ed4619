import type {
  ScorePayloadInput,
  StepInput,
  StepType,
  ThreadInput,
} from '../../../../generated/schema.js'
import type { Report } from '../report.js'
import type { SentScore, SentStep, SentThread } from '../target.js'
import {
  type Fields,
  isFields,
  momentOf,
  numberOf,
  present,
  textOf,
  textsOf,
  toPayload,
  unknownOf,
} from '../values.js'
import { generationOf } from './generation.js'
import type { Links } from './links.js'

/** The id of an observation's step: that of its span, had it been sent by OpenTelemetry. Ids are unique in their trace only. */
export const observationStepId = (traceId: string | undefined, id: string): string =>
  traceId === undefined ? id : `${traceId}-${id}`

const ENVIRONMENTS: ReadonlyMap<string, string> = new Map([
  ['prod', 'prod'],
  ['production', 'prod'],
  ['staging', 'staging'],
  ['stage', 'staging'],
  ['dev', 'dev'],
  ['development', 'dev'],
])

const environmentOf = (fields: Fields): { environment?: string } => {
  const known = ENVIRONMENTS.get(textOf(fields.environment)?.toLowerCase() ?? '')
  return known === undefined ? {} : { environment: known }
}

/** The environment that Langfuse says when an application says none. */
const NO_ENVIRONMENT = 'default'

const environmentLeft = (fields: Fields): Record<string, unknown> => {
  const given = textOf(fields.environment)
  return given === undefined || given === NO_ENVIRONMENT || ENVIRONMENTS.has(given.toLowerCase())
    ? {}
    : { environment: given }
}

/** Computed by Langfuse from the rest, or places in it. */
const DERIVED = [
  ...['htmlPath', 'latency', 'totalCost', 'observations', 'scores', 'projectId', 'createdAt'],
  ...['updatedAt', 'eventTs', 'isDeleted', '_deprecation', 'externalId', 'calculatedTotalCost'],
]
const TRACE_FIELDS = new Set([
  ...['id', 'timestamp', 'name', 'input', 'output', 'sessionId', 'userId', 'metadata', 'tags'],
  ...['environment', ...DERIVED],
])
const OBSERVATION_FIELDS = new Set([
  ...['id', 'traceId', 'type', 'name', 'startTime', 'endTime', 'completionStartTime', 'model'],
  ...['providedModelName', 'modelParameters', 'input', 'output', 'metadata', 'usage', 'level'],
  ...['statusMessage', 'parentObservationId', 'promptName', 'promptVersion', 'usageDetails'],
  ...['costDetails', 'environment', 'timeToFirstToken', 'sessionId', 'userId', 'tags'],
  ...['traceName', 'isRootObservation', 'inputPrice', 'outputPrice', 'totalPrice', 'usageUnit'],
  ...['calculatedInputCost', 'calculatedOutputCost', 'inputUsage', 'outputUsage', 'totalUsage'],
  ...['promptTokens', 'completionTokens', 'totalTokens', 'unit', ...DERIVED],
])

const TYPES: ReadonlyMap<string, StepType> = new Map<string, StepType>([
  ['GENERATION', 'llm'],
  ['EMBEDDING', 'embedding'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'retrieval'],
  ['AGENT', 'run'],
  ['CHAIN', 'run'],
])

/** Names of fields as they are in the API; exports to buckets write them as the columns of the database. */
export const inCamelCase = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      /^[a-z]+(_[a-z0-9]+)+$/.test(name)
        ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
        : name,
      value,
    ]),
  )

interface Mapped {
  threads: SentThread[]
  steps: SentStep[]
}

/** Converts records of Langfuse, and notes what is not as it was. */
export class LangfuseMapping {
  readonly #report: Report
  readonly #links: Links

  constructor(report: Report, links: Links) {
    this.#report = report
    this.#links = links
  }

  /** A trace is a run: of the thread of its session, or of a thread of its own. Undefined for a record without an id. */
  trace(trace: Fields): Mapped | undefined {
    this.#report.read('traces')
    const id = textOf(trace.id)
    if (id === undefined) {
      this.#report.dropped('traces', 'id: expected a text')
      return undefined
    }
    const sessionId = textOf(trace.sessionId)
    const userId = textOf(trace.userId)
    this.#links.noteSession(id, sessionId)
    if (
      sessionId !== undefined &&
      userId !== undefined &&
      this.#links.hasOtherUser(sessionId, userId)
    )
      this.#report.changed(
        'traces',
        'a session of several users: its thread has one of them, each run all in its metadata',
        id,
      )
    const threadId = sessionId ?? id
    const start = this.#moment('traces', id, 'timestamp', trace.timestamp)
    const latency = numberOf(trace.latency)
    const end =
      start === undefined || latency === undefined || latency < 0
        ? undefined
        : new Date(Date.parse(start) + latency * 1000).toISOString()
    if (end === undefined)
      this.#report.changed('traces', 'no end is known: the run of the trace has none', id)
    const tags = textsOf(trace.tags)
    const thread: ThreadInput = {
      id: threadId,
      ...environmentOf(trace),
      ...(sessionId === undefined ? present({ name: textOf(trace.name), tags }) : {}),
      ...(userId === undefined ? {} : { participantId: userId }),
    }
    const left = unknownOf(trace, TRACE_FIELDS)
    this.#noteLeft('traces', left, id)
    const step: StepInput = {
      id,
      threadId,
      type: 'run',
      ...environmentOf(trace),
      ...present({
        name: textOf(trace.name),
        startTime: start,
        endTime: end,
        tags,
      }),
      ...payloads(trace),
      metadata: {
        ...asObject(trace.metadata),
        langfuse: present({
          ...left,
          ...environmentLeft(trace),
          userId,
          sessionId,
          ...(start === undefined ? { timestamp: trace.timestamp } : {}),
        }),
      },
    }
    return {
      threads: [{ kind: 'threads', id: threadId, input: thread, isPart: true }],
      steps: [{ kind: 'traces', id, input: step }],
    }
  }

  /** An observation is a step below the run of its trace. Undefined for a record without an id. */
  observation(observation: Fields): Mapped | undefined {
    this.#report.read('observations')
    const id = textOf(observation.id)
    if (id === undefined) {
      this.#report.dropped('observations', 'id: expected a text')
      return undefined
    }
    const traceId = textOf(observation.traceId)
    const stepId = observationStepId(traceId, id)
    const sessionId = textOf(observation.sessionId) ?? this.#links.sessionOf(traceId)
    const threadId = sessionId ?? traceId
    const type = textOf(observation.type)?.toUpperCase() ?? ''
    const given = textOf(observation.parentObservationId)
    const parent = given === id ? undefined : given
    if (given === id)
      this.#report.changed(
        'observations',
        'an observation that is its own parent: it is below its trace',
        id,
      )
    const start = this.#moment('observations', id, 'startTime', observation.startTime)
    const end = this.#moment('observations', id, 'endTime', observation.endTime)
    const left = unknownOf(observation, OBSERVATION_FIELDS)
    this.#noteLeft('observations', left, id)
    const { generation, unread } = generationOf(observation, type, this.#links)
    for (const name of Object.keys(unread))
      this.#report.changed('observations', `${name}: kept as metadata.langfuse.${name}`, id)
    const level = textOf(observation.level)
    const message = textOf(observation.statusMessage)
    const isError = level === 'ERROR'
    const step: StepInput = {
      id: stepId,
      ...(threadId === undefined ? {} : { threadId }),
      ...(traceId === undefined ? {} : { rootRunId: traceId }),
      ...present({
        parentId: parent === undefined ? traceId : observationStepId(traceId, parent),
        name: textOf(observation.name),
        startTime: start,
        endTime: type === 'EVENT' ? (end ?? start) : end,
        error: isError ? (message ?? 'failed') : undefined,
      }),
      ...(TYPES.has(type) ? { type: TYPES.get(type) as StepType } : {}),
      ...environmentOf(observation),
      ...payloads(observation),
      metadata: {
        ...asObject(observation.metadata),
        langfuse: present({
          ...left,
          ...unread,
          ...environmentLeft(observation),
          type: TYPES.has(type) && type !== 'CHAIN' ? undefined : type,
          level: level === 'DEFAULT' || isError ? undefined : level,
          statusMessage: isError ? undefined : message,
          ...(start === undefined ? { startTime: observation.startTime } : {}),
          ...(end === undefined ? { endTime: observation.endTime } : {}),
        }),
      },
      ...(generation === undefined ? {} : { generation }),
    }
    return { threads: [], steps: [{ kind: 'observations', id, input: step }] }
  }

  /**
   * Returns what an observation says of its trace, where a source has no traces: the run, with the times of a root. Each
   * observation of a trace says the same, so that their order does not matter.
   */
  traceOf(observation: Fields): Mapped | undefined {
    const id = textOf(observation.traceId)
    if (id === undefined) return undefined
    const sessionId = textOf(observation.sessionId)
    const userId = textOf(observation.userId)
    const threadId = sessionId ?? id
    const name = textOf(observation.traceName)
    const isRoot = textOf(observation.parentObservationId) === undefined
    const start = isRoot ? momentOf(observation.startTime)?.moment : undefined
    const end = isRoot ? momentOf(observation.endTime)?.moment : undefined
    const tags = textsOf(observation.tags)
    const thread: ThreadInput = {
      id: threadId,
      ...environmentOf(observation),
      ...(sessionId === undefined ? present({ name, tags }) : {}),
      ...(userId === undefined ? {} : { participantId: userId }),
    }
    const step: StepInput = {
      id,
      threadId,
      type: 'run',
      ...environmentOf(observation),
      ...present({ name, startTime: start, endTime: end, tags }),
      ...(isRoot ? payloads(observation) : {}),
      metadata: { langfuse: present({ userId, sessionId, release: observation.release }) },
    }
    return {
      threads: [{ kind: 'threads', id: threadId, input: thread, isPart: true }],
      steps: [{ kind: 'traces', id, input: step, isPart: true }],
    }
  }

  /** Returns a score of a step or thread; undefined when there is none of its kind here. */
  score(score: Fields): SentScore | SentThread | undefined {
    this.#report.read('scores')
    const id = textOf(score.id)
    const drop = (why: string) => {
      this.#report.dropped('scores', why, id)
      return undefined
    }
    const name = textOf(score.name)
    if (id === undefined || name === undefined) return drop('id, name: expected texts')
    const dataType = textOf(score.dataType)?.toUpperCase()
    if (dataType === 'TEXT' || dataType === 'CORRECTION')
      return drop(`dataType ${dataType}: a score has a number`)
    const label =
      textOf(score.stringValue) ??
      (typeof score.value === 'string' && dataType === 'CATEGORICAL' ? score.value : undefined)
    const given = typeof score.value === 'boolean' ? Number(score.value) : numberOf(score.value)
    const value =
      dataType === 'CATEGORICAL' ? (this.#links.valueOf(name, label) ?? given ?? 0) : given
    if (value === undefined) return drop('value: expected a number')
    if (dataType === 'CATEGORICAL' && this.#links.valueOf(name, label) === undefined && !given)
      this.#report.changed(
        'scores',
        'a category without a number: its value is 0, its label says it',
        id,
      )
    const subject = subjectOf(score)
    for (const field of ['metadata', 'configId', 'queueId'] as const)
      if (Object.keys(present({ field: score[field] })).length > 0)
        this.#report.changed('scores', `${field}: left out, as scores have none`, id)
    this.#report.changed('scores', 'timestamp: the service notes the time of the import', id)
    const input: ScorePayloadInput = {
      id,
      name,
      type: SOURCES.get(textOf(score.source)?.toUpperCase() ?? '') ?? 'CODE',
      value,
      ...present({
        label: dataType === 'NUMERIC' ? undefined : label,
        comment: textOf(score.comment),
        scorer: textOf(score.authorUserId),
      }),
    }
    if (subject.traceId !== undefined) {
      const stepId =
        subject.observationId === undefined
          ? subject.traceId
          : observationStepId(subject.traceId, subject.observationId)
      const result = this.#links.resultOf(stepId)
      return {
        kind: 'scores',
        id,
        stepId,
        input: result === undefined ? input : { ...input, datasetExperimentItemId: result },
      }
    }
    if (subject.sessionId !== undefined)
      return { kind: 'scores', id, input: { id: subject.sessionId, scores: [input] } }
    return drop('a score of a run of a dataset as a whole, or of nothing')
  }

  #moment(kind: string, id: string, field: string, value: unknown): string | undefined {
    if (value === undefined || value === null || value === '') return undefined
    const read = momentOf(value)
    if (read === undefined) {
      this.#report.changed(kind, `${field}: no moment, kept as metadata.langfuse.${field}`, id)
      return undefined
    }
    if (read.hadNoZone) this.#report.changed(kind, `${field}: without a zone, read as UTC`, id)
    return read.moment
  }

  #noteLeft(kind: string, left: Fields, id: string): void {
    for (const name of Object.keys(left))
      this.#report.changed(kind, `${name}: kept as metadata.langfuse.${name}`, id)
  }
}

const SOURCES: ReadonlyMap<string, 'HUMAN' | 'AI' | 'CODE'> = new Map([
  ['ANNOTATION', 'HUMAN'],
  ['EVAL', 'AI'],
  ['API', 'CODE'],
])

interface Subject {
  traceId: string | undefined
  observationId: string | undefined
  sessionId: string | undefined
}

/** Reads what a score is of, as both versions of the API say it. */
const subjectOf = (score: Fields): Subject => {
  const { subject } = score
  if (!isFields(subject))
    return {
      traceId: textOf(score.traceId),
      observationId: textOf(score.observationId),
      sessionId: textOf(score.sessionId),
    }
  const id = textOf(subject.id)
  const isOf = (kind: string) => subject.kind === kind
  return {
    traceId: isOf('trace') ? id : isOf('observation') ? textOf(subject.traceId) : undefined,
    observationId: isOf('observation') ? id : undefined,
    sessionId: isOf('session') ? id : undefined,
  }
}

const payloads = (fields: Fields): Pick<StepInput, 'input' | 'output'> => {
  const input = toPayload(fields.input)
  const output = toPayload(fields.output)
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) }
}

const asObject = (metadata: unknown): Record<string, unknown> => toPayload(metadata) ?? {}
