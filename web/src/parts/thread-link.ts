import { segment } from '../address/segment.js'

export const threadLink = (id: string) => `/threads/${segment(id)}`

/** The address of two threads side by side. */
export const besideLink = (id: string, other: string) =>
  `${threadLink(id)}/beside/${segment(other)}`
