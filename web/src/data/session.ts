/** The API key of a project, or the token of a link that the service printed. */
export type Credentials = { apiKey: string } | { token: string }

export const signIn = async (credentials: Credentials): Promise<void> => {
  const response = await fetch('/api/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const body: { errors?: { message?: string }[] } = await response.json().catch(() => ({}))
  if (response.ok) return
  throw new Error(body.errors?.[0]?.message ?? `the service answered with ${response.status}`)
}

export const signOut = async (): Promise<void> => {
  await (await fetch('/api/sign-out', { method: 'POST' })).text()
}

/** Takes the token of a link out of the address, as the history would keep it; undefined when there is none. */
export const takeToken = (): string | undefined => {
  const address = new URL(window.location.href)
  const token = address.searchParams.get('token')
  if (address.pathname !== '/sign-in' || token === null) return undefined
  address.searchParams.delete('token')
  window.history.replaceState(window.history.state, '', address)
  return token
}
