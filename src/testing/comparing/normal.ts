import { isPlain } from '../../values/fit.js'
import { secretMask } from '../fixtures/secrets.js'

/** Returns a value in the form in which it is compared. */
export type Normal = (value: unknown) => unknown

/**
 * Makes the function by which both sides are brought into one form: secrets masked, parts of texts that may differ replaced,
 * no members without a value.
 */
export const normalBy = (ignore: readonly RegExp[]): Normal => {
  // A RegExp without `g` would replace its first match alone.
  const forms = ignore.map((form) => new RegExp(form.source, `${form.flags.replace('g', '')}g`))
  const normal = (value: unknown): unknown => {
    if (typeof value === 'string')
      return forms.reduce((text, form) => text.replace(form, '…'), value)
    if (Array.isArray(value)) return value.map(normal)
    if (!isPlain(value)) return value ?? undefined
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, member]) => member != null)
        .map(([name, member]) => [name, normal(member)]),
    )
  }
  const withoutSecrets = secretMask()
  return (value) => normal(withoutSecrets(value))
}

/** Writes a value as a text that is the same for equal values, whatever the order of their members. */
export const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isPlain(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  ) ?? ''
