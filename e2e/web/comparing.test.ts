import { type DecideOptions, evaluate, scorer } from 'stepwell/evaluate'
import { describe, expect, test } from 'vitest'
import { seriousProblems, useStand } from './support.js'

const ITEMS = 40
const ids = { dataset: '', experiments: [] as string[], item: '' }

/** Runs of two repetitions: the second one loses items, is slower, and fails once; the third has another scorer. */
const stand = useStand(async ({ api }) => {
  const dataset = await api.createDataset({ name: 'compared' })
  const items: string[] = []
  for (let n = 0; n < ITEMS; n++)
    items.push((await api.createDatasetItem(dataset.id, { input: { question: `number ${n}` } })).id)
  const passes = [() => true, (n: number) => n % 3 !== 0, () => true, (n: number) => n % 2 === 0]
  for (const [run, isRight] of passes.entries()) {
    const { id } = await api.createExperiment({ name: `run ${run}`, datasetId: dataset.id })
    const place = { datasetExperimentId: id, holder: 'seed' }
    const results = items.flatMap((key, n) =>
      [2, 1].map((repetition) => {
        const error = run === 1 && n === 1 && repetition === 1 ? 'the provider was down' : null
        const value = isRight(n) ? 1 : 0
        const scorer = `right@${run === 2 ? 2 : 1}`
        return {
          key,
          repetition,
          datasetItemId: key,
          output: { content: `answer ${value}` },
          error,
          durationMs: 100 + n + run * 500,
          tokens: 10 + n,
          scores: error === null ? [{ name: 'right', type: 'CODE' as const, value, scorer }] : [],
        }
      }),
    )
    await api.leaseExperimentItems({
      ...place,
      items: results.map(({ key, repetition }) => ({ key, repetition })),
      seconds: 60,
    })
    await api.createExperimentItems({ ...place, items: results })
    ids.experiments.push(id)
  }
  const [, , , last = ''] = ids.experiments
  await api.endExperiment({ id: last, status: 'STOPPED', problem: 'it was stopped by hand' })
  Object.assign(ids, { dataset: dataset.id, item: items[0] })
})

const compare = (query = '', places = [1]) => {
  const [base, ...all] = ids.experiments
  const others = places.map((place) => all[place - 1]).join(',')
  return `/datasets/${ids.dataset}/compare?base=${base}&with=${others}${query}`
}

describe('a comparison', () => {
  test('has the verdict with its reason, the flips first, and what the answers took', async () => {
    const page = await stand.open(compare())
    const rows = page.locator('.compare-row:not(.head)')
    await expect.poll(() => rows.first().textContent()).toContain('passed → failed')
    const summary = await page.locator('.differences').textContent()
    expect(summary).toMatch(/▼ worse ?The difference lies between .*, below 0\./)
    expect(summary).toContain('1 repetition unused')
    expect(summary).toContain('duration ▼ worse')
    await expect.poll(() => rows.first().textContent()).toMatch(/answer 10$/)
    await page.getByText('duration ▼ worse').click()
    await page.getByText('duration (ms)').waitFor()
  })

  test('has links to the history of each item that are told apart by their names', async () => {
    const page = await stand.open(compare())
    await page
      .getByRole('link', { name: /^history of question: number \d+$/ })
      .first()
      .waitFor()
    const names = await page
      .getByRole('link', { name: 'history of' })
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')))
    expect(names.length).toBeGreaterThan(1)
    expect(new Set(names).size).toBe(names.length)
  })

  test('keeps margin, filter and page in the address', async () => {
    const page = await stand.open(compare())
    const margin = page.getByRole('spinbutton', { name: 'margin' })
    await margin.fill('0.9')
    await margin.press('Enter')
    await page.waitForURL(/margin=0\.9/)
    await page.getByText('within the margin of −0.9').waitFor()
    await page.getByRole('button', { name: 'after ›' }).click()
    await page.waitForURL(/page=2/)
    const rows = page.locator('.compare-row:not(.head)')
    await expect.poll(() => rows.count()).toBe(15)
    await page.getByRole('combobox', { name: 'Items' }).selectOption('errors')
    await page.waitForURL(/only=errors/)
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.first().textContent()).toContain('1 failed')
    await page.reload()
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByText('within the margin of −0.9').waitFor()
  })

  test('shows several experiments, the scorer that changed, and the run that was stopped', async () => {
    const page = await stand.open(compare('', [1, 2, 3]))
    await page
      .getByText('is not compared: its scorer changed (right@1 before, right@2 now)')
      .waitFor()
    expect(await page.locator('section.difference').count()).toBe(3)
    await page.getByText('Score the stored outputs of the base anew').click()
    await page.getByText('await rescore(').waitFor()
    await page.locator('.difference').getByText('stopped').waitFor()
    expect(await page.locator('.compare-row.head > *').count()).toBe(6)
  })

  test('orders items by a measure', async () => {
    const page = await stand.open(compare())
    await page.getByLabel('Score or measure').selectOption({ label: 'tokens' })
    await page.waitForURL(/measure=tokens/)
    await page.getByText('lower is better').waitFor()
  })

  test.each([390, 800, 1280])(
    'is without serious problems according to axe at %i px',
    async (width) => {
      for (const colorScheme of ['light', 'dark'] as const)
        for (const path of [
          compare('', [1, 2, 3]),
          `/datasets/${ids.dataset}/items/${ids.item}`,
          `/experiments/${ids.experiments[3]}`,
        ]) {
          const page = await stand.open(path, { colorScheme, viewport: { width, height: 800 } })
          await page.locator('.compare-row:not(.head), tbody tr[data-key]').first().waitFor()
          await page.waitForLoadState('networkidle')
          expect(await seriousProblems(page), `${path} ${colorScheme}`).toEqual([])
          expect(
            await page.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            ),
            path,
          ).toBeLessThanOrEqual(0)
          await page.context().close()
        }
    },
    180_000,
  )
})

