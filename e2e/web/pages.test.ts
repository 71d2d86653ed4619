import { describe, expect, test } from 'vitest'
import { HOSTILE, seed, seedLarge } from './seed.js'
import { seriousProblems, useStand } from './support.js'

const stand = useStand(async (stepwell) => {
  await seed(stepwell)
  await seedLarge(stepwell, 'large', 3000)
})

describe('threads', () => {
  test('show errors, and lead to the thread', async () => {
    const page = await stand.open('/threads')
    const row = page.locator('tr[data-key="conversation-1"]')
    await row.waitFor()
    expect(await row.textContent()).toContain('Where is my parcel?')
    expect(await row.locator('.bad').textContent()).toContain('1')
    expect(await row.textContent()).toContain('bob@example.org')
    await row.click({ position: { x: 300, y: 10 } })
    await page.waitForURL(/threads\/conversation-1/)
    await expect.poll(() => page.locator('h1').textContent()).toBe('Where is my parcel?')
  })

  test('without a name show the beginning of the first message', async () => {
    const page = await stand.open('/threads')
    const row = page.locator('tr[data-key="conversation-3"]')
    await row.waitFor()
    expect(await row.locator('em, [style*="italic"]').textContent()).toBe(
      'Summarise the PDF that I sent',
    )
  })

  test('a filter as text is kept by the address, and its result is the service’s', async () => {
    const page = await stand.open('/threads')
    await page.getByLabel('Filter', { exact: true }).fill('error:any user:bob@example.org')
    await page.waitForURL(/q=error/)
    await page.locator('tr[data-key="conversation-1"]').waitFor()
    await expect
      .poll(() => page.locator('tbody tr[data-key]').count())
      .toBe(
        (
          await stand.stepwell.api.getThreads({
            first: 100,
            filters: [
              { field: 'errorCount', operator: 'gt', value: 0 },
              { field: 'participantIdentifiers', operator: 'in', value: ['bob@example.org'] },
            ] as never,
          })
        ).data.length,
      )
    const again = await stand.open(page.url())
    await again.locator('tr[data-key="conversation-1"]').waitFor()
    expect(await again.getByLabel('Filter', { exact: true }).inputValue()).toBe(
      'error:any user:bob@example.org',
    )
  })

  test('a mistake in a filter is marked at its place, and nothing is dropped', async () => {
    const page = await stand.open('/threads')
    await page.getByLabel('Filter', { exact: true }).fill('durations>5 user:ada')
    const mistake = page.locator('.mistake')
    await mistake.waitFor()
    expect(await mistake.textContent()).toContain('durations is no field of this list')
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).toBe(
      'durations>5 user:ada',
    )
  })

  test('the builder writes the same text', async () => {
    const page = await stand.open('/threads')
    await page.getByRole('button', { name: 'filter' }).click()
    await page.getByLabel('Field').selectOption('duration')
    await page.getByLabel('Operator').selectOption('>')
    await page.getByLabel('Value', { exact: true }).fill('20')
    await expect
      .poll(() => page.getByLabel('Filter', { exact: true }).inputValue())
      .toBe('duration>20')
  })

  test('an empty result offers to drop conditions', async () => {
    const page = await stand.open('/threads?q=name%3Dnothing')
    await page.getByRole('button', { name: /name=nothing/ }).click()
    await page.locator('tbody tr[data-key]').first().waitFor()
    expect(page.url()).not.toContain('nothing')
  })

  test('pages continue forward and back by cursors', async () => {
    const page = await stand.open('/threads?size=25')
    await page.locator('tbody tr[data-key]').first().waitFor()
    const first = await page.locator('tbody tr[data-key]').first().getAttribute('data-key')
    await page.getByRole('button', { name: 'older ›' }).click()
    await page.waitForURL(/after=/)
    await expect
      .poll(() => page.locator('tbody tr[data-key]').first().getAttribute('data-key'))
      .not.toBe(first)
    await page.getByRole('button', { name: '‹ newer' }).click()
    await expect
      .poll(() => page.locator('tbody tr[data-key]').first().getAttribute('data-key'))
      .toBe(first)
  })

  test('columns are chosen, ordered and widened, and the next visit and a link show the same', async () => {
    const page = await stand.open('/threads')
    await page.locator('tbody tr[data-key]').first().waitFor()
    const heads = async (from = page) =>
      (await from.locator('thead th').allTextContents()).slice(1).map((text) => text.split(' ')[0])
    expect((await heads()).slice(0, 4)).toEqual(['Err', 'Name', 'Last', 'User'])
    await page.getByRole('button', { name: 'columns' }).click()
    const dialog = page.getByRole('dialog', { name: 'Columns' })
    expect(await dialog.getByRole('checkbox', { name: 'Name' }).isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Err', exact: true }).uncheck()
    for (const name of ['First message', 'Last message', 'First error'])
      await dialog.getByRole('checkbox', { name }).uncheck()
    await dialog.getByRole('button', { name: 'User: further left' }).click()
    await page.keyboard.press('Escape')
    expect((await heads()).slice(0, 3)).toEqual(['User', 'Name', 'Started'])
    const grip = page.getByRole('separator', { name: 'Width of User' })
    const width = async () => (await page.locator('thead th').nth(1).boundingBox())?.width ?? 0
    const before = await width()
    const box = await grip.boundingBox()
    if (box === null) throw new Error('the border is not drawn')
    await page.mouse.move(box.x + box.width / 2, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + 8)
    await page.mouse.up()
    expect(await width()).toBeCloseTo(before + 60, 0)
    await grip.focus()
    await page.keyboard.press('ArrowLeft')
    expect(await width()).toBeCloseTo(before + 52, 0)
    await page.goto(`${stand.base}/threads`)
    await page.waitForURL(/cols=user/)
    await expect
      .poll(() => heads().then((all) => all.slice(0, 3)))
      .toEqual(['User', 'Name', 'Started'])
    expect(await width()).toBeCloseTo(before + 52, 0)
    const elsewhere = await stand.open(page.url())
    await elsewhere.locator('tbody tr[data-key]').first().waitFor()
    expect((await heads(elsewhere)).slice(0, 3)).toEqual(['User', 'Name', 'Started'])
    await page.getByRole('button', { name: 'columns' }).click()
    await dialog.getByRole('button', { name: 'Reset' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => heads().then((all) => all.slice(0, 2))).toEqual(['Err', 'Name'])
  })

  test('a range is chosen by two moments, and the address keeps it', async () => {
    const page = await stand.open('/threads')
    await page.locator('tbody tr[data-key]').first().waitFor()
    await page.getByLabel('Time range').selectOption('between…')
    const dialog = page.getByRole('dialog', { name: 'Range of time' })
    await dialog.getByLabel('From').fill('2024-05-01T00:00')
    await dialog.getByLabel('Until').fill('2024-04-01T00:00')
    await dialog.getByRole('button', { name: 'Show' }).click()
    await dialog.getByText('The end has to come after the start.').waitFor()
    await dialog.getByLabel('Until').fill('2024-06-01T00:00')
    await dialog.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/range=2024-\d\d-\d\dT/)
    await page.getByText('No threads match').waitFor()
    expect(await page.getByLabel('Time range').locator('option:checked').textContent()).toContain(
      '2024',
    )
  })

  test('heads sort by the orders of the contract', async () => {
    const page = await stand.open('/threads')
    await page.getByRole('button', { name: 'Tokens' }).click()
    await page.waitForURL(/sort=tokenCount/)
    const { data } = await stand.stepwell.api.getThreads({
      first: 1,
      orderBy: { column: 'tokenCount', direction: 'DESC' },
    })
    await expect
      .poll(() => page.locator('tbody tr[data-key]').first().getAttribute('data-key'))
      .toBe(data[0]?.id)
  })

  test('new rows are announced, and never move the others', async () => {
    const page = await stand.open('/threads')
    await page.locator('tbody tr[data-key]').first().waitFor()
    const first = await page.locator('tbody tr[data-key]').first().getAttribute('data-key')
    await stand.stepwell.api.upsertThread({ threadId: 'fresh', name: 'fresh' })
    const pill = page.getByRole('button', { name: /1 newer/ })
    await pill.waitFor()
    expect(await page.locator('tbody tr[data-key]').first().getAttribute('data-key')).toBe(first)
    await pill.click()
    await page.locator('tr[data-key="fresh"]').waitFor()
    await stand.stepwell.api.deleteThread('fresh')
  })

  test('rows are navigated, opened and deleted by keys', async () => {
    await stand.stepwell.api.upsertThread({ threadId: 'doomed', name: 'doomed' })
    const page = await stand.open('/threads')
    await page.locator('tr[data-key="doomed"]').waitFor()
    await page.keyboard.press('j')
    await page.waitForURL(/row=doomed/)
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.locator('tr[data-key="doomed"]').waitFor({ state: 'detached' })
    expect(await stand.stepwell.api.getThread('doomed')).toBeNull()
  })
})

