/** Longest event that is kept while its end is awaited. */
const MAX_EVENT = 4_000_000

/** Yields the data of server-sent events, however the bytes are cut. */
export async function* serverSentData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const chunk of chunks) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_EVENT) throw new Error('an event is too long')
    for (const ended of lines) {
      const line = ended.replace(/\r$/, '')
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      else if (line === '' && data.length > 0) {
        yield data.join('\n')
        data = []
      }
    }
  }
  const last = rest.replace(/\r$/, '')
  if (last.startsWith('data:')) data.push(last.slice(5).replace(/^ /, ''))
  if (data.length > 0) yield data.join('\n')
}