test('an experiment is compared with the previous one, which is offered first', async () => {
  const page = await stand.open(`/experiments/${ids.experiments[1]}`)
  const offered = page.getByLabel('Compare with')
  await offered.locator('option', { hasText: 'previous: run 0' }).waitFor({ state: 'attached' })
  await offered.selectOption(ids.experiments[0] ?? '')
  await page.waitForURL(new RegExp(`base=${ids.experiments[0]}&with=${ids.experiments[1]}`))
})

test('an item has its results in all experiments, newest first', async () => {
  const page = await stand.open(`/datasets/${ids.dataset}?item=${ids.item}`)
  await page.getByRole('link', { name: 'Its results in all experiments' }).click()
  const rows = page.locator('tbody tr[data-key]')
  await expect.poll(() => rows.count()).toBe(8)
  expect(await rows.first().textContent()).toContain('run 3 stopped')
  expect(await rows.last().textContent()).toContain('run 0')
})

describe('runs of evaluate()', () => {
  const evaluated = { first: '', second: '', early: '' }
  const run = async (isRight: (index: number) => boolean, decide: DecideOptions) => {
    const evaluation = await evaluate({
      name: 'a list',
      client: stand.stepwell,
      release: crypto.randomUUID(),
      progress: false,
      data: Array.from({ length: 60 }, (_, index) => ({ input: `question ${index}` })),
      task: ({ input }) => `answer to ${input}`,
      scorers: [
        scorer({
          name: 'right',
          version: '1',
          score: ({ input }) => isRight(Number(String(input).slice(9))),
        }),
      ],
      decide,
    })
    return evaluation
  }

  test('on a list are compared by the address that they print, with the verdict of the rule', async () => {
    await run((index) => index % 10 > 0, { metric: 'right', margin: 0.05 })
    const second = await run((index) => index % 10 > 5, { metric: 'right', margin: 0.05 })
    expect(second.exitCode).toBe(1)
    const page = await stand.open(second.url)
    await page.locator('.rule').waitFor()
    expect(await page.locator('.rule').textContent()).toMatch(
      /By its rule, right alone with a margin of 0.05: ?▼ worse/,
    )
    const rows = page.locator('.compare-row:not(.head)')
    await expect.poll(() => rows.first().textContent()).toContain('passed → failed')
    // Texts come after the rows.
    await expect.poll(() => rows.first().textContent()).toContain('question ')
    expect(await rows.first().textContent()).not.toContain('history')
    expect(await page.getByRole('spinbutton', { name: 'margin' }).inputValue()).toBe('0.05')
    evaluated.second = second.experimentId
  })

  test('that ended early have the verdict that their looks allow', async () => {
    const early = await run(() => false, { metric: 'right', margin: 0.05, stopEarly: true })
    expect(early.status).toBe('decided')
    const page = await stand.open(early.url)
    await page.locator('.rule').waitFor()
    expect(await page.locator('.rule').textContent()).toMatch(
      /Ended early by its rule: \d+ of 60 results were enough for the verdict: worse\./,
    )
  })

  test('on a list are offered from the page of the experiment, and in the list of all', async () => {
    const page = await stand.open(`/experiments/${evaluated.second}`)
    const offered = page.getByLabel('Compare with')
    await offered.locator('option', { hasText: 'previous: a list' }).waitFor({ state: 'attached' })
    expect(await offered.textContent()).not.toContain('run 0')
    await page.goto(page.url().replace(/\/experiments\/.*/, '/experiments'))
    const boxes = page.locator('tbody tr[data-key] input[type=checkbox]')
    await boxes.first().check()
    await boxes.nth(1).check()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL(/\/experiments\/compare\?base=/)
    await page.locator('.compare-row:not(.head)').first().waitFor()
  })
})
