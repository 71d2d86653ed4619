import type { OutboxLimits } from '../../src/outbox/limits.js'
import type { DiskMode } from './disk.js'
import { Random } from './random.js'
import type { Objection, Weather } from './service.js'

/** The fields of a thread that an application sets. */
export interface ThreadFields {
  name?: string
  participantId?: string
  tags?: string[]
  metadata?: Record<string, unknown> | null
}

export type UploadFate = 'stored' | 'refused' | 'broken' | 'never'

/** An upload: a request to the service for a URL, and another with the content. Both take their time, and may fail. */
export interface Upload {
  /** The id of the attachment. */
  id: string
  size: number
  signMs: number
  sign: UploadFate
  putMs: number
  put: UploadFate
}

/** An event at a time, in milliseconds from the start. */
export type Action = { at: number } & (
  | { kind: 'weather'; weather: Weather }
  | { kind: 'objection'; about: string; objection: Objection }
  | { kind: 'disk'; mode: DiskMode; keepsTails: boolean }
  /** The service goes down with all requests under way, and is back after a time. */
  | { kind: 'restart'; downMs: number }
  /** A process starts, and flushes at once, like a program that delivers the steps that others have left. */
  | {
      kind: 'start'
      slot: number
      flushMs?: number | undefined
      /** The application listens for signals itself, and exits so long after one. */
      listensMs?: number | undefined
    }
  | { kind: 'record'; slot: number; ids: string[]; size: number }
  /** Steps one after another. */
  | { kind: 'stream'; slot: number; ids: string[]; everyMs: number }
  /** A step that is open for a while, with others inside. */
  | { kind: 'open'; slot: number; id: string; inner: string[]; forMs: number }
  /** A step with attachments, which it awaits or not; it ends at once when it takes no time. */
  | {
      kind: 'attach'
      slot: number
      id: string
      thread: number | undefined
      uploads: Upload[]
      isAwaited: boolean
      forMs: number | undefined
    }
  | {
      kind: 'thread'
      slot: number
      thread: number
      object: number
      fields: ThreadFields
      how: 'upsert' | 'wrap'
    }
  | { kind: 'send'; slot: number; id: string }
  /** By default without a time-out; `isBlocking` for the client without promises. */
  | { kind: 'flush'; slot: number; timeoutMs: number | undefined; isBlocking: boolean }
  | { kind: 'close'; slot: number; timeoutMs: number | undefined; isBlocking: boolean }
  | {
      kind: 'end'
      slot: number
      way: 'exit' | 'error' | 'SIGTERM' | 'SIGINT' | 'kill' | 'idle'
      inside: string | undefined
    }
)

/** All events of a simulation: the same schedule runs the same way each time. */
export interface Schedule {
  seed: number
  hasSpool: boolean
  /** Two processes at once, each with threads of its own. */
  isShared: boolean
  limits: Partial<OutboxLimits>
  maxSteps: number | undefined
  actions: Action[]
}

const WEATHERS: readonly Weather[] = [
  'well',
  'well',
  'well',
  'slow',
  'away',
  'silent',
  'breaking',
  'busy',
  'failing',
  'redirecting',
  'foreign',
  'keyless',
  'flaky',
]

/** All known answers of firewalls, proxies and services to a request that they refuse. */
const STATUSES: readonly number[] = [
  ...Array.from({ length: 32 }, (_, index) => 400 + index),
  451,
  ...Array.from({ length: 12 }, (_, index) => 500 + index),
  520,
  525,
  530,
]

const objection = (random: Random): Objection => {
  switch (random.int(6)) {
    case 0:
    case 1:
      return {
        kind: 'status',
        status: random.pick(STATUSES),
      }
    case 2:
      return {
        kind: 'unavailable',
        code: random.pick(['UNAVAILABLE', 'INTERNAL']),
        times: random.between(1, 4),
      }
    case 3:
      return { kind: 'unanswered' }
    default:
      return {
        kind: 'refused',
        code: random.pick(['INVALID_ARGUMENT', 'TOO_LARGE', 'FORBIDDEN']),
        isLong: random.chance(0.3),
      }
  }
}

