import type { StepwellClient } from '../../client.js'
import type { Base } from '../deciding/base.js'
import type { DecideOptions } from '../deciding/decide-options.js'

const ruleOf = (decide: DecideOptions | undefined): string => {
  if (decide === undefined) return ''
  const margin = decide.margin === undefined ? '' : `&margin=${decide.margin}`
  return `&score=${encodeURIComponent(decide.metric)}${margin}`
}

/** Returns the address of a project's pages in the web UI; of the project that a browser has open when it is not known. */
export const projectUrl = (apiUrl: string, projectId: string | undefined): string =>
  projectId === undefined ? apiUrl : `${apiUrl}/projects/${encodeURIComponent(projectId)}`

/** Returns the address of a comparison in the web UI; of the experiment when there is nothing to compare. */
export const linkOf = (
  { apiUrl }: Pick<StepwellClient, 'apiUrl'>,
  run: { projectId: string | undefined; experimentId: string; datasetId: string | undefined },
  base: Base | undefined,
  decide?: DecideOptions,
): string => {
  const part = encodeURIComponent
  const root = projectUrl(apiUrl, run.projectId)
  if (base === undefined) return `${root}/experiments/${part(run.experimentId)}`
  // Data that is no dataset is compared by the keys of its items.
  const page = run.datasetId === undefined ? 'experiments' : `datasets/${part(run.datasetId)}`
  return `${root}/${page}/compare?base=${part(base.id)}&with=${part(run.experimentId)}${ruleOf(decide)}`
}
