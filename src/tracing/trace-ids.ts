import type { Context } from './context.js'

/** Digits that are no id. */
export const NONE = /^0+$/
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Returns the id of the trace that a context is in: that of the caller, or of the first step, a run or not. */
export const traceIdOf = (context: Context): string | undefined => {
  const { remote } = context.setting
  if (remote !== undefined) return remote.traceId
  let step = context.step
  while (step?.context?.step !== undefined) step = step.context.step
  return step === undefined ? undefined : digitsOf(step.id, 32)
}

/** Returns hexadecimal digits for an id: the last ones of a UUID, a hash of anything else. */
export const digitsOf = (id: string, digits: number): string => {
  if (UUID.test(id)) return id.replaceAll('-', '').toLowerCase().slice(-digits)
  let text = ''
  for (let part = 0; text.length < digits; part++) {
    // FNV-1a: it need not be secure, only the same for the same id.
    let state = 0x811c9dc5 ^ part
    for (let index = 0; index < id.length; index++)
      state = Math.imul(state ^ id.charCodeAt(index), 0x01000193)
    text += (state >>> 0).toString(16).padStart(8, '0')
  }
  return NONE.test(text) ? `${text.slice(1)}1` : text
}
