import type { Condition } from './condition.js'

/** A value as the language writes it when it holds spaces or signs. */
export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const showValue = (value: string, isListed: boolean): string => {
  const isBare = (isListed ? /^[^\s,"]+$/ : /^[^\s"]+$/).test(value)
  return isBare && value !== 'none' && value !== 'any' ? value : quote(value)
}

/** The text of conditions; reading it gives them back. */
export const showFilter = (conditions: readonly Condition[]): string =>
  conditions
    .map(({ field, path, sign, values }) => {
      const head = `${field.name}${path === undefined ? '' : `[${/["\]]/.test(path) ? quote(path) : path}]`}${sign}`
      if (values === null)
        return `${field.name}${path === undefined ? '' : `[${/["\]]/.test(path) ? quote(path) : path}]`}:${sign === ':' ? 'none' : 'any'}`
      const isListed = sign === ':' || sign === '!:'
      return `${head}${values.map((value) => showValue(value, isListed)).join(',')}`
    })
    .join(' ')
