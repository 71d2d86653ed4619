/** Returns less than 0, 0 or more than 0, as a version is earlier than another one, the same, or later. */
export const compareVersions = (one: string, other: string): number => {
  const [ours, theirs] = [one, other].map((text) => text.split(/[.-]/).map(Number))
  for (let part = 0; part < 3; part++) {
    const difference = (ours?.[part] || 0) - (theirs?.[part] || 0)
    if (difference !== 0) return difference
  }
  return 0
}
