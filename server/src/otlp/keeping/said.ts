/** Returns the members that say something: protobuf's defaults, 0 and an empty text, are the same as absence. */
export const said = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== '' && value !== 0,
    ),
  )
