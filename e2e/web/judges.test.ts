import { liveJudge, runJudge, scorer } from 'stepwell/evaluate'
import { expect, test } from 'vitest'
import { seriousProblems, useStand } from './support.js'

const ENDED = '2026-01-01T00:00:00Z'
const IDS = Array.from({ length: 40 }, (_, n) => `s${n}`)

const stand = useStand(async (client) => {
  const judge = (version: string, helpful: (item: string) => boolean) =>
    liveJudge({
      name: 'answers',
      version,
      on: 'steps',
      sample: 1,
      quietSeconds: 0,
      client,
      scorers: [scorer({ name: 'helpful', score: ({ item }) => helpful(item.key) })],
    })
  const judges = [
    judge('good', (id) => Number(id.slice(1)) % 2 === 0),
    judge('broken', () => {
      throw new Error('<b>the judge’s answer holds no JSON object</b>')
    }),
  ]
  const once = { once: true, progress: false }
  for (const one of judges) await runJudge(one, once)
  const talks = liveJudge({
    name: 'talks',
    version: '1',
    on: 'threads',
    sample: 1,
    client,
    scorers: [scorer({ name: 'resolved', score: () => true })],
  })
  await runJudge(talks, once)
  await client.api.sendSteps(IDS.map((id) => ({ id, type: 'run' as const, endTime: ENDED })))
  for (const one of judges) await runJudge(one, once)
  await client.api.createScores(
    IDS.map((stepId, n) => ({
      stepId,
      name: 'helpful',
      type: 'HUMAN' as const,
      value: n % 2 === 0 ? 1 : 0,
      label: String(n % 2 === 0),
    })),
  )
})

test('each judge has its agreement with people beside it, and its last error', async () => {
  const page = await stand.open('/settings/judges')
  const good = page.getByRole('row', { name: /answers good/ })
  await good.getByText('judges steps').waitFor()
  await good.getByText('40 pairs, 100 % the same').waitFor()
  expect(await good.innerText()).toMatch(/helpful 1 \(0\.78 – 1\)/)
  const broken = page.getByRole('row', { name: /answers broken/ })
  await broken.getByText('can’t tell from 0 pairs').waitFor()
  await broken.getByText('<b>the judge’s answer holds no JSON object</b>').waitFor()
  await page
    .getByRole('row', { name: /talks 1/ })
    .getByText('judges conversations')
    .waitFor()
  expect(await seriousProblems(page)).toEqual([])
})
