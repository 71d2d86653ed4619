import { diffWordsWithSpace } from 'diff'
import { useMemo, useState } from 'react'
import { plural } from '../format/number.js'
import { visible } from '../format/text.js'
import { fold, type Part, unfolded } from './fold.js'

/** Comparing very different long texts takes long. */
const TIMEOUT_MS = 200

/** Returns the pieces that two texts share and do not; too different to compare in time: all of one, then of the other. */
const compared = (from: string, to: string): readonly Part[] =>
  diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS }) ?? [
    { value: from, removed: true },
    { value: to, added: true },
  ]

/** Shows a text with the words that another one lost and gained. Screen readers and copies get them too. */
export const WordChanges = ({
  from,
  to,
  folds = false,
}: {
  from: string
  to: string
  /** Folds unchanged text away, but for some lines around each change. */
  folds?: boolean
}) => {
  const parts = useMemo(() => (folds ? fold : unfolded)(compared(from, to)), [from, to, folds])
  return (
    <pre className="value" dir="auto">
      {parts.map((part, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        if (part.kind === 'folded') return <Hidden key={index} {...part} />
        const Tag = part.added ? 'ins' : part.removed ? 'del' : 'span'
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        return <Tag key={index}>{visible(part.value)}</Tag>
      })}
    </pre>
  )
}

/** Unchanged lines, which a press shows. */
const Hidden = ({ value, lines }: { value: string; lines: number }) => {
  const [isOpen, setOpen] = useState(false)
  return isOpen ? (
    <span>{visible(value)}</span>
  ) : (
    <button type="button" className="folded-lines" onClick={() => setOpen(true)}>
      {plural(lines, 'unchanged line')}
    </button>
  )
}
