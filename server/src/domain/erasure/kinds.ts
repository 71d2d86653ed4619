/** Numbers of rows that were deleted, or would be, by kind. */
export interface Deleted {
  /** False when the time was over before everything was deleted or counted. */
  isComplete: boolean
  users: number
  threads: number
  /** Threads that were the person's first, and stay as they are another one's now, or have steps of nobody. */
  threadsKept: number
  steps: number
  generations: number
  scores: number
  attachments: number
  datasetItems: number
  experimentItems: number
}

export const none = (): Deleted => ({
  isComplete: false,
  users: 0,
  threads: 0,
  threadsKept: 0,
  steps: 0,
  generations: 0,
  scores: 0,
  attachments: 0,
  datasetItems: 0,
  experimentItems: 0,
})
