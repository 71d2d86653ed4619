import { line } from '../format/text.js'

interface Named {
  name: string | null
  firstMessage: string | null
}

/** Returns true for a thread with a name that can be seen. */
export const hasName = ({ name }: Pick<Named, 'name'>): boolean => line(name) !== ''

/** Returns the name of a thread, else its first message; empty without either, and for white space alone. */
export const threadTitle = (thread: Named): string =>
  line(hasName(thread) ? thread.name : thread.firstMessage)
