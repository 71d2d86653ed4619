import { useState } from 'react'
import { Icon } from './icons.js'
import { useCopy } from './use-copy.js'

/** Shows code with a button that copies it. */
export const Snippet = ({ code, label }: { code: string; label?: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = useCopy()
  return (
    <div className="snippet">
      <pre tabIndex={0}>{code}</pre>
      <button
        type="button"
        className="button plain small"
        aria-label={isCopied ? 'Copied' : label === undefined ? 'Copy' : `Copy: ${label}`}
        onClick={async () => setCopied(await copy(code))}
      >
        <Icon name={isCopied ? 'review' : 'copy'} />
      </button>
    </div>
  )
}
