/** Keys of models stay in this tab, unless the service is told to keep them. */
const nameOf = (endpointId: string): string => `model key ${endpointId}`

export const sessionKey = (endpointId: string): string | null =>
  sessionStorage.getItem(nameOf(endpointId))

export const setSessionKey = (endpointId: string, key: string): void => {
  if (key === '') sessionStorage.removeItem(nameOf(endpointId))
  else sessionStorage.setItem(nameOf(endpointId), key)
}
