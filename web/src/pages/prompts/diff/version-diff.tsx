import { plural } from '../../../format/number.js'
import { visible } from '../../../format/text.js'
import { readable } from '../../../values/readable.js'
import { WordChanges } from '../../../values/word-changes.js'
import { messagesOf } from '../messages-of.js'

export interface VersionLike {
  templateMessages: unknown
  tools: unknown
  settings: unknown
}

/** The changes from an older version to a newer one: messages, settings and tools that differ, with words marked. */
export const VersionDiff = ({ from, to }: { from: VersionLike; to: VersionLike }) => {
  const [before, after] = [messagesOf(from.templateMessages), messagesOf(to.templateMessages)]
  const places = Array.from({ length: Math.max(before.length, after.length) }, (_, place) => place)
  const changed = places.filter(
    (place) =>
      before[place]?.text !== after[place]?.text || before[place]?.role !== after[place]?.role,
  )
  const parts = (['settings', 'tools'] as const)
    .map((part) => ({
      part,
      old: readable(from[part] ?? null),
      fresh: readable(to[part] ?? null),
    }))
    .filter(({ old, fresh }) => old !== fresh)
  return (
    <div className="column">
      <p className="soft">
        {changed.length === 0
          ? 'The messages are the same.'
          : `${changed.length} of ${plural(places.length, 'message')} changed.`}
        {parts.length === 0
          ? ' Settings and tools are the same.'
          : ` The ${parts.map(({ part }) => part).join(' and ')} changed.`}
      </p>
      {changed.map((place) => (
        <section key={place} aria-label={`Message ${place + 1}`}>
          <Roles place={place} before={before[place]?.role} after={after[place]?.role} />
          <WordChanges folds from={before[place]?.text ?? ''} to={after[place]?.text ?? ''} />
        </section>
      ))}
      {parts.map(({ part, old, fresh }) => (
        <section key={part} aria-label={part}>
          <strong>{part}</strong>
          <WordChanges folds from={old} to={fresh} />
        </section>
      ))}
    </div>
  )
}

const Roles = ({
  place,
  before,
  after,
}: {
  place: number
  before: string | undefined
  after: string | undefined
}) => (
  <p>
    <span className="quiet">{place + 1}</span>{' '}
    {before !== undefined && after !== undefined && before !== after && (
      <>
        <del>{visible(before)}</del>{' '}
      </>
    )}
    <strong>{visible(after ?? before ?? '')}</strong>
    {after === undefined && <span className="bad"> removed</span>}
    {before === undefined && <span className="good"> added</span>}
  </p>
)
