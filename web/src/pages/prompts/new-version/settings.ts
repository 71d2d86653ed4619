/** Numbers that many providers take as settings of a call. */
export const NUMBERS = [
  { name: 'temperature', title: 'Temperature', step: 0.1 },
  { name: 'max_tokens', title: 'Most tokens of an answer', step: 1 },
  { name: 'top_p', title: 'Top p', step: 0.05 },
] as const

/** Reads settings as an object; undefined while their text is none. */
export const readSettings = (text: string): Record<string, unknown> | undefined => {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the text of settings with a number set, or left out when it is undefined. The others stay, in their order. */
export const withNumber = (text: string, name: string, value: number | undefined): string => {
  const { [name]: _, ...others } = readSettings(text) ?? {}
  if (value === undefined) return JSON.stringify(others, null, 2)
  return JSON.stringify({ ...readSettings(text), [name]: value }, null, 2)
}
