import type { StepwellClient } from '../../client.js'
import type { Base } from '../deciding/base.js'
import type { DecideOptions } from '../deciding/decide-options.js'

const ruleOf = (decide: DecideOptions | undefined): string => {
  if (decide === undefined) return ''
  const margin = decide.margin === undefined ? '' : `&margin=${decide.margin}`
  return `&score=${encodeURIComponent(decide.metric)}${margin}`
}

/** Returns the address of a comparison in the web UI; of the experiment when there is nothing to compare. */
export const linkOf = (
  { apiUrl }: Pick<StepwellClient, 'apiUrl'>,
  run: { experimentId: string; datasetId: string | undefined },
  base: Base | undefined,
  decide?: DecideOptions,
): string => {
  const part = encodeURIComponent
  if (base === undefined) return `${apiUrl}/experiments/${part(run.experimentId)}`
  // Data that is no dataset is compared by the keys of its items.
  const page = run.datasetId === undefined ? 'experiments' : `datasets/${part(run.datasetId)}`
  return `${apiUrl}/${page}/compare?base=${part(base.id)}&with=${part(run.experimentId)}${ruleOf(decide)}`
}
