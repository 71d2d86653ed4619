import { browserStore } from '../format/store.js'

/** The name of the reviewer: asked for once, kept in this browser, and stored with each score. */
export const reviewer = (): string => browserStore.get('reviewer') ?? ''
export const setReviewer = (name: string): void => browserStore.set('reviewer', name.trim())
