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
}

export const createTransport = (options: HttpOptions & { disabled: boolean }): Transport => {
  const post = createPost(options)
  return {
    call: createCall(options),
    post,
    upload: createUpload(options, post),
    disabled: options.disabled,
  }
}
