import type { PromptCache } from '../prompts/prompt-cache.js'
import type { PromptSnapshot } from '../prompts/snapshot.js'
import type { Ambient } from './ambient.js'
import { type Call, createCall } from './graphql.js'
import type { HttpOptions } from './http.js'
import { createPost, type Post } from './rest.js'
import { createUpload, type Upload } from './upload.js'

/** The network functions of the operations: easy to read, and to replace. */
export interface Transport {
  call: Call
  post: Post
  upload: Upload
  /** True when nothing is recorded: steps are not sent. */
  disabled: boolean
  /** True for the client without promises, for which the contract has fewer requirements. */
  isBlocking: boolean
  /** Returns the steps around the caller that are being recorded. */
  ambient: () => Ambient
  /** The copies of prompts for when the service cannot be reached. */
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
    // Everything created inside an experiment's run belongs to the experiment, whichever call creates it.
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
