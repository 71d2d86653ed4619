import type { Step } from 'stepwell'

const styled = process.stdout.isTTY && !process.env.NO_COLOR
const style = (code: number) => (text: string) =>
  styled ? `\u001b[${code}m${text}\u001b[0m` : text
export const bold = style(1)
export const dim = style(2)
const green = style(32)

export const heading = (text: string) => console.log(`\n${green('■')} ${bold(text)}`)

/** Prints columns as wide as their widest cell; figures to the right. */
export const printTable = (head: string[], rows: string[][]) => {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const isFigure = head.map((_, column) =>
    rows.every((row) => /^[\d.,% ]+$/.test(row[column] ?? '')),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) =>
        isFigure[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  console.log(dim(`  ${line(head)}`))
  for (const row of rows) console.log(`  ${line(row)}`)
}

/** Prints steps as a tree, oldest first, with the duration and the tokens of each. */
export const printTree = (steps: readonly Step[]) => {
  const known = new Set(steps.map(({ id }) => id))
  const children = new Map<string | null, Step[]>()
  for (const step of steps) {
    const parent = parentOf(step, known)
    children.set(parent, [...(children.get(parent) ?? []), step])
  }
  const lines: { tree: string; type: string; time: string; tokens: string }[] = []
  const visit = (parent: string | null, indent: string) => {
    const siblings = [...(children.get(parent) ?? [])].sort((a, b) =>
      (a.startTime ?? '').localeCompare(b.startTime ?? ''),
    )
    for (const [index, step] of siblings.entries()) {
      const isLast = index === siblings.length - 1
      const branch = parent === null ? '' : isLast ? '└─ ' : '├─ '
      lines.push({
        tree: `${indent}${branch}${step.name ?? step.id}`,
        type: step.type,
        time: durationOf(step),
        tokens: step.generation?.tokenCount == null ? '' : String(step.generation.tokenCount),
      })
      visit(step.id, parent === null ? '' : `${indent}${isLast ? '   ' : '│  '}`)
    }
  }
  visit(null, '')
  printTable(
    ['step', 'type', 'time', 'tokens'],
    lines.map(({ tree, type, time, tokens }) => [tree, type, time.padStart(7), tokens.padStart(6)]),
  )
}

const parentOf = (step: Step, known: ReadonlySet<string>) =>
  step.parentId !== null && known.has(step.parentId) ? step.parentId : null

const durationOf = ({ startTime, endTime }: Step): string => {
  if (startTime === null || endTime === null || startTime === endTime) return ''
  const milliseconds = Date.parse(endTime) - Date.parse(startTime)
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(2)} s`
}
