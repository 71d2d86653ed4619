import { StepWholeDocument, type StepWholeQuery } from '../../../generated/operations.js'
import { plainClient } from '../../data/client.js'
import { read } from '../../data/use-data.js'
import { useReadAhead } from './use-read-ahead.js'

export type WholeStep = NonNullable<StepWholeQuery['step']>

const readStep = async (id: string): Promise<WholeStep | null> =>
  (await read(StepWholeDocument, { id }, plainClient)).step

/** Reads a step in full, and the next one ahead of time. */
export const useWholeStep = (id?: string, following?: string) =>
  useReadAhead(readStep, id, following)