describe('a thread', () => {
  test('opens at its first error, which is at the top', async () => {
    const page = await stand.open('/threads/conversation-1')
    const selected = page.locator('.tree-row.is-selected')
    await selected.waitFor()
    expect(await selected.textContent()).toContain('lookup_order')
    await page.locator('.inspector').getByText('TimeoutError: upstream did not answer').waitFor()
    expect(await page.locator('.inspector').textContent()).toContain('two')
  })

  test('reads as a conversation, with images as images', async () => {
    const page = await stand.open('/threads/conversation-0')
    const chat = page.getByRole('region', { name: 'Conversation' })
    await chat.getByText('I want a refund for order 1042').waitFor()
    await chat.locator('strong', { hasText: 'checked' }).waitFor()
    const image = chat.locator('img')
    await image.waitFor()
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1)
  })

  test('shows a PDF page by page as pictures, and reports a damaged one', async () => {
    const page = await stand.open('/threads/conversation-3?step=conversation-3-question')
    const files = page.locator('.chat figure')
    const invoice = files.filter({ hasText: 'invoice.pdf' })
    await invoice.getByRole('button', { name: 'Show' }).click()
    const colour = () =>
      invoice.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
        const place = [canvas.width / 2, canvas.height / 2, 1, 1] as const
        return [...(canvas.getContext('2d')?.getImageData(...place).data ?? [])]
      })
    await expect.poll(colour, { timeout: 15_000 }).toEqual([255, 0, 0, 255])
    await invoice.getByText('page 1 of 2').waitFor()
    await invoice.getByRole('button', { name: 'page ›' }).click()
    await expect.poll(colour).toEqual([0, 0, 255, 255])
    const damaged = files.filter({ hasText: 'damaged.pdf' })
    await damaged.getByRole('button', { name: 'Show' }).click()
    await damaged.getByText(/can't be shown: it is damaged/).waitFor()
  })

  test('is navigated by keys, and the address follows', async () => {
    const page = await stand.open('/threads/conversation-1')
    await page.locator('.tree-row.is-selected').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.waitForURL(/step=conversation-1-plan/)
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(/step=conversation-1-agent/)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => page.locator('.tree-row').count()).toBe(3)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/step=conversation-1-plan/)
    await page.keyboard.press('e')
    await page.waitForURL(/step=conversation-1-lookup/)
    const again = await stand.open(page.url())
    await again.locator('.tree-row.is-selected', { hasText: 'lookup_order' }).waitFor()
  })

  test('similar steps are one row until they are opened', async () => {
    const page = await stand.open('/threads/conversation-0')
    await page.locator('.tree-row', { hasText: '×8' }).waitFor()
    const before = await page.locator('.tree-row').count()
    await page.locator('.tree-row', { hasText: '×8' }).locator('.disclosure').click()
    await expect.poll(() => page.locator('.tree-row').count()).toBe(before + 7)
  })

  test('a search finds names and contents', async () => {
    const page = await stand.open('/threads/conversation-1')
    await page.locator('.tree-row').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('patient agent')
    // No name contains it: the prompt of the generation does.
    await page.getByText(/^[1-9]\d* hits?$/).waitFor()
    await page.getByLabel('Find in the thread').fill('nobody wrote this')
    await page.getByText('0 hits', { exact: true }).waitFor()
    await page.getByLabel('Find in the thread').fill('policy-0')
    await page.getByText('1 hit', { exact: true }).waitFor()
    await page.getByLabel('Find in the thread').fill('lookup')
    await expect.poll(() => page.locator('.tree-row.is-hit').count()).toBeGreaterThan(0)
  })

  test('a generation shows messages, settings and computed throughput', async () => {
    const page = await stand.open('/threads/conversation-0?step=conversation-0-plan')
    await page.getByRole('tab', { name: 'Generation' }).click()
    const inspector = page.getByRole('tabpanel')
    await inspector.getByText('You are a patient agent of a shop.').waitFor()
    expect(await inspector.textContent()).toContain('100 tokens/s')
    expect(await inspector.textContent()).toContain('lookup_order')
  })

  test('of 3,000 steps holds a window of rows, and one key leads to the last', async () => {
    const page = await stand.open('/threads/large?step=large-q-0')
    await page.locator('.tree-row').first().waitFor()
    expect(await page.locator('.tree-row').count()).toBeLessThan(120)
    await page.locator('.tree').evaluate((element) => {
      element.scrollTop = element.scrollHeight
    })
    await expect
      .poll(() =>
        page
          .locator('.tree-row')
          .evaluateAll((rows) => Math.max(...rows.map((row) => Number(row.ariaRowIndex)))),
      )
      .toBe(Number(await page.getByRole('treegrid').getAttribute('aria-rowcount')))
  })

  test('that is still running grows on the page', async () => {
    const { api } = stand.stepwell
    const now = new Date().toISOString()
    await api.sendSteps([
      { id: 'live-run', threadId: 'live', type: 'run', name: 'agent', startTime: now },
    ])
    const page = await stand.open('/threads/live')
    await page.locator('.bar.open').waitFor()
    await api.sendSteps([
      {
        id: 'live-tool',
        threadId: 'live',
        parentId: 'live-run',
        type: 'tool',
        name: 'just now',
        startTime: now,
        endTime: now,
      },
    ])
    await page.locator('.tree-row', { hasText: 'just now' }).waitFor()
    await api.deleteThread('live')
  })

  test('is renamed, and its link reports that it was deleted', async () => {
    const { api } = stand.stepwell
    await api.upsertThread({ threadId: 'short-lived', name: 'before' })
    const page = await stand.open('/threads/short-lived')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByLabel('Name').fill('after')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.locator('h1').textContent()).toBe('after')
    expect((await api.getThread('short-lived'))?.name).toBe('after')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete it for good' }).click()
    await page.waitForURL(/\/threads$/)
    await page.goto(`${stand.base}/threads/short-lived`)
    await page.getByText('There is no thread with this id here').waitFor()
  })

  test('opens from links of released clients', async () => {
    const page = await stand.open('/logs/threads/conversation-1?currentStepId=conversation-1-plan')
    await page.waitForURL(/\/threads\/conversation-1\?step=conversation-1-plan/)
    await page.goto(`${stand.base}/playground?name=support&version=1`)
    await page.waitForURL(/\/prompts\/support\?v=1/)
  })
})

