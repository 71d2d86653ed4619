import type { PromptFields } from './fields.js'

/** A prompt's live versions, and how its calls are split between them. */
export interface PromptRolloutCopy {
  /** The id of its lineage. */
  lineageId: string
  /** The millionths of its calls, each given to a version, by their order. */
  segments: readonly { version: number; from: number; to: number }[]
  /** The versions that have a segment or a label. */
  versions: readonly PromptFields[]
  /** The labels, each with the version that it leads to. Snapshots from before there were labels have none. */
  labels?: readonly { name: string; version: number }[]
}

const PARTS = 1_000_000

/**
 * Draws a live version: by the split, or for a key always the same one while the split stands. Returns null when there
 * is none.
 */
export const drawVersion = (
  { lineageId, segments, versions }: PromptRolloutCopy,
  key: string | null | undefined,
): PromptFields | null => {
  const place = key === null || key === undefined ? Math.random() : placeOf(`${lineageId}:${key}`)
  const part = Math.floor(place * PARTS)
  const wanted = segments.find(({ to }) => part < to)?.version
  return versions.find(({ version }) => version === wanted) ?? null
}

/**
 * Maps a text to a random-looking number from 0 to 1, always the same for the same text: FNV-1a, then mixed as in
 * MurmurHash.
 */
const placeOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
