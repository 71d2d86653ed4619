import { diffWordsWithSpace } from 'diff'
import { useMemo } from 'react'
import { visible } from '../../format/text.js'
import { readable } from '../../values/readable.js'

export interface VersionLike {
  templateMessages: unknown
  tools: unknown
  settings: unknown
}

interface TemplateMessage {
  role: string
  text: string
}

export const messagesOf = (template: unknown): TemplateMessage[] =>
  (Array.isArray(template) ? template : []).map((message: unknown) => {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown }
    return {
      role: String(role ?? 'no role'),
      text: typeof content === 'string' ? content : readable(content ?? null),
    }
  })

/** The changes between two versions: message by message, then settings and tools, words marked. */
export const VersionDiff = ({ from, to }: { from: VersionLike; to: VersionLike }) => {
  const [before, after] = [messagesOf(from.templateMessages), messagesOf(to.templateMessages)]
  const places = Array.from({ length: Math.max(before.length, after.length) }, (_, place) => place)
  const changed = places.filter(
    (place) =>
      before[place]?.text !== after[place]?.text || before[place]?.role !== after[place]?.role,
  ).length
  return (
    <div className="column">
      <p className="soft">
        {changed === 0
          ? 'The messages are the same.'
          : `${changed} of ${places.length} messages changed.`}
      </p>
      {places.map((place) => (
        <section key={place} aria-label={`Message ${place + 1}`}>
          <strong>{visible(after[place]?.role ?? before[place]?.role ?? '')}</strong>
          {after[place] === undefined && <span className="bad"> removed</span>}
          {before[place] === undefined && <span className="good"> added</span>}
          <Words from={before[place]?.text ?? ''} to={after[place]?.text ?? ''} />
        </section>
      ))}
      {(['settings', 'tools'] as const).map((part) => {
        const [old, fresh] = [readable(from[part] ?? null), readable(to[part] ?? null)]
        return old === fresh ? null : (
          <section key={part} aria-label={part}>
            <strong>{part}</strong>
            <Words from={old} to={fresh} />
          </section>
        )
      })}
    </div>
  )
}

const Words = ({ from, to }: { from: string; to: string }) => {
  const parts = useMemo(() => diffWordsWithSpace(from, to, { timeout: 200 }), [from, to])
  if (parts === undefined)
    return (
      <pre className="value" dir="auto">
        {visible(to)}
      </pre>
    )
  return (
    <pre className="value" dir="auto">
      {parts.map(({ value, added, removed }, index) =>
        added ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <ins key={index}>{visible(value)}</ins>
        ) : removed ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <del key={index}>{visible(value)}</del>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
          <span key={index}>{visible(value)}</span>
        ),
      )}
    </pre>
  )
}
