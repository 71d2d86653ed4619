import type { StepInput, StepType, ThreadInput } from '../../../../generated/schema.js'
import { StepwellError } from '../../../errors.js'
import { Catalogue } from '../catalogue.js'
import type { Source, Stage, Work } from '../source.js'
import type { Sent, SentScore, SentStep } from '../target.js'
import {
  type Fields,
  isFields,
  listOf,
  momentOf,
  numberOf,
  present,
  textOf,
  toPayload,
} from '../values.js'
import type { WebSource } from '../web-source.js'
import { Attachments } from './attachments.js'
import { LiteralReads } from './reads.js'

const STEPS_OF_PAGE = 100
const ROWS_OF_PAGE = 200
/** Versions of a prompt that are asked for one after the other. */
const MAX_VERSIONS = 1000

/** Reads anything that answers the reads of Literal AI's clients. Ids stay as they are. */
export const literalai =
  (web: WebSource, prompts: readonly string[]): Source =>
  (work) => {
    const reads = new LiteralReads(web)
    const catalogue = new Catalogue(work.target, 'literalai')
    const attachments = new Attachments(work)
    return [
      list(reads, 'participants', 'users', (nodes) => storeUsers(work, nodes)),
      list(reads, 'threads', 'threads', (nodes) => storeThreads(work, nodes)),
      list(reads, 'steps', 'steps', (nodes) => storeSteps(work, attachments, nodes)),
      {
        name: 'datasets',
        run: async function* () {
          for await (const { nodes } of reads.pages('datasets', ROWS_OF_PAGE, undefined))
            for (const { id } of nodes) {
              await storeDataset(work, reads, catalogue, textOf(id) ?? '')
              yield undefined
            }
        },
      },
      {
        name: 'prompts',
        run: async function* () {
          if (prompts.length === 0)
            work.report.changed(
              'prompts',
              'not asked for: no read lists prompts, so name them with --prompts',
            )
          for (const name of prompts) {
            await storePrompt(work, reads, catalogue, name)
            yield undefined
          }
        },
      },
    ]
  }

const list = (
  reads: LiteralReads,
  from: 'participants' | 'threads' | 'steps',
  name: string,
  keep: (nodes: readonly Fields[]) => Promise<void>,
): Stage => ({
  name,
  run: async function* (place) {
    const size = from === 'steps' ? STEPS_OF_PAGE : ROWS_OF_PAGE
    for await (const { nodes, after } of reads.pages(from, size, place)) {
      await keep(nodes)
      if (after !== undefined) yield after
    }
  },
})

const storeUsers = async ({ target, report }: Work, nodes: readonly Fields[]): Promise<void> => {
  for (const node of nodes) {
    report.read('users')
    const identifier = textOf(node.identifier)
    if (identifier === undefined) {
      report.dropped('users', 'identifier: expected a text', textOf(node.id))
      continue
    }
    const metadata = isFields(node.metadata) ? { ...node.metadata } : {}
    const isKept = await target.orDropped('users', identifier, async () => {
      await storeUser(target.api, identifier, metadata)
      return true
    })
    if (!isKept) continue
    report.kept('users')
    report.changed('users', 'id, createdAt: those of the service', identifier)
  }
}

/** Creates a user, or adds the metadata that a known one does not have. */
const storeUser = async (
  api: Work['target']['api'],
  identifier: string,
  metadata: Record<string, unknown>,
): Promise<void> => {
  try {
    await api.createUser(identifier, metadata)
  } catch (error) {
    if (!StepwellError.is(error) || error.code !== 'CONFLICT') throw error
    const known = await api.getUser(identifier)
    const before = isFields(known?.metadata) ? known.metadata : {}
    const isWhole = Object.keys(metadata).every((name) => Object.hasOwn(before, name))
    if (known && !isWhole) await api.updateUser(known.id, identifier, { ...metadata, ...before })
  }
}

const storeThreads = async ({ target, report }: Work, nodes: readonly Fields[]): Promise<void> => {
  const threads: Sent<ThreadInput>[] = []
  for (const node of nodes) {
    report.read('threads')
    const id = textOf(node.id)
    if (id === undefined) {
      report.dropped('threads', 'id: expected a text')
      continue
    }
    const participant = isFields(node.participant) ? textOf(node.participant.identifier) : undefined
    report.changed(
      'threads',
      'createdAt: the service notes the time of the import; the start is that of its steps',
      id,
    )
    const input: ThreadInput = {
      id,
      ...present({
        name: textOf(node.name),
        tags: node.tags,
        metadata: toPayload(node.metadata),
        participantId: participant,
      }),
    }
    threads.push({ kind: 'threads', id, input })
  }
  await target.send({ threads, steps: [] })
}

const MESSAGES = new Set(['user_message', 'assistant_message', 'system_message'])

