// Messages in the form of OpenTelemetry's conventions for generative AI: `gen_ai.input.messages` and `.output.messages`.
import { isJson, type Json, objectsOf, parsedOr } from './json.js'

/** Members that a message has in another form there. */
const KNOWN = new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'uuid', 'templated'])

/** Returns a message as a list of parts. Members of other names stay beside them. */
export const toParts = (message: Json): Json => {
  const { role, content, tool_calls: calls, tool_call_id: id } = message
  const rest = Object.fromEntries(Object.entries(message).filter(([name]) => !KNOWN.has(name)))
  const parts =
    role === 'tool'
      ? [{ type: 'tool_call_response', id, response: content }]
      : [...contentParts(content), ...objectsOf(calls).map(callPart)]
  return { ...rest, role, parts }
}

const contentParts = (content: unknown): Json[] => {
  if (content === undefined || content === null || content === '') return []
  if (Array.isArray(content))
    return content.map((part) => (isJson(part) ? toPart(part) : text(part)))
  return [text(content)]
}

const text = (content: unknown): Json => ({
  type: 'text',
  content: typeof content === 'string' ? content : JSON.stringify(content),
})

const DATA = /^data:([^;,]+);base64,(.*)$/s

const toPart = (part: Json): Json => {
  if (part.type === 'text' && typeof part.text === 'string') return text(part.text)
  const image = isJson(part.image_url) ? part.image_url.url : part.image_url
  if (part.type !== 'image_url' || typeof image !== 'string') return part
  const [, mime, data] = DATA.exec(image) ?? []
  return data === undefined
    ? { type: 'uri', modality: 'image', uri: image }
    : { type: 'blob', modality: 'image', mime_type: mime, content: data }
}

/** Arguments are JSON in a text, in the API of most models. */
const callPart = ({ id, function: called }: Json): Json => {
  const { name, arguments: given } = isJson(called)
    ? called
    : { name: undefined, arguments: undefined }
  return {
    type: 'tool_call',
    id,
    name,
    arguments: typeof given === 'string' ? parsedOr(given) : given,
  }
}

/** Returns the message that `toParts` writes like this: the way back for messages that it keeps whole. */
export const fromParts = ({ role, parts, ...rest }: Json): Json => {
  const all = objectsOf(parts)
  const [first] = all
  if (role === 'tool' && first?.type === 'tool_call_response') {
    const { id, response } = first
    return { ...rest, role, ...(id === undefined ? {} : { tool_call_id: id }), content: response }
  }
  const calls = all.filter(({ type }) => type === 'tool_call')
  const others = all.filter(({ type }) => type !== 'tool_call')
  const isText = others.length === 1 && others[0]?.type === 'text'
  return {
    ...rest,
    role,
    content: isText ? others[0]?.content : others.length === 0 ? null : others.map(fromPart),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(fromCall) }),
  }
}

const fromPart = (part: Json): Json => {
  if (part.type === 'text') return { type: 'text', text: part.content }
  if (part.type === 'uri') return { type: 'image_url', image_url: { url: part.uri } }
  if (part.type !== 'blob') return part
  return {
    type: 'image_url',
    image_url: { url: `data:${part.mime_type};base64,${part.content}` },
  }
}

const fromCall = ({ id, name, arguments: given }: Json): Json => ({
  id,
  type: 'function',
  function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
})
