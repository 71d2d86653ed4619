import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StepwellClient } from 'stepwell'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../server/test/support/free-port.js'
import { configurations, hasNginx, startNginx } from '../../server/test/support/nginx.js'
import { oidcOf } from '../../server/test/support/oidc-service.js'
import { OidcStandIn } from '../../server/test/support/oidc-stand-in.js'
import { useStand } from './support.js'

// A real nginx with the configuration of the page about it, and a real browser before it. Another program has the rest of
// the host: an address that leaves the path gets its answer.
const STRANGER = 'the page of somebody else'

for (const [way, pass] of [
  ['sends the path on', 'proxy_pass http://stepwell;'],
  ['removes the path', 'proxy_pass http://stepwell/;'],
] as const)
  describe.skipIf(!hasNginx)(`behind a proxy that ${way}`, () => {
    let port: number
    let url: string
    let folder: string
    let stop: (() => Promise<void>) | undefined
    const provider = new OidcStandIn('localhost')
    const stand = useStand(
      ({ api }) =>
        api.sendSteps([{ id: 'first', threadId: 'secret', type: 'run', name: 'secret' }]),
      {
        isSignedIn: false,
        service: async () => {
          port = await freePort()
          url = `http://127.0.0.1:${port}/tools/stepwell`
          await provider.start()
          provider.redirectUris = [`${url}/api/sign-in/callback`]
          return {
            publicUrl: url,
            oidc: oidcOf(provider, [{ group: 'llm-devs', role: 'viewer', project: 'default' }], {
              scopes: 'openid email',
            }),
          }
        },
      },
    )
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'stepwell-path-'))
      const [, location = ''] = await configurations([
        ['/stepwell/', '/tools/stepwell/'],
        ['proxy_pass http://stepwell;', pass],
      ])
      expect(location).toContain(pass)
      stop = await startNginx(
        folder,
        `upstream stepwell { server ${stand.url.replace('http://', '')}; keepalive 8; }
server { listen 127.0.0.1:${port};
location / { default_type text/plain; return 200 "${STRANGER}"; }
${location} }`,
      )
      await vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200), 10_000)
    })
    afterAll(async () => {
      await stop?.()
      await provider.stop()
      await rm(folder, { recursive: true, force: true })
    })
    const pages = () => `${url}/projects/${stand.service.projectId}`

    test('a link signs in, and pages, reloads, the documentation and downloads stay below the path', async () => {
      const link = stand.service.signInLink('')
      expect(link).toMatch(`${url}/sign-in?token=`)
      const outside: string[] = []
      const page = await stand.open(link)
      page.on('request', (request) => {
        if (/^https?:/.test(request.url()) && !request.url().startsWith(`${url}/`))
          outside.push(request.url())
      })
      await page.locator('tr[data-key="secret"]').click()
      await page.locator('.tree-row').waitFor()
      expect(page.url()).toContain(`${pages()}/threads/secret`)
      await page.reload()
      await page.locator('.tree-row').waitFor()
      for (const { name, path } of await page.context().cookies(url)) {
        expect(path, name).toBe('/tools/stepwell')
        expect(name).toMatch(/^stepwell_\d+_\w{8}\./)
      }
      expect(await page.context().cookies(`http://127.0.0.1:${port}/`)).toEqual([])
      await page.goBack()
      await page.getByRole('button', { name: 'download' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
      ])
      expect(await readFile(await file.path(), 'utf8')).toContain('secret')
      await page.goto(`${pages()}/settings/connect`)
      await page.getByText(url).first().waitFor()
      await page.getByRole('link', { name: 'Documentation' }).click()
      await page.getByRole('link', { name: 'Concepts' }).first().click()
      await page.waitForURL(`${url}/docs/concepts`)
      await page.getByRole('link', { name: 'Stepwell', exact: true }).click()
      await page.locator('tr[data-key="secret"]').waitFor()
      // Links of released clients, and those without a project.
      await page.goto(`${pages()}/logs/threads/secret`)
      await page.locator('.tree-row').waitFor()
      await page.goto(`${url}/threads/secret`)
      await page.waitForURL(`${pages()}/threads/secret`)
      await page.locator('.tree-row').waitFor()
      await page.goto(`${pages()}/settings/appearance`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('API key of the project').waitFor()
      expect(await page.context().cookies(url)).toEqual([])
      expect(outside).toEqual([])
    })

    test('a key signs in, and a link to another project leads to its sign-in', async () => {
      const page = await stand.open(`${url}/`)
      await page.getByLabel('API key of the project').fill(stand.service.apiKey ?? '')
      await page.getByRole('button', { name: 'Sign in with the key' }).click()
      await page.waitForURL(`${pages()}/threads`)
      await page.goto(`${url}/projects/another/threads`)
      await page.getByRole('link', { name: 'Sign in to it' }).click()
      await page.getByLabel('API key of the project').waitFor()
      expect(page.url()).toBe(`${url}/sign-in?next=%2Fprojects%2Fanother%2Fthreads`)
    })

    test('a person signs in with the provider at the page that they asked for, and out again', async () => {
      const page = await stand.open(`${pages()}/threads/secret`)
      await page.getByRole('link', { name: 'Sign in with Example' }).click()
      await page.locator('.tree-row').waitFor()
      expect(page.url()).toBe(`${pages()}/threads/secret`)
      await page.goto(`${pages()}/settings/appearance`)
      await page.getByRole('button', { name: /Sign out/ }).click()
      await page.getByRole('link', { name: 'Sign in with Example' }).waitFor()
      expect(page.url()).toBe(`${url}/sign-in`)
      expect(await page.context().cookies(url)).toEqual([])
    })

    test('the SDK records, reads, and gets signed URLs of files below the path', async () => {
      const stepwell = new StepwellClient({
        apiUrl: `${url}/`,
        apiKey: stand.service.apiKey ?? '',
      })
      await stepwell.thread({ id: 'by-path' }).wrap(async () => {
        await stepwell.step({ type: 'run', name: 'answer' }).wrap(async () => 'done')
      })
      await stepwell.flush()
      expect((await stepwell.api.getThread('by-path'))?.steps).toHaveLength(1)
      const { objectKey, url: signed } = await stepwell.api.uploadFile({
        content: 'hello',
        mime: 'text/plain',
        threadId: 'by-path',
      })
      expect(objectKey).not.toBeNull()
      expect(signed).toMatch(`${url}/files/`)
      expect(await (await fetch(signed ?? '')).text()).toBe('hello')
      expect(
        await (await fetch(`${url}/`, { headers: { accept: 'text/plain' } })).text(),
      ).toContain(`${url}/api/graphql`)
      const traces = await fetch(`${url}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': stand.service.apiKey ?? '' },
        body: '{"resourceSpans":[]}',
      })
      expect(traces.status).toBe(200)
      const tools = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'x-api-key': stand.service.apiKey ?? '',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
      })
      expect(tools.status).toBe(200)
    })
  })
