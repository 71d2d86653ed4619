import type { Condition } from './condition.js'

/** Quotes a value that holds spaces or signs. */
export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const showValue = (value: string, isListed: boolean): string => {
  const isBare = (isListed ? /^[^\s,"]+$/ : /^[^\s"]+$/).test(value)
  return isBare && value !== 'none' && value !== 'any' ? value : quote(value)
}

/** Writes conditions as text; the inverse of `parseFilter`. */
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
