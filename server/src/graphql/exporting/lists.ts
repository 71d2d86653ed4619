/** A list that can be exported: a root field, or a list below one row that an argument names. */
export interface ExportedList {
  /** The root field. */
  root: string
  /** The field of the root's row that has the list; undefined when the root is the list. */
  below?: string
  /** The parameter that names the row with the list. */
  of?: string
  /** Columns of a default export, beside the plain fields of a row. */
  also?: readonly string[]
  /** Plain fields that a default export leaves out, as others have their content or they cost more to read. */
  without?: readonly string[]
}

/** By the name of the list in a path. Threads have `scores` only by name: they are cut to the newest of each thread. */
export const EXPORTED_LISTS: Readonly<Record<string, ExportedList>> = {
  threads: { root: 'threads', also: ['participant.id', 'participant.identifier'] },
  steps: {
    root: 'steps',
    also: ['generation.provider', 'generation.model', 'generation.tokenCount', 'scores'],
    without: ['inputBytes', 'outputBytes', 'inputExcerpt', 'outputExcerpt'],
  },
  generations: { root: 'generations', without: ['inputExcerpt', 'outputExcerpt'] },
  scores: { root: 'scores' },
  users: { root: 'participants' },
  datasets: { root: 'datasets' },
  datasetItems: { root: 'dataset', below: 'items', of: 'datasetId' },
  experiments: { root: 'datasetExperiments' },
  experimentItems: { root: 'datasetExperiment', below: 'items', of: 'experimentId' },
}
