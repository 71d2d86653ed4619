import { builtin } from '../../builtin.js'

/** The fastest level: bodies are mostly text, and the network is seldom the bottleneck. */
const LEVEL = 1

/** Compresses a body, off the event loop if possible; returns undefined if the runtime cannot compress. */
export const gzip = async (body: Uint8Array): Promise<Uint8Array | undefined> => {
  const zlib = builtin('node:zlib')
  if (zlib !== undefined)
    return new Promise((resolve, reject) =>
      zlib.gzip(body, { level: LEVEL }, (error, compressed) =>
        error === null ? resolve(compressed) : reject(error),
      ),
    )
  try {
    const stream = new Blob([body as Uint8Array<ArrayBuffer>])
      .stream()
      .pipeThrough(new CompressionStream('gzip'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  } catch {
    // The runtime has none, or one that throws, as Next.js's edge runtime.
    return undefined
  }
}
