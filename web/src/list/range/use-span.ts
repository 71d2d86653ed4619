import { useMemo } from 'react'
import { noticeOf } from '../../address/notices.js'
import { useAddress } from '../../address/use-address.js'
import { ENVIRONMENTS } from '../../ui/environment-select.js'
import { isRange, isReversed } from './range-select.js'
import { type Span, spanOf } from './span.js'

const DEFAULT_RANGE = '7d'
const RANGES_EXPECTED = 'a length such as 24h, 7d or 30d, or two moments with two dots between'

/** Names a range that is none, with what stands in for it. */
const rangeNotice = (range: string, instead: string): string =>
  noticeOf(
    'range',
    range,
    isReversed(range) ? 'a moment, two dots, and a later moment' : RANGES_EXPECTED,
    instead,
  )

/** Names the range of a list if it is none. */
export const rangeNotices = (range: string | undefined): readonly string[] =>
  range === undefined || isRange(range) ? [] : [rangeNotice(range, 'This is all time.')]

/** Returns the environment of an address: experiments are apart, unless it is `all` or names theirs. */
export const environmentOf = (
  env: string | undefined,
): { environment: string | null; excludeExperiments: boolean } | undefined => {
  if (env === undefined) return { environment: null, excludeExperiments: true }
  if (env === 'all') return { environment: null, excludeExperiments: false }
  return ENVIRONMENTS.some((known) => known === env)
    ? { environment: env, excludeExperiments: false }
    : undefined
}

/** Reads the range and the environment of a page of charts from its address; parameters without a sense are noticed. */
export const useSpan = () => {
  const address = useAddress()
  const asked = address.get('range') ?? DEFAULT_RANGE
  const own = useMemo(() => spanOf(asked), [asked])
  const standard = useMemo(() => spanOf(DEFAULT_RANGE) as Span, [])
  const range = own === undefined ? DEFAULT_RANGE : asked
  const env = address.get('env')
  const environment = environmentOf(env)
  const notices = [
    ...(own === undefined ? [rangeNotice(asked, 'These are the last 7 days.')] : []),
    ...(environment === undefined
      ? [
          noticeOf(
            'environment',
            env ?? '',
            `all, or one of ${ENVIRONMENTS.join(', ')}`,
            'These are all but experiments.',
          ),
        ]
      : []),
  ]
  return {
    range,
    span: own ?? standard,
    env: environment === undefined ? '' : (env ?? ''),
    ...(environment ?? { environment: null, excludeExperiments: true }),
    notices,
    setRange: (value: string) => address.set({ range: value === DEFAULT_RANGE ? null : value }),
    setEnv: (value: string) => address.set({ env: value }),
    onRange: (start: number, end: number) =>
      address.set({
        range: `${new Date(start * 1000).toISOString()}..${new Date(end * 1000).toISOString()}`,
      }),
    onReset: () => address.set({ range: null }),
  }
}
