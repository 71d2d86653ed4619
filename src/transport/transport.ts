import type { PromptCache } from '../prompts/prompt-cache.js'
import type { PromptSnapshot } from '../prompts/snapshot.js'
import type { Ambient } from './ambient.js'
import { type Call, createCall } from './graphql.js'
import type { HttpOptions } from './http.js'
import { createPost, type Post } from './rest.js'
import { createUpload, type Upload } from './upload.js'

/** What the operations need of the network, as functions: easy to read, and to replace. */
export interface Transport {
  call: Call
  post: Post
  upload: Upload
  /** Nothing is recorded: steps that are sent go nowhere. */
  disabled: boolean
  /** The operations of the flavour without promises, in which the contract asks for less. */
  isBlocking: boolean
  /** Where the caller is, in the steps that are being recorded. */
  ambient: () => Ambient
  /** What prompts fall back on when the service can't be reached. */
  copies: PromptCache
  snapshot: PromptSnapshot | undefined
}

/** @internal */
export const createTransport = (
  options: HttpOptions &
    Pick<Transport, 'disabled' | 'ambient' | 'copies' | 'snapshot'> &
    Partial<Pick<Transport, 'isBlocking'>>,
): Transport => {
  const post = createPost(options)
  const call = createCall(options)
  return {
    // What is created inside an experiment's run belongs to the experiment, whichever way it takes.
    call: (document, variables, how) =>
      call(document, variables, { environment: options.ambient().environment, ...how }),
    post,
    upload: createUpload(options, post),
    disabled: options.disabled,
    isBlocking: options.isBlocking ?? false,
    ambient: options.ambient,
    copies: options.copies,
    snapshot: options.snapshot,
  }
}
