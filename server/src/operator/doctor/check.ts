/** The result of a check, as the command line of the SDK shows it. */
export interface Finding {
  state: 'ok' | 'warning' | 'broken' | 'skipped'
  text: string
  remedy?: string | undefined
}

/** A check, as the command line of the SDK runs it. */
export interface Check {
  name: string
  needs?: readonly string[]
  limitMs?: number
  run: () => Promise<Finding | readonly Finding[]>
}

export const ok = (text: string): Finding => ({ state: 'ok', text })
export const warning = (text: string, remedy: string): Finding => ({
  state: 'warning',
  text,
  remedy,
})
export const broken = (text: string, remedy: string): Finding => ({
  state: 'broken',
  text,
  remedy,
})

/** Returns the message of an error, and its code when it has no message. */
export const messageOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || String(error)
}

/** Explains an error of the service whose message has its remedy after a semicolon. */
export const brokenBy = (error: unknown): Finding => {
  const [text = '', ...remedy] = messageOf(error).split('; ')
  return broken(text, remedy.join('; '))
}
