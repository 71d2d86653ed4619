import { plural } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import type { Contents } from '../chat/contents.js'
import type { Outline } from '../outline/outline.js'
import { askedIn, outputOf, type Turn, textAt } from './turns.js'

/** A thread with the contents that were read of it. */
export interface Side {
  outline: Outline
  contents: Contents
}

/** Returns the differences between two turns in words; none for equal ones. */
export const differencesOf = (
  left: Side,
  leftTurn: Turn | undefined,
  right: Side,
  rightTurn: Turn | undefined,
): string[] => {
  if (leftTurn === undefined) return ['only in the right thread']
  if (rightTurn === undefined) return ['only in the left thread']
  const found: string[] = []
  const asked = askedIn(left.outline, leftTurn, left.contents)
  if (asked !== askedIn(right.outline, rightTurn, right.contents))
    found.push(leftTurn.root < 0 ? 'different question' : 'different input')
  found.push(...callsDiffer(left, leftTurn, right, rightTurn))
  if (leftTurn.errors !== rightTurn.errors)
    found.push(`${plural(leftTurn.errors, 'failed step')} left, ${rightTurn.errors} right`)
  const [said, answered] = [answerOf(left, leftTurn), answerOf(right, rightTurn)]
  if (said !== answered)
    found.push(
      said === ''
        ? 'no answer on the left'
        : answered === ''
          ? 'no answer on the right'
          : 'different answer',
    )
  return found
}

/** Returns the last words of a turn: the answer that a user reads. */
export const answerOf = ({ outline, contents }: Side, { answers, root }: Turn): string => {
  const output = root < 0 ? '' : outputOf(outline, root, contents)
  if (output !== '') return output
  for (let at = answers.length - 1; at >= 0; at--) {
    const text = textAt(outline, answers[at] ?? -1, contents)
    if (text !== '') return text
  }
  return ''
}

const callsDiffer = (left: Side, leftTurn: Turn, right: Side, rightTurn: Turn): string[] => {
  const [mine, others] = [namesOf(left, leftTurn), namesOf(right, rightTurn)]
  const [lost, gained] = [without(mine, others), without(others, mine)]
  const found: string[] = []
  if (lost.length > 0) found.push(`only left calls ${listed(lost)}`)
  if (gained.length > 0) found.push(`only right calls ${listed(gained)}`)
  if (found.length > 0) return found
  if (mine.join('\n') !== others.join('\n')) return ['calls in another order']
  const changed = leftTurn.tools
    .filter((place, index) => givenTo(left, place) !== givenTo(right, rightTurn.tools[index] ?? -1))
    .map((place) => left.outline.name(place))
  return changed.length === 0 ? [] : [`other arguments for ${listed(changed)}`]
}

const namesOf = ({ outline }: Side, { tools }: Turn): string[] =>
  tools.map((place) => outline.name(place))

/** The beginning of a call's arguments, as far as it was read. */
const givenTo = ({ outline, contents }: Side, place: number): string =>
  contents.tools.get(outline.ids[place] ?? '')?.inputPreview ?? ''

/** Returns the elements that a list has more often than another one. */
const without = (names: readonly string[], others: readonly string[]): string[] => {
  const left = [...others]
  return names.filter((name) => {
    const at = left.indexOf(name)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const MAX_LISTED = 4

const listed = (names: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const said = [...counts].map(
    ([name, count]) => `${line(name, 40) || 'a tool'}${count > 1 ? ` ×${count}` : ''}`,
  )
  return said.length > MAX_LISTED
    ? `${said.slice(0, MAX_LISTED).join(', ')} and ${said.length - MAX_LISTED} more`
    : said.join(', ')
}
