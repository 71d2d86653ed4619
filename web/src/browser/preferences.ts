import { browserStore } from '../format/store.js'
import { forgetZone } from '../format/zone.js'

/** Preferences stay in this browser, and out of addresses: theme, density, zone, widths, single keys. */
export type Theme = 'system' | 'light' | 'dark'

const readCookie = (name: string): string | undefined =>
  new RegExp(`(?:^|;\\s*)${name}=(\\w+)`).exec(document.cookie)?.[1]

export const theme = (): Theme => (readCookie('theme') as Theme | undefined) ?? 'system'

/** Stores it in a cookie, so that the service can apply it before the first paint. */
export const setTheme = (value: Theme): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not everywhere yet
  document.cookie = `theme=${value}; Path=/; Max-Age=31536000; SameSite=Lax`
  applyPreferences()
}

export const preference = (name: 'density' | 'zone' | 'keys'): string | null =>
  browserStore.get(name)

export const setPreference = (name: 'density' | 'zone' | 'keys', value: string): void => {
  browserStore.set(name, value)
  forgetZone()
  applyPreferences()
}

export const applyPreferences = (): void => {
  const { dataset } = document.documentElement
  if (theme() === 'system') delete dataset.theme
  else dataset.theme = theme()
  dataset.density = preference('density') ?? 'normal'
}
