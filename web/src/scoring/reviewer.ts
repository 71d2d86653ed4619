/** The name of the reviewer: asked for once, kept in this browser, and stored with each score. */
export const reviewer = (): string => localStorage.getItem('reviewer') ?? ''
export const setReviewer = (name: string): void => localStorage.setItem('reviewer', name.trim())
