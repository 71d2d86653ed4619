import { Link } from 'wouter'
import { serviceUrl } from '../format/base.js'
import { CodeBlocks } from './code-blocks.js'
import { KEY_TO_COME, typescriptWay } from './snippets.js'

/** Explains in an empty list how to fill it. */
export const EmptyHint = ({ what }: { what: string }) => (
  <>
    <p>
      No {what} yet. Applications record them with the SDK;{' '}
      <Link href="/settings/connect">Connect</Link> has the other ways, and an example to record
      from here.
    </p>
    <CodeBlocks blocks={typescriptWay(serviceUrl(), KEY_TO_COME)} />
  </>
)
