import type { OutlineStep } from '../../api/outlines.js'
import type { Excerpts } from './excerpts.js'
import { median } from './rows.js'

/** Something about steps that a reader would look at first. */
export interface Finding {
  readonly what: string
  /** The steps, in their order. */
  readonly steps: readonly OutlineStep[]
}

/** Compared with fewer of its kind, no step stands out. */
const MIN_ALIKE = 5
const OUTLIER = 5

/**
 * Finds what stands out in steps: failures that nothing caught as such, loops, answers that are missing, the same as before or
 * unlike the others, calls that are slower or larger by far. Findings are hints by rules, none of them a verdict.
 */
export const findingsIn = (
  steps: readonly OutlineStep[],
  excerpts: ReadonlyMap<string, Excerpts>,
): Finding[] => {
  const kinds = groupsOf(steps, ({ type, name }) => `${type} ${name ?? ''}`)
  const parents = parentsOf(steps)
  const findings: Finding[] = []
  const add = (what: string, found: readonly OutlineStep[]) => {
    if (found.length > 0) findings.push({ what, steps: found })
  }
  const of = (step: OutlineStep) => excerpts.get(step.id)
  const acting = steps.filter(({ type }) => ACTING.has(type))
  const speaking = acting.filter(
    (step) => !step.hasFailed && step.type !== 'llm' && FAILURE.test(of(step)?.output ?? ''),
  )
  // Each text by itself: among many of one kind, the only one of another would have no room.
  for (const same of groupsOf(speaking, (step) => beginningOf(of(step)?.output ?? '')))
    add('speaks of a failure, without being marked as failed', same)
  add(
    'ended without an output',
    acting.filter(
      (step) =>
        !step.hasFailed &&
        !step.isRunning &&
        of(step) !== undefined &&
        isEmpty(of(step)?.output ?? null),
    ),
  )
  for (const group of kinds) {
    if (!ACTING.has(group[0]?.type ?? '')) continue
    for (const repeated of groupsOf(group, (step) => of(step)?.input ?? ''))
      if (
        repeated.length >= 3 &&
        of(repeated[0] as OutlineStep)?.input != null &&
        group[0]?.type !== 'llm'
      )
        add(`${repeated.length} times with the same input`, repeated)
    add('gave for another input the output of before', repeatedOutputs(group, of))
    add(
      'has other arguments than the rest of its kind',
      unlike(group, (step) => keysOf(of(step)?.input)),
    )
    add(
      'has another form of output than the rest of its kind',
      unlike(group, (step) => formOf(of(step)?.output)),
    )
    add(
      `took over ${OUTLIER} times the median of its kind`,
      outliers(group, ({ duration }) => duration),
    )
    add(
      `has over ${OUTLIER} times the tokens of its kind`,
      outliers(group, ({ tokens }) => tokens),
    )
    add('has far fewer tokens than the call before: its context shrank', shrunk(group, parents))
  }
  const tools = steps.filter(({ type }) => type === 'tool')
  if (tools.length >= 10)
    add(
      'is the only one of its name',
      kinds.flatMap((group) => (group.length === 1 && group[0]?.type === 'tool' ? group : [])),
    )
  add(
    'began and has no end',
    steps.filter(({ isRunning }) => isRunning),
  )
  return findings
}

const ACTING: ReadonlySet<string> = new Set(['tool', 'retrieval', 'rerank', 'embedding', 'llm'])
const FAILURE =
  /\b(?:errors?|exception|fail(?:ed|ure)|timed? ?out|denied|not found|invalid|unable|traceback|unauthorized|forbidden|unavailable|cannot|refused)\b/i

/** Returns the beginning of a text without what differs from one message of a kind to the next. */
const beginningOf = (text: string): string => text.slice(0, 40).replace(/\d+/g, '0')

const isEmpty = (output: string | null): boolean =>
  output === null || /^(?:""|\[\]|\{\}|null|\s*)$/.test(output)

/** Groups items by a key, both in the order in which they come. */
export const groupsOf = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] => {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return [...groups.values()]
}

/** Outputs that begin alike are often the same message; a short one, such as "ok", says nothing. */
const MIN_TOLD = 20

const repeatedOutputs = (
  group: readonly OutlineStep[],
  of: (step: OutlineStep) => Excerpts | undefined,
): OutlineStep[] => {
  const seen = new Map<string, string>()
  const repeated = group.filter((step) => {
    const { input, output } = of(step) ?? { input: null, output: null }
    if (output === null || output.length < MIN_TOLD) return false
    const before = seen.get(output)
    if (before === undefined) seen.set(output, input ?? '')
    return before !== undefined && before !== (input ?? '')
  })
  // A tool that always says the same is made so.
  return repeated.length * 3 > group.length ? [] : repeated
}

/** Returns the few steps whose trait differs from that of nearly all the others. */
const unlike = (
  group: readonly OutlineStep[],
  traitOf: (step: OutlineStep) => string | undefined,
): OutlineStep[] => {
  const told = group.flatMap((step) => {
    const trait = traitOf(step)
    return trait === undefined ? [] : [{ step, trait }]
  })
  if (told.length < MIN_ALIKE) return []
  const traits = groupsOf(told, ({ trait }) => trait).sort(
    (one, other) => other.length - one.length,
  )
  const [main = [], ...others] = traits
  return main.length < told.length * 0.8 ? [] : others.flat().map(({ step }) => step)
}

/** A field at the beginning of an excerpt, or after a comma: excerpts show objects as `city: Oslo, days: 3`. */
const FIELDS = /(?:^|, )([\w.-]{1,40}): /g

const keysOf = (input: string | null | undefined): string | undefined => {
  // A cut excerpt lacks its last fields.
  if (input == null || input.endsWith('…')) return undefined
  return [...input.matchAll(FIELDS)].map(([, key]) => key).join(',')
}

const formOf = (output: string | null | undefined): string | undefined => {
  if (output == null) return undefined
  const [first = ''] = output
  if ('{['.includes(first)) return first
  return output.search(FIELDS) === 0 ? 'fields' : 'text'
}

const outliers = (
  group: readonly OutlineStep[],
  measure: (step: OutlineStep) => number | null,
): OutlineStep[] => {
  const values = group.flatMap((step) => measure(step) ?? [])
  if (values.length < MIN_ALIKE) return []
  const limit = median(values) * OUTLIER
  return limit === 0 ? [] : group.filter((step) => (measure(step) ?? 0) > limit)
}

/** Small calls differ by chance. */
const MIN_TOKENS = 200

/** Returns the parent of each step, of steps in pre-order. */
const parentsOf = (steps: readonly OutlineStep[]): ReadonlyMap<OutlineStep, OutlineStep> => {
  const parents = new Map<OutlineStep, OutlineStep>()
  const path: OutlineStep[] = []
  for (const step of steps) {
    path.length = Math.min(path.length, step.depth)
    const parent = path.at(-1)
    if (parent !== undefined) parents.set(step, parent)
    path.push(step)
  }
  return parents
}

const shrunk = (
  group: readonly OutlineStep[],
  parents: ReadonlyMap<OutlineStep, OutlineStep>,
): OutlineStep[] => {
  if (group[0]?.type !== 'llm') return []
  return group.filter((step, at) => {
    const last = group[at - 1]
    // Another agent begins with a context of its own.
    if (last === undefined || parents.get(last) !== parents.get(step)) return false
    const before = last.tokens ?? 0
    const { tokens } = step
    return tokens !== null && before >= MIN_TOKENS && tokens * 2 < before
  })
}
