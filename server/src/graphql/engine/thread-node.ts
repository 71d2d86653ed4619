import type DataLoader from 'dataloader'
import type { StepRow } from '../../storage/steps.js'
import type { ThreadRow } from '../../storage/threads.js'

/** A thread, and a loader of the steps to show in it when not all of them are wanted. */
export type ThreadNode = ThreadRow & { keptSteps?: DataLoader<string, StepRow[]> }
