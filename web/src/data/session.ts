/** Asks the service to let somebody in: with a key, or without one where it asks for none. */
export const signIn = async (apiKey?: string): Promise<void> => {
  const response = await fetch('/api/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(apiKey === undefined ? {} : { apiKey }),
  })
  const body: { errors?: { message?: string }[] } = await response.json().catch(() => ({}))
  if (response.ok) return
  throw new Error(body.errors?.[0]?.message ?? `the service answered with ${response.status}`)
}

export const signOut = async (): Promise<void> => {
  await (await fetch('/api/sign-out', { method: 'POST' })).text()
}
