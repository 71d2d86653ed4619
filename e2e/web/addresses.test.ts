import { expect, test } from 'vitest'
import { seed } from './seed.js'
import { useStand } from './support.js'

// Addresses of which a parameter says nothing: each is named, with what is shown instead.
const ids = { dataset: '', base: '', with: '' }

const stand = useStand(async (stepwell) => {
  await seed(stepwell, 6)
  const { api } = stepwell
  await api.setModelEndpoint({
    name: 'The large one',
    protocol: 'OPENAI',
    baseUrl: 'https://models.example.org/v1',
    model: 'large',
  })
  const [dataset] = await api.getDatasets()
  const { data } = await api.getExperiments({ datasetId: dataset?.id ?? '' })
  Object.assign(ids, { dataset: dataset?.id, base: data[0]?.id, with: data[1]?.id })
})

test.each<[path: string, notices: readonly string[]]>([
  [
    '/threads?size=many&sort=duration%20up&view=gone&row=gone',
    [
      '“many” in this address is no number of rows',
      '“up” in this address is no direction',
      'There is no view with the id “gone”',
      'The row of this address is not among those below',
    ],
  ],
  ['/threads?size=100000', ['expected a whole number from 1 to 1000. These are up to 50.']],
  [
    '/threads?range=2026-02-01..2026-01-01',
    ['expected a moment, two dots, and a later moment. This is all time.'],
  ],
  [
    '/overview?range=2026-02-01..2026-01-01',
    ['expected a moment, two dots, and a later moment. These are the last 7 days.'],
  ],
  ['/datasets/:dataset?tab=shelf', ['“shelf” in this address is no tab']],
  [
    '/datasets/:dataset/compare?base=:base&with=:with&sort=up&only=x&measure=y&margin=z&page=none',
    ['“up” in', '“x” in', '“y” in', '“z” in', '“none” in this address is no page'],
  ],
  [
    '/review?of=people&order=random',
    ['“people” in this address is no kind of things', '“random” in this address is no order'],
  ],
  ['/settings/alerts?alert=gone', ['There is no alert with the id “gone”']],
  ['/settings/alerts?new=people', ['“people” in this address is no kind of rows']],
  [
    '/settings/audit?action=JUMP&actor=NOBODY&from=never&to=2026-02-31',
    [
      '“JUMP” in this address is no action',
      '“NOBODY” in this address is no actor',
      '“never” in this address is no first day',
      '“2026-02-31” in this address is no last day',
    ],
  ],
  [
    '/threads/conversation-0/beside/conversation-1?only=x',
    ['“x” in this address is no filter: expected one of differences. These are all turns.'],
  ],
  [
    '/threads?sort=flavour%20ASC',
    ['“flavour” in this address is no order: expected one of createdAt, startedAt, '],
  ],
  ['/prompts/support?tab=nonsense', ['“nonsense” in this address is no tab']],
  [
    '/prompts/support/try?v=99&against=98&model=gone',
    [
      'There is no version 99 of this prompt. This is version 2.',
      'There is no version 98 of this prompt.',
      'There is no model with the id “gone”',
    ],
  ],
  [
    '/threads/conversation-0?view=all&tab=nonsense&only=x&t=now&idle=gone&fold=all',
    ['“all” in this address is no view', '“nonsense” in', '“x” in', '“now” in', '“gone” in'],
  ],
])('%s is named, with what is shown instead', async (path, notices) => {
  const address = path.replace(/:(dataset|base|with)/g, (_, name) => ids[name as keyof typeof ids])
  const page = await stand.open(address)
  for (const text of notices) await page.locator('.notice').getByText(text).first().waitFor()
  expect(await page.locator('.problem').count()).toBe(0)
})

test.each([
  '/threads?size=25&sort=duration%20ASC',
  '/datasets/:dataset?tab=items',
  '/datasets/:dataset/compare?base=:base&with=:with&sort=worse&only=lost&margin=0&page=1',
  '/review?of=threads&order=shuffled-7',
  '/prompts/support?tab=template',
  '/prompts/support/try?v=1&against=0',
  '/threads/conversation-0?view=step&tab=raw&only=errors&t=0-5000&idle=shown&fold=none',
])('%s says nothing against its address', async (path) => {
  const address = path.replace(/:(dataset|base|with)/g, (_, name) => ids[name as keyof typeof ids])
  const page = await stand.open(address)
  await page.waitForLoadState('networkidle')
  const notices = await page.locator('.notice').allInnerTexts()
  expect(notices.join()).not.toMatch(/this address|of this prompt/)
})
