import { diffWordsWithSpace } from 'diff'
import { useMemo } from 'react'
import { visible } from '../format/text.js'

/** Comparing very different long texts takes long; after this they are shown without marks. */
const TIMEOUT_MS = 200

/** Shows a text with the words that another one lost and gained. Screen readers and copies get them too. */
export const WordChanges = ({ from, to }: { from: string; to: string }) => {
  const parts = useMemo(() => diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS }), [from, to])
  if (parts === undefined) return <p className="quiet">The texts have too little in common.</p>
  return (
    <pre className="value" dir="auto">
      {parts.map(({ value, added, removed }, index) =>
        added ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <ins key={index}>{visible(value)}</ins>
        ) : removed ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <del key={index}>{visible(value)}</del>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <span key={index}>{visible(value)}</span>
        ),
      )}
    </pre>
  )
}
