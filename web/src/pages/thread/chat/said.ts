/** Returns the names of the tools that a message calls, in the form of chat APIs; none for any other value. */
export const callsOf = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const { tool_calls: calls } = value as { tool_calls?: unknown }
  if (!Array.isArray(calls)) return []
  return calls.map((call: unknown) => {
    const { function: made, name } = (call ?? {}) as { function?: unknown; name?: unknown }
    const said = (made as { name?: unknown } | null | undefined)?.name ?? name
    return typeof said === 'string' ? said : 'a tool'
  })
}
