/** Returns true when a service answers at a URL. */
export const isListening = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    async (response) => {
      await response.body?.cancel()
      return true
    },
    () => false,
  )
