import { type Condition, type Group, isGroup, type Node } from './condition.js'

/** Quotes a value that holds spaces or signs. */
export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const showValue = (value: string, isListed: boolean): string => {
  const isBare = (isListed ? /^[^\s,"()]+$/ : /^[^\s"()]+$/).test(value)
  return isBare && value !== 'none' && value !== 'any' ? value : quote(value)
}

const showCondition = ({ field, path, sign, values }: Condition): string => {
  const head = `${field.name}${path === undefined ? '' : `[${/["\]]/.test(path) ? quote(path) : path}]`}`
  if (values === null) return `${head}:${sign === ':' ? 'none' : 'any'}`
  const isListed = sign === ':' || sign === '!:'
  return `${head}${sign}${values.map((value) => showValue(value, isListed)).join(',')}`
}

const showGroup = ({ join, of }: Group): string => {
  const [first] = of
  switch (join) {
    case 'and':
      return of.map((node) => showInside(node, ['or'])).join(' ')
    case 'or':
      return of.map((node) => showInside(node, ['or'])).join(' OR ')
    case 'not':
      return first === undefined
        ? ''
        : `-${isGroup(first) && first.join === 'some' ? showNode(first) : `(${showNode(first)})`}`
    case 'some':
      return `any(${showFilter(of)})`
  }
}

const showNode = (node: Node): string => (isGroup(node) ? showGroup(node) : showCondition(node))

/** Puts a node into brackets where it would be read with its neighbours. */
const showInside = (node: Node, bracketed: readonly Group['join'][]): string =>
  isGroup(node) && (node.join === 'and' || bracketed.includes(node.join))
    ? `(${showNode(node)})`
    : showNode(node)

/** Writes conditions that must all hold as text; the inverse of `parseFilter`. */
export const showFilter = (nodes: readonly Node[]): string => {
  const [first] = nodes
  return nodes.length === 1 && first !== undefined && isGroup(first) && first.join === 'or'
    ? showGroup(first)
    : nodes.map((node) => showInside(node, ['or'])).join(' ')
}
