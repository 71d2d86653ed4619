import type { PromptPageQuery } from '../../../../generated/operations.js'
import { type Draft, messageOf, readJson } from '../new-version/draft.js'

export type Lineage = NonNullable<PromptPageQuery['promptLineage']>
export type Version = Lineage['versions'][number]

/** The parts of a version that a model is called with. */
interface Called {
  messages: unknown
  settings: unknown
  tools: unknown
}

/** A column of the comparison: a version, or a draft. */
export interface Column {
  key: string
  title: string
  /** The messages, to find variables in. */
  messages: unknown
  defaults: Record<string, unknown>
  /** Returns the parts of a call. Throws when a part of a draft can't be read. */
  called: () => Called
}

const defaultsOf = (version: Version) =>
  (version.variablesDefaultValues ?? {}) as Record<string, unknown>

export const columnOf = (version: Version): Column => ({
  key: String(version.version),
  title: `v${version.version}`,
  messages: version.templateMessages,
  defaults: defaultsOf(version),
  called: () => ({
    messages: version.templateMessages,
    settings: version.settings,
    tools: version.tools,
  }),
})

/** Returns the column of a draft, which was begun from a version. */
export const draftColumn = (draft: Draft, base: Version): Column => ({
  key: 'draft',
  title: `draft from v${base.version}`,
  messages: draft.messages.map(({ role, content }) => ({ role, content })),
  defaults: defaultsOf(base),
  called: () => ({
    messages: draft.messages.map(messageOf),
    settings: readJson('settings', draft.settings),
    tools: readJson('tools', draft.tools),
  }),
})
