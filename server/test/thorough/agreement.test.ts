import { createService } from '@stepwell/server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.js'
import { action } from '../support/agreement/actions.js'
import { expectLists } from '../support/agreement/conditions.js'
import { expectMetrics, expectOutlines, expectSums } from '../support/agreement/figures.js'
import { readRows } from '../support/agreement/rows.js'
import { asker } from '../support/ask.js'

// Each page is right by itself: here all of them are compared with each other, after several clients have changed the same
// rows at once.
test('lists, trees, sums, metrics and searches agree after any requests of three clients at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { minLength: 4, maxLength: 25 }), { minLength: 1, maxLength: 3 }),
      async (clients) => {
        const service = await createService({ apiKey: 'k' })
        try {
          const ask = asker(service, 'k')
          await Promise.all(
            clients.map(async (actions) => {
              for (const one of actions) await one.perform(ask)
            }),
          )
          const rows = await readRows(ask)
          expectSums(rows)
          await expectOutlines(ask, rows)
          await expectMetrics(ask, rows)
          await expectLists(ask, rows)
          // Nothing has changed while all of it was asked.
          expect(await readRows(ask)).toEqual(rows)
        } finally {
          await service.close()
        }
      },
    ),
    { numRuns: runs(100) },
  )
})
