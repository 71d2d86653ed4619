import type { Database } from '../../database/database.js'
import { Turn } from '../../kernel/sharing/turn.js'
import { awaitJudges } from '../../storage/judges/items.js'
import { type ActiveJudge, findActiveJudges } from '../../storage/judges/judges.js'
import { isInSample } from './sampling.js'

interface Written {
  projectId: string
  id: string
  /** Unknown for a step that was written before. */
  environment?: string | undefined
}

/**
 * Notes for the judges of their projects that steps were written, in the transaction that writes them. Steps of experiments
 * are left out: those of the judges themselves are among them.
 */
export const noteForJudges = async (db: Database, steps: readonly Written[]): Promise<void> => {
  const seen = steps.filter(({ environment }) => environment !== 'experiment')
  if (seen.length === 0) return
  const judges = await findActiveJudges(db, [...new Set(seen.map(({ projectId }) => projectId))])
  if (judges.length === 0) return
  const byProject = new Map<string, ActiveJudge[]>()
  for (const judge of judges)
    byProject.set(judge.projectId, [...(byProject.get(judge.projectId) ?? []), judge])
  const items: Parameters<typeof awaitJudges>[1][number][] = []
  const turn = new Turn()
  for (const { projectId, id } of seen) {
    if (turn.isOver()) await turn.next()
    for (const judge of byProject.get(projectId) ?? [])
      if (isInSample(id, judge.sample))
        items.push({ projectId, judgeId: judge.id, id, quietSeconds: judge.quietSeconds })
  }
  await awaitJudges(db, items)
}
