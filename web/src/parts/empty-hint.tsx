import { Link } from 'wouter'
import { Snippet } from '../ui/snippet.js'
import { typescriptSnippet } from './snippets.js'

/** Explains in an empty list how to fill it. */
export const EmptyHint = ({ what }: { what: string }) => (
  <>
    <p>
      No {what} yet. Applications record them with the SDK;{' '}
      <Link href="/settings/connect">Connect</Link> has the other ways, and an example to record
      from here.
    </p>
    <Snippet code={typescriptSnippet(window.location.origin)} />
  </>
)
