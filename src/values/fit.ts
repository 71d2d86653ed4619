import { wireScore } from './scores.js'

/** Reasons why fields of a step hold less than they were given. */
export type Withheld = Record<string, string>

export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a captured value as an object: anything else is put into one under a name. */
export const asObject = (value: unknown, name: string): Record<string, unknown> | undefined => {
  if (value === undefined || value === null) return undefined
  return isPlain(value) ? value : { [name]: value }
}

/** The type that a member must have; members that are not listed may be anything. */
type Kind = 'text' | 'number' | 'whole' | 'dollars' | 'texts' | 'tokens' | 'any' | readonly string[]
type Shape = Readonly<Record<string, Kind>>

const shapeOf = (names: Partial<Record<'text' | 'number' | 'whole' | 'texts' | 'any', string>>) => {
  const shape: Record<string, Kind> = {}
  for (const [kind, list] of Object.entries(names))
    for (const name of list.split(' ')) shape[name] = kind as Kind
  return shape
}

const GENERATION: Shape = {
  ...shapeOf({
    text: 'completion createdAt error id model prompt promptId provider stepId',
    whole: 'inputTokenCount outputTokenCount tokenCount',
    number: 'duration tokenThroughputInSeconds ttFirstToken',
    texts: 'tags',
    any: 'messageCompletion messages metadata settings tools variables',
  }),
  type: ['CHAT', 'COMPLETION'],
  usage: 'tokens',
  cost: 'dollars',
}
/** The parts of `usage`, and their sum. */
const TOKENS =
  'input cached cacheWrite cacheWrite5m cacheWrite1h audioInput imageInput output reasoning audioOutput imageOutput unexplained total'.split(
    ' ',
  )
const SCORE: Shape = {
  ...shapeOf({
    text: 'comment datasetExperimentItemId generationId id label name scorer stepId',
    number: 'value',
    texts: 'tags',
  }),
  type: ['AI', 'CODE', 'HUMAN'],
}
const ATTACHMENT: Shape = shapeOf({
  text: 'id mime name objectKey stepId threadId url',
  any: 'metadata',
})

const LARGEST_WHOLE = 2 ** 31 - 1
/** The largest cost of one call, in dollars. */
const MAX_COST = 9007

/** Converts a value to a member's type; returns undefined when that is impossible. */
const fitMember = (value: unknown, kind: Kind): unknown => {
  switch (kind) {
    case 'any':
      return value
    case 'text':
      return textOf(value)
    case 'texts':
      return textsOf(value)
    case 'tokens':
      return tokensOf(value)
    case 'dollars': {
      const dollars = fitMember(value, 'number')
      return typeof dollars === 'number' && dollars >= 0 && dollars <= MAX_COST
        ? dollars
        : undefined
    }
    case 'number':
    case 'whole': {
      const number =
        typeof value === 'object' || /^\s*$/.test(String(value)) ? Number.NaN : Number(value)
      if (kind === 'number') return Number.isFinite(number) ? number : undefined
      return Math.abs(number) <= LARGEST_WHOLE ? Math.round(number) : undefined
    }
    default:
      return kind.includes(value as string) ? value : undefined
  }
}

/** Returns the counts of usage; undefined when one of them is no number of tokens, or is not known. */
const tokensOf = (value: unknown): unknown => {
  if (!isPlain(value)) return undefined
  const counts: Record<string, unknown> = {}
  for (const [name, count] of Object.entries(value)) {
    if (count === undefined || count === null) continue
    const whole = fitMember(count, 'whole')
    if (!TOKENS.includes(name) || typeof whole !== 'number' || whole < 0) return undefined
    counts[name] = whole
  }
  return counts
}

/** Returns the members that fit, and the names of the others. Null is no value, and stays. */
const fitMembers = (given: Record<string, unknown>, shape: Shape) => {
  const fitted: Record<string, unknown> = {}
  const others: [key: string, value: unknown][] = []
  const unfit: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue
    const kind = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (kind === undefined) {
      others.push([key, value])
      continue
    }
    const fit = value === null ? null : fitMember(value, kind)
    if (fit === undefined) unfit.push(key)
    else fitted[key] = fit
  }
  return { fitted, others: Object.fromEntries(others), unfit }
}

/**
 * Converts a value to a generation: members that the service does not know are moved to its metadata, as is any value
 * other than an object. One member of the wrong type would make the service refuse the whole step.
 */
export const fitGeneration = (given: unknown, withheld: Withheld): unknown => {
  if (given === undefined || given === null) return undefined
  const { fitted, others, unfit } = fitMembers(
    isPlain(given) ? given : { value: given },
    GENERATION,
  )
  if (unfit.length > 0) withheld.generation = `the wrong form: ${unfit.join(', ')}`
  if (Object.keys(others).length > 0)
    fitted.metadata = { ...others, ...asObject(fitted.metadata, 'value') }
  return fitted
}

/** Keeps the scores in a list: items with a name, a type and a value, or a label that stands for it. */
export const fitScores = (given: unknown, withheld: Withheld): unknown =>
  fitList(
    Array.isArray(given) ? given.map(fitScore) : given,
    SCORE,
    ['name', 'type', ['value', 'label']],
    'scores',
    withheld,
  )

/** Numbers that JSON has not, as captured values have them. */
const NO_NUMBER = /^(NaN|-?Infinity)$/

/** Texts are labels, except that one that is a number has always been taken as one. */
const fitScore = (given: unknown): unknown => {
  if (!isPlain(given)) return given
  const { value } = given
  const isLabel =
    typeof value === 'string' && fitMember(value, 'number') === undefined && !NO_NUMBER.test(value)
  return typeof value === 'boolean' || isLabel ? wireScore(given) : given
}

/** Keeps the attachments in a list: items with an id. */
export const fitAttachments = (given: unknown, withheld: Withheld): unknown =>
  fitList(given, ATTACHMENT, ['id'], 'attachments', withheld)

const fitList = (
  given: unknown,
  shape: Shape,
  required: readonly (string | readonly string[])[],
  field: string,
  withheld: Withheld,
): unknown[] | undefined => {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given)) {
    withheld[field] = `expected a list, got ${nameOfKind(given)}`
    return undefined
  }
  const wrong: string[] = []
  const list = given.flatMap((item, index) => {
    const { fitted, unfit } = fitMembers(isPlain(item) ? item : {}, shape)
    const missing = required
      .map((keys) => [keys].flat())
      .find((keys) => keys.every((key) => fitted[key] === undefined || fitted[key] === null))
    if (missing !== undefined) {
      wrong.push(`[${index}].${missing[0]}`)
      return []
    }
    wrong.push(...unfit.map((key) => `[${index}].${key}`))
    return [fitted]
  })
  if (wrong.length > 0) withheld[field] = `the wrong form: ${wrong.slice(0, 10).join(', ')}`
  return list
}

/** Writes a value as text; an object as JSON. */
export const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.map(textOf).filter((text) => text !== undefined) : undefined

const nameOfKind = (value: unknown): string =>
  typeof value === 'object' ? 'an object' : `a ${typeof value}`
