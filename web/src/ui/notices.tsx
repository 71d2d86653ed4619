/** Tells of parts of an address that a page could not use. */
export const Notices = ({ texts }: { texts: readonly string[] }) =>
  texts.length === 0 ? null : (
    <div className="notice" role="status">
      {texts.map((text) => (
        <p key={text}>
          <bdi>{text}</bdi>
        </p>
      ))}
    </div>
  )
