import { tabStore } from '../../format/store.js'

/** Keys of models stay in this tab, unless the service is told to keep them. */
const nameOf = (endpointId: string): string => `model key ${endpointId}`

export const sessionKey = (endpointId: string): string | null => tabStore.get(nameOf(endpointId))

export const setSessionKey = (endpointId: string, key: string): void => {
  if (key === '') tabStore.remove(nameOf(endpointId))
  else tabStore.set(nameOf(endpointId), key)
}
