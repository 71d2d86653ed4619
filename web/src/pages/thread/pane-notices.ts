import { choiceNotices, noticeOf } from '../../address/notices.js'
import type { Address } from '../../address/use-address.js'
import { FILTERS } from './tree/steps-bar.js'
import { readWindow } from './tree/use-time-window.js'

/** Names parameters of the address of a thread that say nothing, and what it shows instead. */
export const paneNotices = (address: Address): readonly string[] => {
  const time = address.get('t')
  return [
    ...choiceNotices('view', address.get('view'), ['chat', 'steps', 'step'], 'This is the first.'),
    ...choiceNotices('filter', address.get('only'), FILTERS, 'These are all steps.'),
    ...choiceNotices('choice of idle time', address.get('idle'), ['shown'], 'It is cut.'),
    ...choiceNotices('choice of folding', address.get('fold'), ['none'], 'Like steps are folded.'),
    ...(time !== undefined && readWindow(time) === undefined
      ? [
          noticeOf(
            'stretch of time',
            time,
            'two numbers of milliseconds with a hyphen between',
            'This is all of it.',
          ),
        ]
      : []),
  ]
}
