import { SeenValuesDocument } from '../../../../generated/operations.js'
import { useData } from '../../../data/use-data.js'
import { choicesOf, type Definition, digitOf, labelOf } from '../../../scoring/value-control.js'
import type { ChosenValue } from './use-judging.js'

/** Returns the digits that choose a value of a score, for the map of keys. */
export const useDigits = (
  name: string | undefined,
  definitions: readonly Definition[],
  onChoose: (name: string, value: ChosenValue) => void,
): Record<string, () => void> => {
  const seen = useData(SeenValuesDocument, { name: name ?? '' }, { pause: name === undefined })
  if (name === undefined) return {}
  const definition = definitions.find((one) => one.name === name)
  const choices = choicesOf(definition, seen.data?.scores.edges.map(({ node }) => node) ?? [])
  return Object.fromEntries(
    choices.map((choice, place) => [
      digitOf(choices, place),
      () => onChoose(name, { value: choice.value, label: labelOf(definition, choice) }),
    ]),
  )
}
