import type { Domain } from '../domain/domain.js'
import { invalid } from '../kernel/errors.js'
import type { ProjectRow } from '../storage/projects.js'

/** Returns the named project, or the only one. */
export const chosenProject = async (
  projects: Domain['projects'],
  named: string | undefined,
): Promise<ProjectRow> => {
  if (named !== undefined) return projects.find(named)
  const [only, ...others] = await projects.list()
  if (only === undefined || others.length > 0)
    throw invalid('--project: expected the id or name of a project, as there are several')
  return only
}
