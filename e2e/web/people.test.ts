import { afterAll, afterEach, expect, test } from 'vitest'
import { oidcOf } from '../../server/test/support/oidc-service.js'
import { OidcStandIn } from '../../server/test/support/oidc-stand-in.js'
import { problems, useStand } from './support.js'

// People who sign in with a provider, in a real browser. The provider is another site than the service.
const provider = new OidcStandIn('localhost')
const { person } = provider

const stand = useStand(
  ({ api }) => api.sendSteps([{ id: 'first', threadId: 'secret', type: 'run', name: 'secret' }]),
  {
    isSignedIn: false,
    service: async () => {
      await provider.start()
      return {
        oidc: oidcOf(provider, [{ group: 'llm-devs', role: 'viewer', project: 'default' }], {
          scopes: 'openid email',
        }),
      }
    },
  },
)
afterEach(() => {
  provider.person = person
})
afterAll(() => provider.stop())

test('a person signs in with the provider at the page that they asked for, and out again at both', async () => {
  provider.redirectUris = [`${stand.url}/api/sign-in/callback`]
  const page = await stand.open('/threads/secret')
  const link = page.getByRole('link', { name: 'Sign in with Example' })
  // The page is drawn once it knows that nobody is signed in.
  await link.waitFor()
  expect(await problems(page)).toEqual([])
  await link.click()
  await page.locator('.tree-row').waitFor()
  expect(page.url()).toBe(`${stand.base}/threads/secret`)
  // Their role is to read.
  expect(await page.getByRole('button', { name: /Score/ }).count()).toBe(0)
  const cookies = await page.context().cookies(stand.url)
  expect(cookies).toEqual([
    expect.objectContaining({
      name: expect.stringMatching(/-person$/),
      httpOnly: true,
      sameSite: 'Lax',
    }),
  ])
  await page.goto(`${stand.base}/settings/appearance`)
  await page.getByRole('button', { name: 'Sign out ada@example.org' }).click()
  await link.waitFor()
  expect(page.url()).toBe(`${stand.url}/sign-in`)
  expect(provider.asked).toContain('/logout')
  expect(await page.context().cookies(stand.url)).toEqual([])
})

test('a person without a role is told so in words, and signs in once they have one', async () => {
  provider.redirectUris = [`${stand.url}/api/sign-in/callback`]
  provider.person = { sub: 'stranger', groups: [] }
  const page = await stand.open('/threads')
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page
    .getByRole('alert')
    .getByText('You are known to the provider, but have no role')
    .waitFor()
  expect(page.url()).not.toContain('problem')
  expect(await problems(page)).toEqual([])
  provider.person = { sub: 'stranger', groups: ['llm-devs'] }
  await page.getByRole('link', { name: 'Sign in with Example' }).click()
  await page.locator('tr[data-key="secret"]').waitFor()
  expect(page.url()).toBe(`${stand.base}/threads`)
})
