import { itemMeans, meanOf, type Observation } from './observation.js'

/** The parts of a mean's uncertainty: from items that differ, and from repetitions of one item that do. */
export interface VarianceSplit {
  items: number
  /** Observations per item, on average. */
  repetitions: number
  /** The variance of items, their repetitions taken out; 0 when repetitions alone explain the differences. */
  betweenItems: number
  /** The variance of one item's repetitions. */
  withinItems: number
  /** The standard error of the mean of these observations. */
  standardError: number
  /** The same with twice as many items. */
  withTwiceItems: number
  /** The same with twice as many repetitions. */
  withTwiceRepetitions: number
  /**
   * The better use of twice the runs. More items always help more; repetitions are advised where they help nearly as much, as
   * items have to be written.
   */
  advice: 'more items' | 'more repetitions'
}

/** Repetitions are advised where they take off at least this share of what as many items would. */
const NEARLY = 0.75

/**
 * Splits the variance of one run's scores, or of differences. Returns null below two items, or when no item was repeated.
 * Groups are not looked at.
 *
 * Source: Searle, Casella and McCulloch, "Variance Components" (1992), section 3.6: the estimator by analysis of variance
 * for unequal numbers of repetitions.
 */
export const splitVariance = (observations: readonly Observation[]): VarianceSplit | null => {
  const items = [...itemMeans(observations).values()]
  const count = items.reduce((sum, { values }) => sum + values.length, 0)
  if (items.length < 2 || count === items.length) return null
  const mean = meanOf(items.flatMap(({ values }) => values))
  let within = 0
  let between = 0
  let squares = 0
  for (const item of items) {
    for (const value of item.values) within += (value - item.mean) ** 2
    between += item.values.length * (item.mean - mean) ** 2
    squares += item.values.length ** 2
  }
  const withinItems = within / (count - items.length)
  const size = (count - squares / count) / (items.length - 1)
  const betweenItems = Math.max(0, (between / (items.length - 1) - withinItems) / size)
  const repetitions = count / items.length
  const errorWith = (itemCount: number, repetitionCount: number) =>
    Math.sqrt((betweenItems + withinItems / repetitionCount) / itemCount)
  const standardError = errorWith(items.length, repetitions)
  const withTwiceItems = errorWith(2 * items.length, repetitions)
  const withTwiceRepetitions = errorWith(items.length, 2 * repetitions)
  const isNearly = standardError - withTwiceRepetitions >= NEARLY * (standardError - withTwiceItems)
  return {
    items: items.length,
    repetitions,
    betweenItems,
    withinItems,
    standardError,
    withTwiceItems,
    withTwiceRepetitions,
    advice: isNearly ? 'more repetitions' : 'more items',
  }
}