describe('scoring', () => {
  test('a score is given, changed, deleted and brought back', async () => {
    const { api } = stand.stepwell
    const page = await stand.open('/threads/conversation-2?step=conversation-2-answer')
    await page.locator('.tree-row.is-selected').waitFor()
    // Shown once the service has answered that this key may write.
    await page.getByRole('button', { name: /^Score s/ }).waitFor()
    await page.keyboard.press('s')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the score').fill('tone')
    await dialog.getByRole('button', { name: '1 good' }).click()
    await dialog.getByLabel('Why').fill('kind')
    await dialog.getByRole('button', { name: 'Give the score' }).click()
    await dialog.waitFor({ state: 'detached' })
    const scoresOf = async () =>
      (await api.getStep('conversation-2-answer'))?.scores.filter(({ name }) => name === 'tone')
    expect(await scoresOf()).toMatchObject([
      { value: 1, comment: 'kind', scorer: 'Mira', type: 'HUMAN' },
    ])
    await page.getByRole('tab', { name: /Scores/ }).click()
    const entry = page.locator('.inspector .panel', { hasText: 'tone' })
    await entry.getByRole('button', { name: 'Edit' }).click()
    await entry.getByLabel('Value').fill('0.5')
    await entry.getByRole('button', { name: 'Save' }).click()
    await expect.poll(scoresOf).toMatchObject([{ value: 0.5, comment: 'kind' }])
    await entry.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(scoresOf).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(scoresOf).toMatchObject([{ value: 0.5, comment: 'kind', scorer: 'Mira' }])
  })

  test('a deleted score comes back as it was, not as an older page shows it', async () => {
    const { api } = stand.stepwell
    const stepId = 'conversation-4-answer'
    const { id } = await api.createScore({
      name: 'late',
      type: 'AI',
      value: 1,
      stepId,
      tags: ['a'],
    })
    const page = await stand.open('/scores?q=name%3Dlate')
    await page.getByRole('button', { name: 'Edit late' }).click()
    await api.updateScore(id ?? '', { value: 0.25, comment: 'meanwhile' })
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    const late = async () =>
      (await api.getScores({ filters: [{ field: 'name', operator: 'eq', value: 'late' }] })).data
    await expect
      .poll(late)
      .toMatchObject([{ value: 0.25, comment: 'meanwhile', type: 'AI', tags: ['a'], stepId }])
  })

  test('a score is changed and deleted in lists of scores, and brought back', async () => {
    const { api } = stand.stepwell
    await api.createScore({
      name: 'listed',
      type: 'HUMAN',
      value: 1,
      label: 'yes',
      stepId: 'conversation-3-answer',
    })
    const listed = async () =>
      (await api.getScores({ filters: [{ field: 'name', operator: 'eq', value: 'listed' }] })).data
    const page = await stand.open('/scores?q=name%3Dlisted')
    await page.getByRole('button', { name: 'Edit listed' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: '0 bad' }).click()
    await dialog.getByLabel('Why').fill('not at all')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(listed).toMatchObject([{ value: 0, label: null, comment: 'not at all' }])
    await page.locator('tbody tr', { hasText: 'not at all' }).waitFor()
    await page.getByRole('button', { name: 'Edit listed' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(listed).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(listed).toMatchObject([{ value: 0, comment: 'not at all' }])
    await page.locator('tbody tr', { hasText: 'not at all' }).waitFor()
  })

  test('a link to an item of a queue leads to it, wherever it is, and the queue continues after it', async () => {
    const page = await stand.open('/review?q=type%3Dllm&give=tone&item=conversation-3-lookup')
    const title = () => page.locator('.review-item h2').textContent()
    await expect.poll(title).toContain('lookup_order')
    await page.keyboard.press('ArrowRight')
    await expect.poll(title).not.toContain('lookup_order')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(title).toContain('lookup_order')
  })

  test('a shuffled queue has the order of its seed', async () => {
    const page = await stand.open('/review?q=type%3Dllm&give=tone')
    await page.locator('.review-item h2').waitFor()
    await page.getByLabel('Order').selectOption('shuffled')
    await page.waitForURL(/order=shuffled-\d+/)
    const link = page.url()
    const firstTwo = async () => {
      const fresh = await stand.open(link)
      const title = fresh.locator('.review-item h2 a')
      const first = await title.getAttribute('href')
      await fresh.keyboard.press('ArrowRight')
      await expect.poll(() => title.getAttribute('href')).not.toBe(first)
      return [first, await title.getAttribute('href')]
    }
    expect(await firstTwo()).toEqual(await firstTwo())
  })

  test('a queue is reviewed by keys only', async () => {
    const { api } = stand.stepwell
    const page = await stand.open(
      `/review?q=${encodeURIComponent('name=lookup_order error:any')}&give=helpful`,
    )
    await page.getByText(/0 done/).waitFor()
    await page.getByText('TimeoutError').first().waitFor()
    await page.keyboard.press('1')
    await page.keyboard.press('m')
    await page.keyboard.type('because')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByText(/1 done/).waitFor()
    const judged = async () =>
      (await api.getScores({ filters: [{ field: 'name', operator: 'eq', value: 'helpful' }] })).data
    expect(await judged()).toMatchObject([{ value: 1, comment: 'because', scorer: 'Mira' }])
    await page.keyboard.press('u')
    await expect.poll(judged).toEqual([])
    await page.getByText(/0 done/).waitFor()
  })
})

describe('datasets and experiments', () => {
  test('a step becomes an item, which links back to its run', async () => {
    const page = await stand.open('/threads/conversation-2?step=conversation-2-agent')
    await page.locator('.tree-row.is-selected').waitFor()
    await page.keyboard.press('d')
    await page.getByRole('dialog').getByLabel('Dataset').selectOption({ label: 'a new one…' })
    await page.getByRole('dialog').getByLabel('Name of the dataset').fill('from the page')
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByRole('link', { name: 'Added to the dataset' }).click()
    await page.waitForURL(/\/datasets\//)
    await page.getByRole('link', { name: 'its run' }).click()
    await page.waitForURL(/threads\/conversation-2\?step=conversation-2-agent/)
  })

  test('an item is changed as JSON, and invalid JSON is rejected', async () => {
    const { api } = stand.stepwell
    const dataset = await api.createDataset({ name: 'edited' })
    const item = await api.createDatasetItem(dataset.id, { input: { a: 1 } })
    const page = await stand.open(`/datasets/${dataset.id}?item=${item.id}`)
    const sheet = page.getByRole('dialog')
    const input = sheet.getByRole('textbox', { name: 'Input' })
    await input.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('{"a": ')
    await expect.poll(() => sheet.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.keyboard.type('2}')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    expect((await api.getDatasetItem(item.id))?.input).toEqual({ a: 2 })
  })

  test('two experiments are compared on the same items, largest losses first', async () => {
    const page = await stand.open('/experiments')
    await page.locator('tbody tr[data-key]').first().waitFor()
    for (const box of await page.getByLabel('Select the row').all()) await box.check()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL(/compare\?base=/)
    const difference = page.locator('.differences')
    await difference.getByText('better', { exact: false }).first().waitFor()
    expect(await difference.textContent()).toContain('23 pairs')
    expect(await difference.textContent()).toContain('1 missing')
    expect(await difference.textContent()).toMatch(
      /(▲ better|can’t tell) ?The difference lies between/,
    )
    const rows = page.locator('.compare-row:not(.head)')
    expect(await rows.count()).toBe(24)
    await page.keyboard.press('w')
    await page.waitForURL(/sort=better/)
    await expect.poll(() => rows.first().textContent()).toContain('▲ +1 failed → passed')
    await page.getByRole('button', { name: 'swap' }).click()
    await page.keyboard.press('w')
    await expect.poll(() => rows.first().textContent()).toContain('▼ −1 passed → failed')
    await page.getByRole('button', { name: 'swap' }).click()
    expect(await page.locator('.compare').textContent()).toContain('not run')
  })
})

describe('prompts', () => {
  test('differences between versions have marked words', async () => {
    const page = await stand.open('/prompts/support?v=1&against=0&tab=diff')
    await page.locator('ins', { hasText: 'patient' }).waitFor()
    await page.locator('del', { hasText: 'helpful' }).waitFor()
  })

  test('a new version is written beside its preview', async () => {
    const { api } = stand.stepwell
    const page = await stand.open('/prompts/support/new?from=2')
    await page.getByRole('textbox', { name: 'Message 1', exact: true }).click()
    await page.keyboard.press('Control+a')
    // Chromium itself would carry the style of the replaced text over, which the policy of the page rejects.
    await page.keyboard.press('Backspace')
    await page.keyboard.insertText('You serve {{shop}} in {{city}}.')
    await page.getByText('Without a value: shop, city, question').waitFor()
    await page.getByLabel('shop').fill('Well & Co')
    await page.getByLabel('city').fill('Delft')
    await page.getByText('You serve Well & Co in Delft.').waitFor()
    await page.getByRole('button', { name: /Save/ }).click()
    await page.waitForURL(/\/prompts\/support\?v=3/)
    expect((await api.getPrompt('support', 3))?.templateMessages[0]).toMatchObject({
      content: 'You serve {{shop}} in {{city}}.',
    })
  })

  test('the shares of a rollout always sum to 100, and changes are shown before they are stored', async () => {
    const { api } = stand.stepwell
    const page = await stand.open('/prompts/support?tab=rollout')
    await page.getByLabel('Percent of version 2').fill('70')
    await page.getByText('sum 100 %').waitFor()
    await page.getByText('v2: 40 % → 70 %').waitFor()
    await page.getByRole('button', { name: 'Set the split' }).click()
    await page.getByText('The split is stored.').waitFor()
    const split = await api.getPromptAbTesting('support')
    expect(split).toContainEqual({ version: 2, rollout: 70 })
    expect(split?.reduce((sum, { rollout }) => sum + rollout, 0)).toBe(100)
  })
})

describe('the other lists', () => {
  test.each([
    ['/steps?q=type%3Dtool+name%3Dlookup_order', 'lookup_order'],
    ['/generations?q=model%3Dgpt-4o', 'gpt-4o'],
    ['/scores?q=name%3Dfeedback', 'feedback'],
    ['/users', 'ada@example.org'],
    ['/datasets', 'support-cases'],
    ['/prompts', 'support'],
  ])('%s', async (path, text) => {
    const page = await stand.open(path)
    await page.locator('tbody tr[data-key]').first().waitFor()
    expect(await page.locator('tbody').textContent()).toContain(text)
  })

  test('a user’s page has their threads', async () => {
    const page = await stand.open('/users')
    await page.getByRole('link', { name: 'ada@example.org' }).click()
    await page.locator('tr[data-key^="conversation-"]').first().waitFor()
    expect(await page.locator('.figures').textContent()).toContain('14')
    const days = page.getByRole('figure', { name: /^Threads a day/ })
    await expect.poll(() => days.getAttribute('aria-label')).toContain('14 threads')
    await days.focus()
    await page.keyboard.press('t')
    await days.locator('tbody a').last().click()
    await page.waitForURL(/\/users\/.*range=/)
    await page.locator('tr[data-key^="conversation-"]').first().waitFor()
  })

  test('the overview measures, splits, and leads to the rows behind a point', async () => {
    const page = await stand.open('/overview')
    await expect.poll(() => page.locator('.figures').textContent()).toContain('Threads')
    await page.locator('.u-over').first().waitFor()
    const chart = page.locator('figure', { hasText: 'Threads' }).first()
    await chart.focus()
    await page.keyboard.press('t')
    await chart.locator('table').waitFor()
    await chart.locator('tbody a').last().click()
    await page.waitForURL(/\/threads\?range=/)
    await page.locator('tbody tr[data-key]').first().waitFor()
    await page.goto(`${stand.base}/overview?by=model`)
    await page.getByText('gpt-4o-mini', { exact: false }).first().waitFor()
  })
})

describe('settings', () => {
  test('an example is recorded through the public API, and opens', async () => {
    const page = await stand.open('/settings/connect')
    await page.getByText(stand.url).first().waitFor()
    await page.getByRole('button', { name: 'Record an example' }).click()
    await page.getByRole('link', { name: /The example is recorded/ }).click()
    await page.locator('.tree-row', { hasText: 'carrier' }).waitFor()
  })

  test('a key is created, shown once, and revoked', async () => {
    const page = await stand.open('/settings/keys')
    await page.getByLabel('Name').fill('for a test')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const key = await page.locator('.snippet pre').textContent()
    const works = async () =>
      (
        await fetch(`${stand.url}/api/my-project`, {
          method: 'POST',
          headers: { 'x-api-key': key ?? '', 'content-type': 'application/json' },
          body: '{}',
        })
      ).status
    expect(await works()).toBe(200)
    const row = page.locator('tr', { hasText: 'for a test' })
    await row.getByRole('button', { name: 'Revoke…' }).click()
    await row.getByRole('button', { name: 'Revoke it for good' }).click()
    await row.getByText('revoked').waitFor()
    expect(await works()).toBe(401)
  })

  test('a score is defined, and its labels are offered', async () => {
    const page = await stand.open('/settings/scores')
    await page.getByRole('button', { name: 'Define a score' }).click()
    await page.getByLabel('Name').fill('mood')
    await page.getByLabel('Kind').selectOption('CATEGORY')
    await page.getByLabel(/Labels/).fill('0 cold\n1 warm')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('0 cold, 1 warm').waitFor()
    await page.goto(`${stand.base}/threads/conversation-2?step=conversation-2-answer`)
    await page.locator('.tree-row.is-selected').waitFor()
    // Shown once the service has answered that this key may write.
    await page.getByRole('button', { name: /^Score s/ }).waitFor()
    await page.keyboard.press('s')
    await page.getByLabel('Name of the score').fill('mood')
    await page.getByRole('button', { name: 'warm' }).click()
    await page.getByRole('button', { name: 'Give the score' }).click()
    await expect
      .poll(async () =>
        (await stand.stepwell.api.getStep('conversation-2-answer'))?.scores.find(
          ({ name }) => name === 'mood',
        ),
      )
      .toMatchObject({ value: 1, label: 'warm' })
  })

  test('a thread is scored with the choices of an enforced definition', async () => {
    const { api } = stand.stepwell
    await api.setScoreDefinition({ name: 'resolved', kind: 'BOOLEAN', isEnforced: true })
    const page = await stand.open('/threads/conversation-2')
    await page.getByRole('button', { name: 'Score the thread' }).click()
    await page.getByLabel('Name of the score').fill('resolved')
    const choices = page.getByRole('group', { name: 'Value of resolved' }).getByRole('button')
    await expect.poll(() => choices.allTextContents()).toEqual(['false', 'true'])
    await choices.last().click()
    await page.getByRole('button', { name: 'Give the score' }).click()
    const given = async () =>
      (
        await api.getScores({
          filters: [{ field: 'threadId', operator: 'eq', value: 'conversation-2' }],
        })
      ).data
    await expect
      .poll(given)
      .toMatchObject([{ name: 'resolved', value: 1, label: 'true', stepId: null }])
    await page.goto(`${stand.base}/scores?q=${encodeURIComponent('name=resolved')}`)
    await page.getByRole('link', { name: 'resolved' }).click()
    await page.waitForURL(/threads\/conversation-2/)
    await page.getByRole('button', { name: 'Scores 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(given).toEqual([])
  })

  test('the theme is set before anything is painted', async () => {
    const page = await stand.open('/settings/appearance')
    await page.getByLabel('Theme').selectOption('dark')
    await page.reload()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  })
})

describe('hostile recordings', () => {
  test('stay text, isolated and marked', async () => {
    const page = await stand.open('/threads/hostile?step=hostile-step')
    await page.getByText(HOSTILE.script.slice(0, 30)).first().waitFor()
    const chat = page.getByRole('region', { name: 'Conversation' })
    await chat.getByText('javascript:document.title', { exact: false }).waitFor()
    expect(await page.title()).not.toContain('owned" ·')
    expect(await page.evaluate(() => document.title)).toContain('<script>')
    expect(await chat.locator('a').count()).toBe(0)
    expect(await chat.textContent()).toContain('⟨U+202E⟩')
    expect(await chat.textContent()).toContain('␀')
    expect(await chat.textContent()).toContain('image: beacon')
    expect(await page.locator('.tree-row', { hasText: 'parent not received' }).count()).toBe(1)
    expect(await page.locator('.tree-row', { hasText: 'circle cut' }).count()).toBe(1)
  })

  test('of 5 MB show their beginning and size, and the whole on request', async () => {
    const page = await stand.open('/threads/hostile?step=hostile-large')
    const more = page.getByRole('button', { name: /Load all/ })
    await more.waitFor()
    expect(await more.textContent()).toMatch(/5\.\d+ MB/)
    expect((await page.locator('.inspector').textContent())?.length).toBeLessThan(20_000)
    await more.click()
    await page.locator('.inspector .editor').first().waitFor()
    const lines = () =>
      page
        .locator('.inspector .editor')
        .first()
        .evaluate((element) => element.shadowRoot?.querySelectorAll('.cm-line').length ?? 0)
    await expect.poll(lines).toBeGreaterThan(5)
    expect(await lines()).toBeLessThan(500)
  })
})

describe('a user', () => {
  test.each([
    '/threads',
    '/threads/conversation-1',
    '/steps',
    '/overview',
    '/review',
    '/review?of=threads',
    '/datasets',
    '/experiments',
    '/prompts/support',
    '/prompts/support?tab=rollout',
    '/settings/connect',
    '/settings/keys',
    '/settings/conversations',
  ])('can use %s, without serious problems according to axe', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stand.open(path, { colorScheme })
      await page.locator('h1').waitFor()
      await page.waitForLoadState('networkidle')
      expect(await seriousProblems(page), colorScheme).toEqual([])
    }
  })

  test('finds anything by its id, with keys only', async () => {
    const page = await stand.open('/threads')
    await page.locator('h1').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('conversation-4-plan')
    await page.getByRole('option', { name: /step/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/threads\/conversation-4\?step=conversation-4-plan/)
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL(/\/prompts$/)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  })

  test('on a narrow screen gets every page without scrolling sideways', async () => {
    for (const path of [
      '/threads',
      '/threads/conversation-1',
      '/steps',
      '/overview',
      '/review',
      '/prompts/support',
      '/settings/keys',
    ]) {
      const page = await stand.open(path, { viewport: { width: 390, height: 844 } })
      await page.locator('h1').waitFor()
      await page.waitForLoadState('networkidle')
      expect(
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
        path,
      ).toBe(0)
    }
  })
})
