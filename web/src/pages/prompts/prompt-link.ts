import { segment } from '../../address/segment.js'

export const promptLink = (name: string) => `/prompts/${segment(name)}`
