import { browserStore } from './store.js'

let known: string | undefined

/** Returns the zone of shown times: the viewer's, or UTC by choice. Cached, as browsers answer slowly. */
export const zone = (): string => {
  known ??=
    browserStore.get('zone') === 'utc'
      ? 'UTC'
      : Intl.DateTimeFormat('en').resolvedOptions().timeZone
  return known
}

/** Forgets the zone after another one was chosen. */
export const forgetZone = (): void => {
  known = undefined
}
