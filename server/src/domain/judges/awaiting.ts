import type { Database } from '../../database/database.js'
import { Turn } from '../../kernel/sharing/turn.js'
import { awaitJudges } from '../../storage/judges/items.js'
import { type ActiveJudge, findActiveJudges } from '../../storage/judges/judges.js'
import { isInSample } from './sampling.js'

interface Ref {
  projectId: string
  id: string
}

interface WrittenStep extends Ref {
  /** Unknown for a step that was written before. */
  environment?: string | undefined
}

/** The things that a transaction has written. */
interface Written {
  steps?: readonly WrittenStep[]
  /** Threads that have changed, or some step of which was written. */
  threads?: readonly Ref[]
}

/** Returns false for the steps of experiments: those of the judges themselves are among them. */
export const mayBeJudged = ({ environment }: Pick<WrittenStep, 'environment'>): boolean =>
  environment !== 'experiment'

/**
 * Notes for the judges of their projects that steps and threads were written, in the transaction that writes them. Steps
 * of experiments are left out.
 */
export const noteForJudges = async (
  db: Database,
  { steps = [], threads = [] }: Written,
): Promise<void> => {
  const seen = { STEPS: steps.filter(mayBeJudged), THREADS: threads }
  const projectIds = new Set([...seen.STEPS, ...seen.THREADS].map(({ projectId }) => projectId))
  if (projectIds.size === 0) return
  const judges = await findActiveJudges(db, [...projectIds])
  if (judges.length === 0) return
  const byProject = new Map<string, ActiveJudge[]>()
  for (const judge of judges)
    byProject.set(judge.projectId, [...(byProject.get(judge.projectId) ?? []), judge])
  const items: Parameters<typeof awaitJudges>[1][number][] = []
  const turn = new Turn()
  for (const subject of ['STEPS', 'THREADS'] as const)
    for (const { projectId, id } of seen[subject]) {
      if (turn.isOver()) await turn.next()
      for (const judge of byProject.get(projectId) ?? [])
        if (judge.subject === subject && isInSample(id, judge.sample))
          items.push({ projectId, judgeId: judge.id, id, quietSeconds: judge.quietSeconds })
    }
  await awaitJudges(db, items)
}
