import { NewVersionDocument } from '../../../../generated/operations.js'
import { useProject } from '../../../data/project.js'
import { useChange } from '../../../data/use-data.js'
import { useSending } from '../../../ui/forms/use-sending.js'
import { type Draft, draftOf, messageOf, readJson } from '../new-version/draft.js'
import { useKeptDraft } from '../new-version/use-kept-draft.js'
import type { Lineage, Version } from './columns.js'

/** A version as it was saved. */
export interface Saved {
  version: number
  base: Version
  /** False when an equal version was there. */
  isNew: boolean
}

/** A draft with the number of the version that it began as. */
interface Tried {
  base: number
  draft: Draft
}

/** A draft that is tried beside versions, and saved as one. It stays in this browser until then. */
export const useDraft = (
  lineage: Lineage,
  onSaved: (saved: Saved) => void,
  onProblem: (problem: Error) => void,
) => {
  const project = useProject()
  const kept = useKeptDraft<Tried>([project.id, lineage.name, null, 'try'])
  const base = lineage.versions.find(({ version }) => version === kept.draft?.base)
  // Without its base it would lose what it does not show, such as the defaults of variables.
  const draft = base === undefined ? undefined : kept.draft?.draft
  const create = useChange(NewVersionDocument)
  const { isSending, send, within } = useSending(async () => {
    if (draft === undefined || base === undefined) return
    const newest = lineage.versions[0]?.version ?? -1
    const { createPromptVersion: made } = await create({
      lineageId: lineage.id,
      versionDesc: draft.description || null,
      templateMessages: draft.messages.map(messageOf),
      variablesDefaultValues: base.variablesDefaultValues ?? null,
      settings: readJson('settings', draft.settings),
      tools: readJson('tools', draft.tools),
    })
    if (made == null) throw new Error('the version could not be created')
    kept.discard()
    onSaved({ version: made.version, base, isNew: made.version > newest })
  }, onProblem)
  return {
    draft,
    base,
    /** True for a draft of before this page. */
    wasKept: kept.wasKept,
    change: (next: Draft) => {
      if (base !== undefined) kept.change({ base: base.version, draft: next })
    },
    begin: (version: Version) => kept.begin({ base: version.version, draft: draftOf(version) }),
    discard: kept.discard,
    save: send,
    isSending,
    within,
  }
}