const fields = (random: Random): ThreadFields => {
  const given: ThreadFields = {}
  if (random.chance(0.5)) given.name = random.chance(0.08) ? 'refused' : `name ${random.int(100)}`
  if (random.chance(0.3)) given.participantId = `user ${random.int(5)}`
  if (random.chance(0.3)) given.tags = [`tag ${random.int(9)}`]
  if (random.chance(0.7)) {
    const keys = Array.from({ length: random.between(1, 2) }, () => `key${random.int(4)}`)
    given.metadata = Object.fromEntries(
      keys.map((key) => [key, random.chance(0.25) ? null : random.int(100)]),
    )
  }
  return given
}

const FATES: readonly UploadFate[] = [
  'stored',
  'stored',
  'stored',
  'stored',
  'stored',
  'refused',
  'broken',
  'never',
]

const upload = (random: Random, id: string, isFaultless: boolean): Upload => ({
  id,
  size: random.between(0, 20),
  signMs: random.pick([0, 0, 50, 4000]),
  sign: isFaultless || random.chance(0.5) ? 'stored' : random.pick(FATES),
  putMs: random.pick([0, 5, 100, 3000, 7000, 20_000]),
  put: isFaultless ? 'stored' : random.pick(FATES),
})

/** Returns the milliseconds to the next action: none, as in one turn, a few, some seconds, or the time of an outage. */
const pause = (random: Random): number => {
  if (random.chance(0.4)) return 0
  if (random.chance(0.03)) return random.between(60_000, 200_000)
  return random.chance(0.5) ? random.between(1, 30) : random.between(30, 3000)
}

const listening = (random: Random) =>
  random.chance(0.1) ? { listensMs: random.pick([0, 10, 2000]) } : {}

/**
 * Returns actions of processes after one that has ended, on its threads, while another one may have taken over its
 * folder.
 */
const heirs = (random: Random, slot: number, startAt: number): Action[] => {
  const actions: Action[] = []
  const change = (at: number): void => {
    for (const thread of [0, 1, 2])
      actions.push({
        at: at + random.between(1, 2000),
        kind: 'thread',
        slot,
        thread,
        object: 0,
        fields: fields(random),
        how: random.chance(0.5) ? 'wrap' : 'upsert',
      })
  }
  let at = startAt
  change(at + random.pick([0, 0, 15_000, 38_000]))
  if (random.chance(0.7)) {
    at += random.between(1000, 8000)
    actions.push({ at, kind: 'end', slot, way: 'kill', inside: undefined })
    actions.push({ at: at + 10, kind: 'start', slot })
    change(at + 10)
  }
  return actions
}

