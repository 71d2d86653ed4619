import type {
  IngestStepPayload,
  IngestStepsPayload,
  RefusedScore,
  RefusedStep,
  Resolvers,
} from '../../../generated/resolvers.js'
import type { SentThread, ThreadOutcome } from '../../domain/ingestion/thread-batch.js'
import type { StepOutcome } from '../../domain/steps.js'
import { invalid, within } from '../../kernel/errors.js'
import { generationOf } from '../../storage/generations.js'
import { connection, pageRequest } from '../engine/connection.js'
import { Receipt, stepAnswer } from '../engine/receipts.js'
import { dollars } from './prices.js'

export const steps = {
  Query: {
    steps: (_, args, { domain, caller, parts }) =>
      domain.steps.list(caller, pageRequest(caller, args), parts),
    stepsById: (_, { ids }, { loaders }) => {
      if (ids.length > MAX_IDS)
        throw invalid(`ids: expected at most ${MAX_IDS} of them, got ${ids.length}`)
      return Promise.all(ids.map((id) => loaders.step.load(id)))
    },
    step: (_, { id }, { domain, caller, parts }) => domain.steps.find(caller, id, parts),
  },
  Mutation: {
    ingestSteps: async (_, args, { domain, caller, ingestion }, info) => {
      domain.sessions.check(args.session)
      const threads = ingestion.threads(info.path.key, args.threads ?? [])
      const ofThreads = await domain.threads.upsertAll(caller, threads)
      const refusedThreads = ofThreads.flatMap(({ refusal }, index) =>
        refusal === null ? [] : [{ index, id: idOfThread(threads[index]), ...refusal }],
      )
      const { ids, outcomes } = await ingestion.batch(info.path.key, args.steps, args.session)
      const refused: RefusedStep[] = []
      let count = 0
      for (const [index, { refusal }] of outcomes.entries())
        if (refusal !== null && ++count <= MAX_NAMED)
          refused.push({ index, id: ids[index] ?? null, ...refusal })
      const refusedScores = refusedScoresOf(ofThreads, outcomes)
      const [first] = refused
      const [firstThread] = refusedThreads
      return new Receipt({
        ok: count + refusedThreads.length === 0,
        message:
          first !== undefined
            ? `${count} of ${outcomes.length} steps were rejected; steps[${first.index}]: ${first.message}`
            : firstThread !== undefined
              ? `${refusedThreads.length} threads were rejected; threads[${firstThread.index}]: ${firstThread.message}`
              : messageOfScores(refusedScores),
        accepted: outcomes.length - count,
        refused,
        refusedThreads,
        refusedScores: refusedScores.slice(0, MAX_NAMED),
      }) as IngestStepsPayload
    },
    ingestStep: async (_, args, { ingestion }, info) => {
      const { refusal, refusedScores } = await ingestion.one(info.path.key, args)
      return new Receipt({
        ok: refusal === null,
        message: refusal?.message ?? refusedScores[0]?.message ?? null,
      }) as IngestStepPayload
    },
    createStep: async (_, args, context) =>
      stepAnswer(context, await context.domain.steps.create(context.caller, args), args),
    updateStep: (_, args, { domain, caller }) => domain.steps.update(caller, args),
    deleteStep: (_, { id }, { domain, caller }) => domain.steps.delete(caller, id),
  },
  StepConnection: connection(),
  Step: {
    cost: async (step, _, { loaders }) =>
      step instanceof Receipt ? null : dollars((await loaders.costOfStep.load(step.id))?.cost),
    scores: ({ id }, _, { loaders }) => loaders.scoresOfStep.load(id),
    attachments: async ({ id, threadId }, _, { loaders }) =>
      // An attachment is in the thread of its step.
      (await loaders.attachmentsOfStep.load(id)).map((row) => ({
        ...row,
        threadId: threadId ?? row.threadId,
      })),
    generation: (step, _, { caller }) => generationOf(caller.projectId, step),
    inputBytes: async ({ id }, _, { loaders }) =>
      (await loaders.preview(0).load(id))?.inputBytes ?? null,
    outputBytes: async ({ id }, _, { loaders }) =>
      (await loaders.preview(0).load(id))?.outputBytes ?? null,
    inputPreview: async ({ id }, { chars }, { loaders }) =>
      (await loaders.preview(charactersOf(chars)).load(id))?.input ?? null,
    outputPreview: async ({ id }, { chars }, { loaders }) =>
      (await loaders.preview(charactersOf(chars)).load(id))?.output ?? null,
    inputExcerpt: async ({ id }, _, { loaders }) => (await loaders.excerpt.load(id))?.input ?? null,
    outputExcerpt: async ({ id }, _, { loaders }) =>
      (await loaders.excerpt.load(id))?.output ?? null,
    participantIdentifier: async ({ threadId }, _, { loaders }) => {
      const thread = threadId === null ? null : await loaders.thread.load(threadId)
      if (thread === null || thread.participantId === null) return null
      return (await loaders.participant.load(thread.participantId))?.identifier ?? null
    },
    thread: ({ threadId }, _, { loaders }) =>
      threadId === null ? null : loaders.thread.load(threadId),
  },
} satisfies Resolvers

/** Returns the scores that were left out, those of threads first, as threads are stored first. */
const refusedScoresOf = (
  threads: readonly ThreadOutcome[],
  steps: readonly StepOutcome[],
): RefusedScore[] => {
  const refused: RefusedScore[] = []
  for (const [threadIndex, { refusedScores }] of threads.entries())
    for (const score of refusedScores) refused.push({ stepIndex: null, threadIndex, ...score })
  for (const [stepIndex, { refusedScores }] of steps.entries())
    for (const score of refusedScores) refused.push({ stepIndex, threadIndex: null, ...score })
  return refused
}

const messageOfScores = (refused: readonly RefusedScore[]): string | null => {
  const [first] = refused
  if (first === undefined) return null
  const place =
    first.stepIndex === null ? `threads[${first.threadIndex}]` : `steps[${first.stepIndex}]`
  return `${refused.length} scores were rejected; ${place}: ${first.message}`
}

const idOfThread = (thread: SentThread | undefined): string | null =>
  thread !== undefined && 'id' in thread ? thread.id : null

const MAX_IDS = 1000
/**
 * The refused steps that an answer names: many more than any client sends at once, and few enough to be written at
 * once.
 */
const MAX_NAMED = 10_000
const MAX_CHARACTERS = 10_000
const CHARACTERS = 300

const charactersOf = (given: number | null | undefined): number =>
  within('chars', given ?? CHARACTERS, 1, MAX_CHARACTERS)
