import { createHash } from 'node:crypto'
import type { AuditSubjectKind } from '../../../generated/resolvers.js'

/** Things whose ids applications choose, and so may make of the name of a person. */
const CHOSEN: ReadonlySet<AuditSubjectKind> = new Set(['THREAD', 'STEP', 'SCORE', 'ATTACHMENT'])
/** A UUID, or the id of a trace or a span: digits that no person is called. */
const MADE = /^([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{16}|[\da-f]{32})$/i
const DIGITS = 32

/** Returns a digest of an id: those who have the id find the entry, and nobody reads a name in it. */
export const digestOf = (id: string): string =>
  `sha256:${createHash('sha256').update(id).digest('hex').slice(0, DIGITS)}`

/** Returns the id of a thing as the log has it. */
export const subjectIdOf = (kind: AuditSubjectKind, id: string): string =>
  CHOSEN.has(kind) && !MADE.test(id) ? digestOf(id) : id
