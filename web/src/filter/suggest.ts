import type { ShownField } from './fields.js'
import { type Sign, signsOf } from './language.js'
import type { Place } from './place.js'

export interface Suggestion {
  label: string
  detail: string
  /** Put in instead of the part at the caret. */
  insert: string
  /** Set when the condition is whole, so that the next one may follow. */
  isEnd: boolean
}

/** A value that occurs, with the number of the newest rows that have it. */
export interface Occurring {
  value: string
  count: number
}

export const WORDS: Record<Sign, string> = {
  '=': 'is',
  '!=': 'is not',
  '~': 'contains',
  '!~': "doesn't contain",
  ':': 'is one of',
  '!:': 'is none of',
  '>': 'above',
  '>=': 'from',
  '<': 'below',
  '<=': 'up to',
}

const MOST = 12

/** Returns the facet with the values that may stand at a place, if there is one. */
export const facetAt = (place: Place | undefined) => {
  if (place === undefined || place.part === 'field') return undefined
  const isOfScores = place.field.facet === 'score' && place.field.hasPath === true
  return isOfScores === (place.part === 'path') ? place.field.facet : undefined
}

/** Returns what may stand at a place. */
export const suggest = (place: Place, occurring: readonly Occurring[]): Suggestion[] => {
  const begins = (text: string) => text.toLowerCase().startsWith(place.word.toLowerCase())
  switch (place.part) {
    case 'field':
      return inFieldPlace(place, begins)
    case 'path':
      return occurring
        .filter(({ value }) => begins(value))
        .slice(0, MOST)
        .map(({ value, count }) => ({
          label: value,
          detail: told(count),
          insert: `${/["\]\\]/.test(value) ? quoted(value) : value}]`,
          isEnd: false,
        }))
    case 'value':
      return inValuePlace(place, occurring)
  }
}

const told = (count: number): string => `${count.toLocaleString('en')}×`

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const inFieldPlace = (
  { word, language }: Place & { part: 'field' },
  begins: (text: string) => boolean,
): Suggestion[] => {
  const named = language.fields.filter(({ name }) => begins(name))
  const exact = named.find(({ name }) => name === word)
  const fields = named
    .filter((field) => field !== exact)
    .map((field) => ({
      label: field.name,
      detail: field.title,
      insert: `${field.name}${field.facet === 'score' && field.hasPath ? '[' : usualSign(field)}`,
      isEnd: false,
    }))
  const forms = [
    ...(language.some === undefined
      ? []
      : [{ label: 'any(…)', detail: `one ${language.some.noun} meets all of it`, insert: 'any(' }]),
    ...(word === '' ? [] : [{ label: 'OR', detail: 'one of both', insert: 'OR ' }]),
    ...(word === '' ? [] : [{ label: 'NOT', detail: 'the opposite', insert: 'NOT ' }]),
  ]
    .filter(({ label }) => begins(label))
    .map((form) => ({ ...form, isEnd: false }))
  return [
    ...(exact === undefined ? [] : withSigns(exact)),
    ...forms.slice(0, 1),
    ...fields,
    ...forms.slice(1),
  ].slice(0, MOST + 8)
}

/** The sign that most conditions on a field have. */
const usualSign = (field: ShownField): Sign => {
  if (field.kind === 'list' || field.isCount) return ':'
  if (field.kind === 'number') return '>'
  if (field.kind === 'instant') return '>='
  if (field.kind === 'json') return '~'
  return field.values === undefined && field.facet === undefined ? '~' : '='
}

const withSigns = (field: ShownField): Suggestion[] => [
  ...signsOf(field)
    .filter((sign) => field.kind === 'list' || (sign !== ':' && sign !== '!:'))
    .map((sign) => ({
      label: `${field.name}${sign}`,
      detail: WORDS[sign],
      insert: `${field.name}${sign}`,
      isEnd: false,
    })),
  ...(field.isNullable
    ? [
        {
          label: `${field.name}:none`,
          detail: 'is missing',
          insert: `${field.name}:none`,
          isEnd: true,
        },
        {
          label: `${field.name}:any`,
          detail: 'is there',
          insert: `${field.name}:any`,
          isEnd: true,
        },
      ]
    : []),
]

const inValuePlace = (
  { word, field, sign }: Place & { part: 'value' },
  occurring: readonly Occurring[],
): Suggestion[] => {
  const isListed = sign === ':' || sign === '!:'
  const isPart = sign === '~' || sign === '!~'
  const fits = (text: string) =>
    isPart
      ? text.toLowerCase().includes(word.toLowerCase())
      : text.toLowerCase().startsWith(word.toLowerCase())
  const missing =
    isListed && field.isNullable
      ? [
          { value: 'any', detail: 'is there' },
          { value: 'none', detail: 'is missing' },
        ]
      : []
  const values =
    field.values !== undefined
      ? field.values.map((value) => ({ value, detail: '' }))
      : field.hasPath
        ? []
        : occurring.map(({ value, count }) => ({ value, detail: told(count) }))
  return [
    ...missing.map(({ value, detail }) => ({ label: value, detail, insert: value, isEnd: true })),
    ...values.map(({ value, detail }) => ({
      label: value,
      detail,
      insert:
        /[\s,"()\\]/.test(value) || value === 'any' || value === 'none' ? quoted(value) : value,
      isEnd: true,
    })),
  ]
    .filter(({ label }) => fits(label) && label !== word)
    .slice(0, MOST)
}
