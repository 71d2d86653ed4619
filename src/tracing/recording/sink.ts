import type { createOutbox, Delivery } from '../../outbox/create-outbox.js'
import type { Outbox } from '../../outbox/outbox.js'
import type { Step } from '../step.js'

/** @internal Receives the records of a recorder: an outbox, or the memory of a test. */
export interface Sink extends Pick<Outbox, 'start' | 'add' | 'addThread' | 'lose' | 'flushLast'> {
  /** Called for each new step. */
  noteStep?(step: Step): void
  /** Called before a step is recorded, which sampling may prevent. */
  noteEnd?(step: Step): void
}

/** @internal Delivers the records of a client. */
export interface SinkDelivery extends Pick<Delivery, 'deliverNow'> {
  outbox: Sink & Pick<Outbox, 'stats' | 'flush' | 'close' | 'cutOff' | 'end'>
}

/** @internal Creates the delivery of a client. */
export type CreateDelivery = (...parameters: Parameters<typeof createOutbox>) => SinkDelivery