/** Creates a schedule of about so many actions. */
export const newSchedule = (seed: number): Schedule => {
  const random = new Random(seed)
  const hasSpool = random.chance(0.4)
  const isShared = hasSpool && random.chance(0.25)
  const isFaultless = random.chance(0.2)
  const actions: Action[] = []
  let at = 0
  let count = 0
  const newIds = (most: number) =>
    Array.from({ length: random.between(1, most) }, () => `s${count++}`)
  const length = random.between(3, 22)
  actions.push({ at, kind: 'start', slot: 0, ...listening(random) })
  if (isShared) actions.push({ at, kind: 'start', slot: 1, ...listening(random) })
  for (let index = 0; index < length; index++) {
    at += pause(random)
    const slot = isShared ? random.int(2) : 0
    const kind = random.int(100)
    if (kind < 4)
      actions.push({
        at,
        kind: 'stream',
        slot,
        ids: newIds(20),
        everyMs: random.pick([1, 3, 20, 100]),
      })
    else if (kind < 22) {
      const ids = newIds(random.chance(0.2) ? 12 : 3)
      if (!isFaultless && random.chance(0.2))
        actions.push({
          at,
          kind: 'objection',
          about: random.pick(ids),
          objection: objection(random),
        })
      actions.push({ at, kind: 'record', slot, ids, size: random.pick([10, 10, 500]) })
    } else if (kind < 32)
      actions.push({
        at,
        kind: 'open',
        slot,
        id: `s${count++}`,
        inner: random.chance(0.5) ? newIds(3) : [],
        forMs: random.pick([0, 5, 100, 5000, 1e9]),
      })
    else if (kind < 54) {
      const thread = random.int(3)
      if (!isFaultless && random.chance(0.1))
        actions.push({
          at,
          kind: 'objection',
          about: `t${slot}-${thread}`,
          objection: { kind: 'unavailable', code: 'UNAVAILABLE', times: random.between(1, 3) },
        })
      actions.push({
        at,
        kind: 'thread',
        slot,
        thread,
        object: random.int(2),
        fields: fields(random),
        how: random.chance(0.6) ? 'upsert' : 'wrap',
      })
    } else if (kind < 59) {
      const id = `s${count++}`
      if (!isFaultless && random.chance(0.2))
        actions.push({ at, kind: 'objection', about: id, objection: objection(random) })
      actions.push({
        at,
        kind: 'attach',
        slot,
        id,
        thread: random.chance(0.3) ? random.int(3) : undefined,
        uploads: Array.from({ length: random.chance(0.3) ? 2 : 1 }, () =>
          upload(random, `a${count++}`, isFaultless),
        ),
        isAwaited: random.chance(0.3),
        forMs: random.pick([undefined, 0, 20, 3000]),
      })
    } else if (kind < 65) actions.push({ at, kind: 'send', slot, id: `s${count++}` })
    else if (kind < 72)
      actions.push({
        at,
        kind: 'flush',
        slot,
        timeoutMs: random.pick([0, 10, 1000, 30_000, undefined]),
        isBlocking: random.chance(0.2),
      })
    else if (kind < 74)
      actions.push({
        at,
        kind: 'close',
        slot,
        timeoutMs: random.pick([0, 100, 5000, undefined]),
        isBlocking: random.chance(0.2),
      })
    else if (kind < 82) {
      const way = random.pick(['exit', 'error', 'SIGTERM', 'SIGINT', 'kill', 'idle'] as const)
      const inside = random.chance(0.4) && way !== 'idle' ? `s${count++}` : undefined
      const isCutOff = hasSpool && !isFaultless && random.chance(0.3)
      if (isCutOff) {
        // The last records stay behind, with changes of several threads, and the result of a refused step.
        if (random.chance(0.5)) {
          const [id = ''] = newIds(1)
          const refusal: Objection = { kind: 'refused', code: 'INVALID_ARGUMENT', isLong: false }
          actions.push({ at, kind: 'objection', about: id, objection: refusal })
          actions.push({ at, kind: 'record', slot, ids: [id], size: 10 })
          at += random.between(20, 800)
        }
        actions.push({ at, kind: 'weather', weather: 'away' })
        for (const thread of [0, 1, 2])
          actions.push({
            at,
            kind: 'thread',
            slot,
            thread,
            object: 0,
            fields: fields(random),
            how: 'wrap',
          })
        at += random.between(0, 50)
      }
      actions.push({ at, kind: 'end', slot, way, inside })
      // The other process looks for left folders every twenty seconds.
      const awayMs = isShared ? random.pick([5000, 35_000]) : 5000
      if (isCutOff) actions.push({ at: at + awayMs, kind: 'weather', weather: 'well' })
      if (random.chance(0.8)) {
        const next = at + random.pick([0, 10, 6000, 30_000])
        const flushMs = random.chance(0.2) ? 30_000 : undefined
        actions.push({ at: next, kind: 'start', slot, flushMs, ...listening(random) })
        if (isCutOff && isShared) actions.push(...heirs(random, slot, next))
      }
    } else if (kind < (hasSpool ? 91 : 100)) {
      if (isFaultless) continue
      if (random.chance(0.1))
        actions.push({ at, kind: 'restart', downMs: random.pick([0, 300, 8000]) })
      else actions.push({ at, kind: 'weather', weather: random.pick(WEATHERS) })
    } else if (!isFaultless)
      actions.push({
        at,
        kind: 'disk',
        mode: random.pick(['well', 'full', 'half'] as const),
        keepsTails: random.chance(0.5),
      })
  }
  actions.sort((one, other) => one.at - other.at)
  return {
    seed,
    hasSpool,
    isShared,
    limits: {
      maxBatchSteps: random.pick([1, 3, 10, 500]),
      maxRequests: random.pick([1, 2, 4]),
      flushIntervalMs: random.pick([1, 50, 500]),
      ...(random.chance(0.1) ? { maxBufferBytes: 4000 } : {}),
    },
    maxSteps: !isFaultless && random.chance(0.2) ? random.between(1, 4) : undefined,
    actions,
  }
}
