import type { MutationSetConversationEndArgs } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid, show } from '../../kernel/errors.js'
import {
  type ConversationEnd,
  findConversationEnd,
  updateConversationEnd,
} from '../../storage/conversations/ending.js'
import { MAX_NAME_CHARACTERS } from '../../storage/conversations/last-tools.js'
import { renewWaiting } from '../../storage/judges/items.js'
import { changedFields, noteFor } from '../audit/entry.js'

/** A year: no conversation is quiet for longer and then continued. */
const MAX_IDLE_MINUTES = 525_600
const MAX_NAMES = 100

/** The rule for the end of a project's conversations. */
export class Conversations {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns null for a project without a rule. */
  end({ projectId }: Caller): Promise<ConversationEnd | null> {
    return findConversationEnd(this.#db, projectId)
  }

  /** Replaces the rule. Returns null when no part of it is given, and so none is left. */
  async setEnd(
    caller: Caller,
    { idleMinutes, tags, toolNames }: MutationSetConversationEndArgs,
  ): Promise<ConversationEnd | null> {
    if (idleMinutes != null && (idleMinutes < 1 || idleMinutes > MAX_IDLE_MINUTES))
      throw invalid(
        `idleMinutes: expected 1 to ${MAX_IDLE_MINUTES.toLocaleString('en')}, got ${idleMinutes}`,
      )
    const rule = {
      idleMinutes: idleMinutes ?? null,
      tags: namesOf('tags', tags),
      toolNames: namesOf('toolNames', toolNames),
    }
    const { projectId } = caller
    const isEmpty = rule.idleMinutes === null && rule.tags.length + rule.toolNames.length === 0
    const stored = isEmpty ? null : rule
    await inTransaction(this.#db, async (db) => {
      const before = await findConversationEnd(db, projectId)
      await updateConversationEnd(db, projectId, stored)
      await renewWaiting(db, projectId)
      await noteFor(db, caller, {
        action: 'SET_CONVERSATION_END',
        on: 'PROJECT',
        id: projectId,
        fields: changedFields(before, stored),
      })
    })
    return stored
  }
}

const namesOf = (field: string, given: readonly string[] | null | undefined): string[] => {
  const names = [...new Set(given ?? [])]
  if (names.length > MAX_NAMES)
    throw invalid(`${field}: expected at most ${MAX_NAMES}, got ${names.length}`)
  for (const [index, name] of names.entries())
    if (name === '' || name.length > MAX_NAME_CHARACTERS)
      throw invalid(
        `${field}[${index}]: expected 1 to ${MAX_NAME_CHARACTERS} characters, got ${show(name)}`,
      )
  return names
}
