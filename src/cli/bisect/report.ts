import { shown, signed } from '../../evaluate/reporting/text.js'
import type { Interval } from '../../statistics/index.js'
import type { Account } from './run-trials.js'
import type { SearchResult } from './search/search.js'
import type { Trials } from './search/trials.js'
import type { Versions } from './versions.js'

/** The result of a search, as `--json` prints it. */
export interface BisectReport {
  verdict: SearchResult['verdict']
  metric: string
  /** The version with which the score changes; null unless it was found. */
  version: string | null
  /** The versions that remain, in their order. */
  remaining: readonly string[]
  /** True when a test shows that the change came with one of `remaining`; they are likely otherwise. */
  isProven: boolean
  good: { version: string; mean: number | null }
  bad: { version: string; mean: number | null }
  /** The version's score minus that of the one before it; of the ends, where no version was found. */
  difference: number | null
  interval: Interval | null
  items: number
  /** Runs of the command that the result rests on. */
  runs: number
  /** The share of `runs` in those of each version once with each item. */
  share: number
  /** Runs whose scores were in the state. */
  read: number
  retried: number
  errors: Readonly<Record<string, number>>
  skipped: readonly { version: string; why: string }[]
  reason: string
}

export const reportOf = (
  found: SearchResult,
  {
    versions: { list },
    trials,
    account,
    metric,
    items,
  }: { versions: Versions; trials: Trials; account: Account; metric: string; items: number },
): BisectReport => {
  const { verdict, low, high, ends, proof } = found
  const end = (index: number) => ({
    version: list[index]?.id ?? '',
    mean: trials.meanOf(index),
  })
  const compared = proof ?? ends
  return {
    verdict,
    metric,
    version: verdict === 'found' ? (list[high]?.id ?? null) : null,
    remaining: verdict === 'no difference' ? [] : list.slice(low + 1, high + 1).map(({ id }) => id),
    isProven: verdict === 'found' || proof !== undefined,
    good: end(0),
    bad: end(list.length - 1),
    difference: compared === undefined ? null : compared.difference,
    interval: compared?.interval ?? null,
    items,
    runs: trials.count,
    share: trials.count / (items * (list.length - 1)),
    read: account.read,
    retried: account.retried,
    errors: Object.fromEntries(account.errors),
    skipped: [...account.skipped].map(([version, why]) => ({ version, why })),
    reason: reasonOf(found),
  }
}

const reasonOf = ({ verdict, low, high, ends, proof, skipped, isSpent }: SearchResult): string => {
  if (isSpent) return 'The runs of --max-runs are used up.'
  const compared = proof ?? ends
  if (compared === undefined) return 'No item has a score at both ends.'
  if (verdict !== 'cannot tell') return compared.reason
  const between = skipped.filter((one) => one > low && one < high).length
  return between === high - low - 1
    ? 'The versions between could not be tested.'
    : 'The scores of the versions vary too much.'
}

/** Writes a report for people. */
export const textOf = (report: BisectReport, versions: Versions): string => {
  const titles = new Map(versions.list.map(({ id, title }) => [id, title]))
  const titleOf = (id: string): string => titles.get(id) ?? id
  const { verdict, metric, good, bad, difference, interval, remaining } = report
  const by =
    difference === null
      ? ''
      : ` (${signed(difference)}${interval === null ? '' : `, 95 %: ${signed(interval.low)} to ${signed(interval.high)}`})`
  const lines: string[] = []
  if (verdict === 'found') {
    lines.push(`${metric} changes with ${titleOf(report.version ?? '')}${by}`)
    const advice = versions.adviceOn(versions.list.findIndex(({ id }) => id === report.version))
    if (advice !== undefined) lines.push(advice)
  } else if (verdict === 'no difference')
    lines.push(`Can't tell if the two ends differ in ${metric}${by}. ${report.reason}`)
  else {
    lines.push(
      `Can't tell with these items. ${report.reason} The change ${report.isProven ? 'came' : 'probably came, as far as can be seen,'} with one of:`,
    )
    for (const id of remaining) lines.push(`  ${titleOf(id)}`)
  }
  if (verdict !== 'found') lines.push('More items or more --repetitions may tell.')
  const mean = (value: number | null): string => (value === null ? 'no score' : shown(value))
  lines.push(`good: ${mean(good.mean)} at ${titleOf(good.version)}`)
  lines.push(`bad: ${mean(bad.mean)} at ${titleOf(bad.version)}`)
  for (const { version, why } of report.skipped)
    lines.push(`skipped: ${titleOf(version)}: ${why.split('\n')[0]}`)
  for (const [version, count] of Object.entries(report.errors))
    lines.push(`errors: ${count} runs at ${titleOf(version)} have the score of --error-score`)
  lines.push(
    `${report.runs} runs, ${Math.round(100 * report.share)} % of those that each version with all ${report.items} items takes`,
  )
  return `${lines.join('\n')}\n`
}