const storeSteps = async (
  { target, report }: Work,
  attachments: Attachments,
  nodes: readonly Fields[],
): Promise<void> => {
  const steps: SentStep[] = []
  const scores: SentScore[] = []
  for (const node of nodes) {
    report.read('steps')
    const id = textOf(node.id)
    if (id === undefined) {
      report.dropped('steps', 'id: expected a text')
      continue
    }
    const arrived = momentOf(node.createdAt)?.moment
    const start = momentOf(node.startTime)?.moment ?? arrived
    if (node.startTime === null && start !== undefined)
      report.changed('steps', 'no start: the time of its arrival there', id)
    const isMessage = MESSAGES.has(String(node.type))
    const generation = isFields(node.generation) ? node.generation : undefined
    const {
      createdAt: _,
      step: __,
      stepId: ___,
      projectId: ____,
      id: _____,
      ...call
    } = generation ?? {}
    const input: StepInput = {
      id,
      ...present({
        threadId: textOf(node.threadId),
        parentId: textOf(node.parentId),
        rootRunId: textOf(node.rootRunId),
        name: textOf(node.name),
        startTime: start,
        endTime: momentOf(node.endTime)?.moment ?? (isMessage ? start : undefined),
        error: textOf(node.error),
        tags: node.tags,
        environment: textOf(node.environment),
      }),
      ...(textOf(node.type) === undefined ? {} : { type: node.type as StepType }),
      ...objects({
        input: toPayload(node.input),
        output: toPayload(node.output),
        metadata: toPayload(node.metadata),
      }),
      ...(generation === undefined ? {} : { generation: withoutNulls(call) }),
    }
    steps.push({ kind: 'steps', id, input })
    for (const score of listOf(node.scores)) {
      const sent = scoreOf(score, id)
      report.read('scores')
      if (sent === undefined)
        report.dropped('scores', 'id, name, value: expected them', textOf(score.id))
      else {
        report.changed('scores', 'createdAt: the service notes the time of the import', sent.id)
        scores.push(sent)
      }
    }
  }
  await target.send({ threads: [], steps })
  await target.sendScores(scores)
  for (const node of nodes) {
    const stepId = textOf(node.id)
    if (stepId !== undefined)
      await attachments.store(stepId, textOf(node.threadId), listOf(node.attachments))
  }
}

const objects = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const withoutNulls = (fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  )

const scoreOf = (score: Fields, stepId: string): SentScore | undefined => {
  const id = textOf(score.id)
  const name = textOf(score.name)
  const value = numberOf(score.value)
  if (id === undefined || name === undefined || value === undefined) return undefined
  const type = score.type === 'HUMAN' || score.type === 'AI' ? score.type : 'CODE'
  return {
    kind: 'scores',
    id,
    stepId,
    input: {
      id,
      name,
      type,
      value,
      ...present({
        label: textOf(score.label),
        comment: textOf(score.comment),
        scorer: textOf(score.scorer),
        tags: score.tags,
      }),
    },
  }
}

const storeDataset = async (
  { report }: Work,
  reads: LiteralReads,
  catalogue: Catalogue,
  id: string,
): Promise<void> => {
  report.read('datasets')
  const found = await reads.dataset(id)
  const name = textOf(found?.name)
  if (found === undefined || name === undefined) {
    report.dropped('datasets', 'deleted meanwhile, or without a name', id)
    return
  }
  const dataset = await catalogue.dataset({
    id,
    name,
    ...present({ description: textOf(found.description) }),
    metadata: toPayload(found.metadata) ?? {},
    type: found.type === 'generation' ? 'generation' : 'key_value',
  })
  for (const item of listOf(found.items)) {
    report.read('dataset items')
    const itemId = textOf(item.id)
    if (itemId === undefined || dataset === undefined) {
      report.dropped(
        'dataset items',
        itemId === undefined ? 'id: expected a text' : 'its dataset was dropped',
        itemId,
      )
      continue
    }
    report.changed(
      'dataset items',
      'id, createdAt: those of the service; metadata.imported has the id there',
      itemId,
    )
    const { stepId, intermediarySteps } = item
    await dataset.add({
      id: itemId,
      input: toPayload(item.input) ?? {},
      expectedOutput: toPayload(item.expectedOutput) ?? null,
      metadata: { ...toPayload(item.metadata), ...present({ stepId, intermediarySteps }) },
    })
  }
}

const storePrompt = async (
  { report }: Work,
  reads: LiteralReads,
  catalogue: Catalogue,
  name: string,
): Promise<void> => {
  report.read('prompts')
  const first = await reads.promptVersion(name, 0)
  if (first === undefined) {
    report.dropped('prompts', 'the source has none of this name', name)
    return
  }
  const prompt = await catalogue.prompt(name)
  if (prompt === undefined) return
  report.kept('prompts')
  let version: Fields | undefined = first
  for (let number = 0; version !== undefined && number < MAX_VERSIONS; number++) {
    report.read('prompt versions')
    await prompt.add({
      name: String(number),
      templateMessages: version.templateMessages,
      settings: isFields(version.settings) ? { ...version.settings } : undefined,
      ...present({ tools: version.tools, variablesDefaultValues: version.variablesDefaultValues }),
    })
    version = await reads.promptVersion(name, number + 1)
  }
  const rollouts = (await reads.rollouts(name)).flatMap(({ version: of, rollout }) => {
    const weight = numberOf(rollout)
    return weight === undefined ? [] : [{ name: String(of), rollout: weight }]
  })
  await prompt.split(rollouts)
}
