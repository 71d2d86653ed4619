import { Snippet } from '../ui/snippet.js'
import type { CodeBlock } from './snippets.js'

/** Shows code by the places where it goes, each with a copy of its own. */
export const CodeBlocks = ({ blocks }: { blocks: readonly CodeBlock[] }) => (
  <>
    {blocks.map(({ place, code }) => (
      <div key={place} className="column" style={{ gap: 4, width: '100%', textAlign: 'start' }}>
        <span className="soft">{place}</span>
        <Snippet code={code} label={place} />
      </div>
    ))}
  </>
)
