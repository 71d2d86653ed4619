import { choiceNotices, noticeOf } from '../../address/notices.js'
import type { Address } from '../../address/use-address.js'
import { MEASURES } from '../../stats/statistics.js'
import { FILTERS } from './comparing/rows.js'

/** Names parameters of the address of a comparison that say nothing, and what it shows instead. */
export const compareNotices = (address: Address): readonly string[] => {
  const page = address.get('page')
  const margin = address.get('margin')
  return [
    ...choiceNotices('order', address.get('sort'), ['better', 'worse'], 'The worse come first.'),
    ...choiceNotices('filter', address.get('only'), FILTERS, 'These are all.'),
    ...choiceNotices('measure', address.get('measure'), MEASURES, 'This is a score.'),
    ...(margin !== undefined && !(Number(margin) >= 0 && Number.isFinite(Number(margin)))
      ? [noticeOf('margin', margin, 'a number from 0 on', 'The margin is that of the rule, or 0.')]
      : []),
    ...(page !== undefined && !(Number.isInteger(Number(page)) && Number(page) >= 1)
      ? [noticeOf('page', page, 'a whole number from 1 on', 'This is the first one.')]
      : []),
  ]
}
