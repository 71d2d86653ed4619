// The tables of the docs: a row for each instrumentation and a cell for each aspect, then each gap by its name.
import { factsOf } from './facts.js'
import { ASPECTS, type Aspect, type Watched } from './watched.js'

/** An aspect of a scenario. It is understood when all of its facts are that were exported. */
export interface Cell {
  subject: string
  scenario: string
  aspect: Aspect
  /** Facts that were exported, and that no step has. */
  missed: string[]
  /** Facts that were not exported. */
  absent: string[]
  isExported: boolean
}

/** Returns a cell for each aspect that a scenario has. */
export const cellsOf = (watched: readonly Watched[]): Cell[] =>
  watched.flatMap((one) => {
    const facts = factsOf(one)
    return ASPECTS.flatMap((aspect): Cell[] => {
      const own = facts.filter((fact) => fact.aspect === aspect)
      const namesOf = (some: typeof own) => [...new Set(some.map(({ name }) => name))]
      if (own.length === 0) return []
      const exported = own.filter(({ isExported }) => isExported)
      return [
        {
          subject: one.subject.name,
          scenario: one.scenario.name,
          aspect,
          missed: namesOf(exported.filter(({ isUnderstood }) => !isUnderstood)),
          absent: namesOf(own.filter(({ isExported }) => !isExported)),
          isExported: exported.length > 0,
        },
      ]
    })
  })

const isUnderstood = ({ isExported, missed }: Cell): boolean => isExported && missed.length === 0

/** Returns the share of the exported cells that is understood, from 0 to 1. */
export const shareOf = (cells: readonly Cell[]): number => {
  const exported = cells.filter(({ isExported }) => isExported)
  return exported.filter(isUnderstood).length / exported.length
}

/** Writes the tables. */
export const tablesOf = (cells: readonly Cell[]): string => {
  const subjects = [...new Set(cells.map(({ subject }) => subject))]
  const exported = cells.filter(({ isExported }) => isExported)
  const understood = exported.filter(isUnderstood)
  return [
    `${count(understood.length)} of ${count(exported.length)} cells that are exported are understood. ` +
      `${count(cells.length - exported.length)} are not exported.`,
    '',
    row(['instrumentation', ...ASPECTS]),
    row(['---', ...ASPECTS.map(() => '---')]),
    ...subjects.map((subject) =>
      row([`\`${subject}\``, ...ASPECTS.map((aspect) => shown(cells, subject, aspect))]),
    ),
    '',
    ...gaps('Not understood', cells, subjects, ({ missed }) => missed),
    ...gaps('Not exported', cells, subjects, ({ absent }) => absent),
  ].join('\n')
}

const count = (number: number): string => number.toLocaleString('en-US')
const row = (columns: readonly string[]): string => `| ${columns.join(' | ')} |`

/** Returns the scenarios that are understood, of those in which the aspect is exported; a dash where there are none. */
const shown = (cells: readonly Cell[], subject: string, aspect: Aspect): string => {
  const own = cells.filter((cell) => cell.subject === subject && cell.aspect === aspect)
  const exported = own.filter(({ isExported }) => isExported)
  return exported.length === 0 ? '–' : `${exported.filter(isUnderstood).length}/${exported.length}`
}

/** Writes the facts of a kind, each with the scenarios that lack it. */
const gaps = (
  title: string,
  cells: readonly Cell[],
  subjects: readonly string[],
  factsIn: (cell: Cell) => string[],
): string[] => {
  const lines = subjects.flatMap((subject) => {
    const scenarios = new Map<string, string[]>()
    const own = cells.filter((cell) => cell.subject === subject)
    const callless = own.filter(({ aspect, absent }) => aspect === 'type' && absent.length > 0)
    for (const cell of own) {
      const facts = factsIn(cell)
      const hasCall = !callless.some(({ scenario }) => scenario === cell.scenario)
      const name = hasCall ? `${cell.aspect} (${facts.join(', ')})` : 'calls'
      const known = scenarios.get(name) ?? []
      if (facts.length > 0 && !known.includes(cell.scenario))
        scenarios.set(name, [...known, cell.scenario])
    }
    // Facts that are missing in the same scenarios stand together.
    const together = new Map<string, string[]>()
    for (const [name, list] of scenarios) {
      const key = list.join(', ')
      together.set(key, [...(together.get(key) ?? []), name])
    }
    const said = [...together].map(([list, names]) => `${list}: ${names.join(', ')}`)
    return said.length === 0 ? [] : [row([`\`${subject}\``, said.join('; ')])]
  })
  if (lines.length === 0) return [`${title}: nothing.`, '']
  return [row([title, 'scenarios and facts']), row(['---', '---']), ...lines, '']
}
