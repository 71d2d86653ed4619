import { BUCKETS, type Signature } from './grams.js'

/** Steps of a block, which are all read when it may contain a text. */
export const MAX_STEPS = 128
/** Blocks of the smallest slab; the bits of one hash are a byte. */
export const FIRST_BLOCKS = 8
/** Slabs of one size that are joined to a larger one. */
export const JOINED = 8
export const MAX_BLOCKS = 512

/** Turns the signatures of eight blocks into a slab. */
export const slabOf = (signatures: readonly Signature[]): Buffer => {
  const bytes = Buffer.alloc(BUCKETS)
  for (const [place, { has }] of signatures.entries())
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      if (has[bucket] === 1) bytes[bucket] = (bytes[bucket] as number) | (1 << place)
  return bytes
}

/** Joins slabs of one size whose blocks follow each other. */
export const joinSlabs = (slabs: readonly Buffer[]): Buffer => {
  const part = (slabs[0]?.length ?? 0) / BUCKETS
  const joined = Buffer.alloc(BUCKETS * part * slabs.length)
  for (const [place, slab] of slabs.entries())
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      slab.copy(joined, (bucket * slabs.length + place) * part, bucket * part, (bucket + 1) * part)
  return joined
}

/** Returns the places of the blocks that have all of some hashes, given the bits of all blocks for one after the other. */
export const placesIn = (bits: Buffer, blocks: number): number[] => {
  const length = blocks / 8
  const places: number[] = []
  for (let at = 0; at < length; at++) {
    let all = 0xff
    for (let from = at; from < bits.length && all !== 0; from += length) all &= bits[from] as number
    for (let bit = 0; all !== 0; bit++, all >>= 1) if (all & 1) places.push(at * 8 + bit)
  }
  return places
}
