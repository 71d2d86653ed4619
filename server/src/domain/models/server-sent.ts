/** Longest event that is kept while its end is awaited. */
const MAX_EVENT = 4_000_000

/** Yields the data of server-sent events, however the bytes are cut. */
export async function* serverSentData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let data: string[] = []
  // The pieces of a line without an end so far: one that is very long may come byte by byte, and is joined once.
  let rest: string[] = []
  let restLength = 0
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    rest.push(first)
    restLength += first.length
    if (restLength > MAX_EVENT) throw new Error('an event is too long')
    const last = others.pop()
    if (last === undefined) continue
    const lines = [rest.join(''), ...others]
    rest = [last]
    restLength = last.length
    for (const ended of lines) {
      const line = ended.replace(/\r$/, '')
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      else if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      }
    }
  }
  const last = rest.join('').replace(/\r$/, '')
  if (last.startsWith('data:')) data.push(last.slice(5).replace(/^ /, ''))
  if (data.length > 0) yield data.join('\n')
}
