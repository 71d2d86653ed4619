import { segment } from '../address/segment.js'

/** Returns the address of a comparison; of experiments on a dataset, below it. The first id is that of the base. */
export const compareLink = (
  datasetId: string | null,
  [base = '', ...others]: readonly string[],
) => {
  const page = datasetId === null ? '/experiments' : `/datasets/${segment(datasetId)}`
  return `${page}/compare?base=${segment(base)}&with=${segment(others.join(','))}`
}
