import type { PythonClient } from '../../kernel/caller.js'

const NAME = 'py-literal-client'

/** Returns the released client that sent these headers, when it is one that checks types. */
export const pythonClientOf = (headers: Headers): PythonClient | undefined => {
  if (headers.get('x-client-name') !== NAME) return undefined
  const [, major, minor, patch] =
    /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(headers.get('x-client-version') ?? '') ?? []
  const isFirst = Number(major) === 0 && Number(minor) === 0
  return { readsImagesAsText: isFirst && Number(patch) < 600, knowsCode: !isFirst }
}
