/** Stands for a thrown value whose properties can't be read, as of a proxy that throws. */
export const UNREADABLE = 'an unreadable error'

/** Describes a thrown value by a function that may throw itself. */
export const readably = <Text>(describe: () => Text): Text | string => {
  try {
    return describe()
  } catch {
    return UNREADABLE
  }
}
