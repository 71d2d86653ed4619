// Compares experiments in a thread of its own: thousands of items take seconds, in which the page must stay awake.
import { Comparer } from './comparer.js'
import type { FromEngine, ToEngine } from './messages.js'

const comparer = new Comparer()
const answer = (message: FromEngine) => postMessage(message)

addEventListener('message', ({ data }: MessageEvent<ToEngine>) => {
  try {
    if (data.ask === 'add') comparer.add(data.place, data.results, data.groups, data.stated)
    else
      answer({
        tells: 'shown',
        shown: { ticket: data.ticket, ...comparer.view(data.view) },
      })
  } catch (error) {
    answer({ tells: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
