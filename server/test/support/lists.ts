// All lists, with their filters and orders.

import type { Filter, Kind } from '../../src/lists/conditions.js'
import type { Listing } from '../../src/lists/listing.js'
import { generationListing } from '../../src/storage/generations.js'
import { scoreListing } from '../../src/storage/scores/scores.js'
import { stepListing } from '../../src/storage/steps.js'
import { threadListing } from '../../src/storage/threads.js'
import { participantListing } from '../../src/storage/users.js'

const OPERATORS: Record<Kind, string[]> = {
  string: ['eq', 'neq', 'ilike', 'nilike'],
  json: ['eq', 'neq', 'ilike', 'nilike'],
  number: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'],
  instant: ['gt', 'gte', 'lt', 'lte'],
  list: ['in', 'nin', 'ilike', 'nilike'],
}
/** Returns values that few rows have, and that most have. */
const valuesOf = (field: string, kind: Kind): unknown[] => {
  if (/^id$|Id$/.test(field)) return ['s8', 't3']
  if (field === 'type') return ['rerank', 'run']
  if (field === 'stepType') return [['rerank'], ['run']]
  if (field === 'environment') return ['dev', 'prod']
  if (field === 'errorCount') return [0, 1]
  if (/participant|identifier/.test(field)) return [['user 3'], ['user 3', 'user 4']]
  return {
    string: ['rare', 'often'],
    json: ['rare', 'often'],
    number: [3, 990],
    instant: ['2026-01-01T00:00:30Z', '2026-01-01T02:00:00Z'],
    list: [['rare'], ['often']],
  }[kind]
}

export const filtersOf = (listing: Listing): Filter[] =>
  Object.entries(listing.fields).flatMap(([field, { kind, isNullable }]) => [
    ...OPERATORS[kind].flatMap((operator) =>
      // Nearly all rows pass an opposite, whatever the value.
      valuesOf(field, kind)
        .map((value) => (operator.endsWith('ilike') && Array.isArray(value) ? value[0] : value))
        .slice(0, operator.startsWith('n') ? 1 : 2)
        .map((value) => ({
          field,
          operator,
          value,
          ...(kind === 'json' ? { path: 'content' } : {}),
        })),
    ),
    ...(isNullable ? ['is', 'nis'].map((operator) => ({ field, operator, value: null })) : []),
  ])

/** A rule by which some threads have ended, and a moment among their last activities. */
const ENDING = {
  rule: { idleMinutes: 30, tags: ['rare'], toolNames: ['rare'] },
  now: '2026-01-01T02:00:00.000000Z',
}

export const LISTS: Record<string, (projectId: string) => Listing<{ id: string }>> = {
  steps: stepListing,
  generations: generationListing,
  threads: (projectId) => threadListing(projectId, ENDING),
  scores: scoreListing,
  participants: participantListing,
}

export const ordersOf = (listing: Listing) =>
  Object.keys(listing.orders).flatMap((column) =>
    (['ASC', 'DESC'] as const).map((direction) => ({ column, direction })),
  )
