import { useState } from 'react'
import { NewVersionDocument } from '../../../../generated/operations.js'
import { useChange } from '../../../data/use-data.js'
import { useSending } from '../../../ui/forms/use-sending.js'
import { type Draft, draftOf, messageOf, readJson } from '../new-version/draft.js'
import type { Lineage, Version } from './columns.js'

/** A version as it was saved. */
export interface Saved {
  version: number
  base: Version
  /** False when an equal version was there. */
  isNew: boolean
}

/** A draft that is tried beside versions, and saved as one. */
export const useDraft = (
  lineage: Lineage,
  onSaved: (saved: Saved) => void,
  onProblem: (problem: Error) => void,
) => {
  const [draft, setDraft] = useState<Draft>()
  const [base, setBase] = useState<Version>()
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
    setDraft(undefined)
    onSaved({ version: made.version, base, isNew: made.version > newest })
  }, onProblem)
  return {
    draft,
    base,
    change: setDraft,
    begin: (version: Version) => {
      setDraft(draftOf(version))
      setBase(version)
    },
    discard: () => setDraft(undefined),
    save: send,
    isSending,
    within,
  }
}
