import { segment } from '../address/segment.js'

export const threadLink = (id: string) => `/threads/${segment(id)}`
