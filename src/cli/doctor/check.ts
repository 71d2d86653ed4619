/** The result of a check, in a line. Neither text has a payload, a key or a password. */
export interface Finding {
  state: 'ok' | 'warning' | 'broken' | 'skipped'
  /** Sentence about the thing that was tried, and its result. */
  text: string
  /** The command or the setting that mends it. */
  remedy?: string | undefined
}

/** A look at one thing that has to work. */
export interface Check {
  name: string
  /** Checks without which this one says nothing. It is skipped when one of them is broken or was skipped itself. */
  needs?: readonly string[]
  /** The time after which nothing more is expected of it. */
  limitMs?: number
  /** True for a check that mends what an earlier one did: it runs though the time is over. */
  isLast?: boolean
  /** Returns nothing when there was nothing to check. */
  run: () => Promise<Finding | readonly Finding[]>
}

export const ok = (text: string): Finding => ({ state: 'ok', text })
export const skipped = (text: string): Finding => ({ state: 'skipped', text })
export const warning = (text: string, remedy?: string): Finding => ({
  state: 'warning',
  text,
  remedy,
})
export const broken = (text: string, remedy: string): Finding => ({
  state: 'broken',
  text,
  remedy,
})
