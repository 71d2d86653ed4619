import { createHash } from 'node:crypto'

const RANGE = 2 ** 32

/**
 * Returns true for a share of all ids, chosen by a hash: the same ones for every process, and for every judge, so that the
 * judgements of two judges can be compared. A larger share has those of a smaller one among it.
 */
export const isInSample = (id: string, share: number): boolean =>
  share >= 1 || createHash('sha256').update(id).digest().readUInt32BE(0) < share * RANGE
