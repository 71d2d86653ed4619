import type { StepPatch } from './step-patch.js'

type Item = { patch: StepPatch }

/** Divides a batch by project, smallest first. */
export const byProject = <Waiting extends Item>(
  batch: readonly Waiting[],
): [projectId: string, part: Waiting[]][] => {
  const parts = new Map<string, Waiting[]>()
  for (const item of batch) {
    const part = parts.get(item.patch.projectId)
    if (part === undefined) parts.set(item.patch.projectId, [item])
    else part.push(item)
  }
  return [...parts].sort(([, a], [, b]) => a.length - b.length)
}

/** Halves a batch: of several projects, the smallest come first; of one project, the earlier patches. */
export const halvesOf = <Waiting extends Item>(
  batch: readonly Waiting[],
): [Waiting[], Waiting[]] => {
  const projects = byProject(batch)
  if (projects.length === 1) {
    const middle = Math.ceil(batch.length / 2)
    return [batch.slice(0, middle), batch.slice(middle)]
  }
  const middle = Math.floor(projects.length / 2)
  const partsOf = (some: typeof projects) => some.flatMap(([, part]) => part)
  return [partsOf(projects.slice(0, middle)), partsOf(projects.slice(middle))]
}
