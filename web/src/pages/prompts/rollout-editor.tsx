import { useRef, useState } from 'react'
import { PromptPageDocument, SetRolloutDocument } from '../../../generated/operations.js'
import { read, useChange } from '../../data/use-data.js'
import { FailureNote } from '../../ui/failure.js'
import { Fields } from '../../ui/forms/form.js'
import { useSending } from '../../ui/forms/use-sending.js'
import { moved, type Share, shares, sumOf } from './split.js'

/** A split that is not stored yet, with the prompt and the stored split that it began with. */
export interface RolloutDraft {
  of: string
  shares: readonly Share[]
}

/** Writes a split as people read it. */
const written = (rollouts: readonly { version: number; rollout: number }[]): string =>
  shares(rollouts.filter(({ rollout }) => rollout > 0).sort((a, b) => a.version - b.version))
    .map(({ version, percent }) => `v${version} ${percent} %`)
    .join(', ')

/** Moves a prompt's calls between its versions; the shares always sum to 100. */
export const RolloutEditor = ({
  name,
  versions,
  rollouts,
  draft: kept,
  onDraft,
  onDone,
}: {
  name: string
  versions: readonly number[]
  rollouts: readonly { version: number; rollout: number }[]
  /** Kept by the page, so that a look at another of its tabs drops nothing. */
  draft: RolloutDraft | undefined
  onDraft: (draft: RolloutDraft | undefined) => void
  onDone: () => void
}) => {
  const stored: Share[] = shares(
    versions.map((version) => ({
      version,
      rollout: rollouts.find((one) => one.version === version)?.rollout ?? 0,
    })),
  )
  const of = JSON.stringify([name, stored])
  // One that began with another split, as it was before someone else changed it, is dropped.
  const draft = kept?.of === of ? kept.shares : stored
  const setDraft = (shares: readonly Share[]) => onDraft({ of, shares })
  const [problem, setProblem] = useState<Error>()
  const set = useChange(SetRolloutDocument)
  const begun = useRef(written(rollouts))
  const changes = draft.filter(
    ({ version, percent }) => stored.find((one) => one.version === version)?.percent !== percent,
  )
  const { isSending, send, within } = useSending(async () => {
    setProblem(undefined)
    const { promptLineage } = await read(PromptPageDocument, { name, since: null })
    const now = written(promptLineage?.rollouts ?? rollouts)
    if (now !== begun.current) {
      begun.current = now
      throw new Error(
        `Somebody changed this meanwhile, to ${now}. Set the split again to replace it.`,
      )
    }
    const { updatePromptLineageRollout: answer } = await set({
      name,
      rollouts: draft.map(({ version, percent }) => ({ version, rollout: percent })),
    })
    if (!answer.ok) throw new Error(answer.message ?? 'the split was rejected')
    onDone()
  }, setProblem)
  const move = (version: number, percent: number) => setDraft(moved(draft, version, percent))
  return (
    <div className="column" style={{ maxWidth: 640 }} ref={within} aria-busy={isSending}>
      <Fields isSending={isSending}>
        {draft.map(({ version, percent, isLocked }) => (
          <div className="row" key={version}>
            <strong style={{ width: 44 }}>v{version}</strong>
            <input
              type="range"
              className="grow"
              min={0}
              max={100}
              step="any"
              value={percent}
              disabled={isLocked}
              aria-label={`Share of version ${version}`}
              // The field beside it takes parts of a percent.
              onChange={(event) => move(version, Math.round(Number(event.target.value)))}
            />
            <input
              type="number"
              className="field right"
              style={{ width: 70 }}
              min={0}
              max={100}
              step="any"
              value={percent}
              disabled={isLocked}
              aria-label={`Percent of version ${version}`}
              onChange={(event) => move(version, Number(event.target.value))}
            />
            %
            <label className="row" style={{ gap: 4 }}>
              <input
                type="checkbox"
                aria-label={`lock version ${version}`}
                checked={isLocked ?? false}
                onChange={() =>
                  setDraft(
                    draft.map((one) =>
                      one.version === version ? { ...one, isLocked: !one.isLocked } : one,
                    ),
                  )
                }
              />
              lock
            </label>
          </div>
        ))}
      </Fields>
      <p className="soft">sum {sumOf(draft)} %</p>
      <FailureNote error={problem} />
      {changes.length > 0 && (
        <p className="notice">
          {changes
            .map(
              ({ version, percent }) =>
                `v${version}: ${stored.find((one) => one.version === version)?.percent ?? 0} % → ${percent} %`,
            )
            .join(', ')}
          . New calls follow at once. A key keeps its version where possible.
        </p>
      )}
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={changes.length === 0}
          onClick={send}
        >
          Set the split
        </button>
        <button
          type="button"
          className="button"
          disabled={changes.length === 0 || isSending}
          onClick={() => onDraft(undefined)}
        >
          Cancel
        </button>
      </div>
    </div>
  )
}
