/** Returns the context that the URL and the secret of an alert are sealed under. */
export const contextOf = (projectId: string, id: string): string =>
  JSON.stringify(['alert', projectId, id])
