import { isPlain } from '../values/fit.js'
import { show } from './show.js'
import { type StepLike, tokensOf } from './step-like.js'

/** Lines of a tree; the rest is counted. */
const MAX_LINES = 100
const MAX_VALUE = 60

/** Writes steps as a text, a line for each, indented by their parents. */
export const treeOf = (steps: readonly StepLike[]): string => {
  if (steps.length === 0) return '(no steps)'
  const ids = new Set(steps.map(({ id }) => id))
  const inside = new Map<string | undefined, StepLike[]>()
  for (const step of steps) {
    const parent = step.parentId != null && ids.has(step.parentId) ? step.parentId : undefined
    inside.set(parent, [...(inside.get(parent) ?? []), step])
  }
  const lines: string[] = []
  const seen = new Set<StepLike>()
  const write = (step: StepLike, depth: number): void => {
    if (seen.has(step)) return
    seen.add(step)
    lines.push(`${'  '.repeat(depth)}${lineOf(step)}`)
    for (const child of inside.get(step.id) ?? []) write(child, depth + 1)
  }
  for (const root of inside.get(undefined) ?? []) write(root, 0)
  // Steps whose parents form a circle.
  for (const step of steps) write(step, 0)
  const more = lines.length - MAX_LINES
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}

/** Returns a value that is no object as the application had it: it is stored under the name of its field. */
export const asGiven = (stored: unknown, field: 'input' | 'output'): unknown =>
  isPlain(stored) && Object.keys(stored).length === 1 && field in stored ? stored[field] : stored

/** Writes a step in one line. */
export const lineOf = (step: StepLike): string => {
  const { name, type, input, output, error, isOpen } = step
  const { total } = tokensOf(step)
  return [
    name ?? '(no name)',
    type == null || type === 'undefined' ? '' : `(${type})`,
    input == null ? '' : `input ${show(asGiven(input, 'input'), MAX_VALUE)}`,
    output == null ? '' : `output ${show(asGiven(output, 'output'), MAX_VALUE)}`,
    total === undefined ? '' : `${total} tokens`,
    error == null ? '' : `error ${show(error, MAX_VALUE)}`,
    isOpen ? '[open]' : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
