import './values.css'
import { visible } from '../format/text.js'
import { Markdown } from './markdown.js'
import { readable, textOf } from './readable.js'

interface Message {
  role?: unknown
  name?: unknown
  content?: unknown
  tool_calls?: unknown
  tool_call_id?: unknown
}

/** Returns the text of a value that should be one. */
const plain = (value: unknown): string =>
  visible(typeof value === 'string' ? value : readable(value))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Shows the messages of a generation as a conversation. Unknown roles and parts are shown as they came. */
export const Messages = ({ messages }: { messages: unknown }) => {
  if (!Array.isArray(messages)) return <pre className="value">{visible(readable(messages))}</pre>
  return (
    <div className="column">
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids
        <MessageView key={index} message={message} />
      ))}
    </div>
  )
}

export const MessageView = ({ message }: { message: unknown }) => {
  if (!isObject(message)) return <pre className="value">{visible(readable(message))}</pre>
  const {
    role,
    name,
    content,
    tool_calls: calls,
    tool_call_id: callId,
    ...rest
  } = message as Message
  const others = Object.entries(rest).filter(
    ([key, value]) => value != null && key !== 'uuid' && key !== 'templated',
  )
  return (
    <div className={`message ${role === 'user' ? 'user_message' : ''}`} style={{ cursor: 'auto' }}>
      <header>
        <strong>{role == null ? 'no role' : plain(role)}</strong>
        {name != null && <bdi>{plain(name)}</bdi>}
        {callId != null && <span className="mono quiet">{plain(callId)}</span>}
      </header>
      <Content content={content} />
      {Array.isArray(calls) &&
        calls.map((call, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls have no ids
          <ToolCall key={index} call={call} />
        ))}
      {others.length > 0 && (
        <pre className="value">{visible(readable(Object.fromEntries(others)))}</pre>
      )}
    </div>
  )
}

const Content = ({ content }: { content: unknown }) => {
  if (content == null) return null
  const text = textOf(content)
  if (text !== undefined) return <Markdown text={text} />
  if (Array.isArray(content))
    return content.map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids
      <Part key={index} part={part} />
    ))
  return <pre className="value">{visible(readable(content))}</pre>
}

const IMAGE = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i
const MAX_IMAGE_LENGTH = 5_000_000

const Part = ({ part }: { part: unknown }) => {
  if (typeof part === 'string') return <Markdown text={part} />
  if (isObject(part)) {
    if (typeof part.text === 'string') return <Markdown text={part.text} />
    const image = part.image_url
    const url = isObject(image) ? image.url : image
    if (typeof url === 'string') {
      if (IMAGE.test(url) && url.length < MAX_IMAGE_LENGTH)
        return (
          <p className="media">
            <img src={url} alt="part of the message" loading="lazy" />
          </p>
        )
      return (
        <p>
          <span className="tag">image: {visible(url.slice(0, 200))}</span>
        </p>
      )
    }
  }
  return <pre className="value">{visible(readable(part))}</pre>
}

const ToolCall = ({ call }: { call: unknown }) => {
  const made = isObject(call) && isObject(call.function) ? call.function : undefined
  if (made === undefined) return <pre className="value">{visible(readable(call))}</pre>
  let given: unknown = made.arguments
  if (typeof given === 'string')
    try {
      given = JSON.parse(given)
    } catch {
      // Arguments that aren't JSON are shown as the model wrote them.
    }
  return (
    <div className="panel" style={{ padding: 8, marginTop: 4 }}>
      <strong className="type-tool">{made.name == null ? 'a tool' : plain(made.name)}</strong>
      <pre>{visible(readable(given))}</pre>
    </div>
  )
}
