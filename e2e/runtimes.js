// Tries the published package in every supported runtime: `node e2e/runtimes.js [PART OF A NAME]`. Packs it, installs
// it into a clean folder beside the runtimes, all from npm, and makes each of them record three steps and read them
// back. The browser is the Chromium of the system (CHROMIUM names another).
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const other = process.arch === 'arm64' ? 'aarch64' : 'x64'
const PACKAGES = {
  node20: `npm:node-linux-${arch}@20.20.2`,
  node22: `npm:node-linux-${arch}@22`,
  node24: `npm:node-linux-${arch}@24`,
  node26: `npm:node-linux-${arch}@26`,
  bun: `npm:@oven/bun-linux-${other}@1.4.5`,
  deno: `npm:@deno/linux-${arch}-glibc@2.9.6`,
  workerd: `npm:@cloudflare/workerd-linux-${process.arch === 'arm64' ? 'arm64' : '64'}@1.20261117.1`,
  esbuild: '0.28.1',
  openai: '^6.30.1',
  'playwright-core': '1.65.1',
}
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const work = mkdtempSync(join(tmpdir(), 'stepwell-runtimes-'))
const path = (...parts) => join(work, ...parts)
const bin = (name, file = 'bin') => path('node_modules', name, file, name.replace(/\d+$/, ''))

const run = (command, args, options = {}) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: work,
    encoding: 'utf8',
    timeout: 300_000,
    ...options,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

const install = () => {
  run(process.execPath, ['scripts/build.js'], { cwd: root })
  const tarball = run('npm', ['pack', '--silent', '--pack-destination', work], { cwd: root }).trim()
  writeFileSync(path('package.json'), '{ "private": true }')
  const packages = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`)
  run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `./${tarball}`,
    ...packages,
  ])
  copyFileSync(join(here, 'program.js'), path('program.mjs'))
  writeFileSync(
    path('program.cjs'),
    readFileSync(join(here, 'program.js'), 'utf8').replace(
      'export const recordAndRead =',
      'exports.recordAndRead =',
    ),
  )
  const tell = 'console.log(JSON.stringify(result))'
  writeFileSync(
    path('import.mjs'),
    `import { StepwellClient } from 'stepwell'
import { recordAndRead } from './program.mjs'
const result = await recordAndRead(StepwellClient, {})
${tell}
`,
  )
  writeFileSync(
    path('require.cjs'),
    `const { StepwellClient } = require('stepwell')
const { recordAndRead } = require('./program.cjs')
recordAndRead(StepwellClient, {}).then((result) => ${tell})
`,
  )
  const blocking = `
const stepwell = new StepwellClient()
stepwell.trace({ id: crypto.randomUUID(), name: 'blocking' }, () => 1)
const { delivered } = stepwell.flush()
const [step] = stepwell.api.getSteps({ first: 1 }).data
const result = { isRight: delivered === 1 && step.name === 'blocking', delivered }
${tell}
`
  writeFileSync(path('sync.mjs'), `import { StepwellClient } from 'stepwell/sync'\n${blocking}`)
  writeFileSync(
    path('sync.cjs'),
    `const { StepwellClient } = require('stepwell/sync')\n${blocking}`,
  )
}

/** Starts a service in a separate process. */
const startService = async () => {
  const child = spawn(process.execPath, ['test/support/service-program.js', '1'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url, apiKeys } = JSON.parse(line)
  return { url, apiKey: apiKeys[0], stop: () => child.kill() }
}

const bundle = (entry, out, ...options) =>
  run(path('node_modules/esbuild/bin/esbuild'), [
    entry,
    '--bundle',
    '--format=esm',
    `--outfile=${out}`,
    ...options,
  ])

/** Runs a program that prints its result. */
const inProcess = (command, args, service) => {
  const env = { ...process.env, STEPWELL_API_URL: service.url, STEPWELL_API_KEY: service.apiKey }
  return JSON.parse(run(command, args, { env, timeout: 60_000 }).trim().split('\n').at(-1))
}

const RECORD_AND_READ = `import { StepwellClient } from 'stepwell'
import { recordAndRead } from './program.mjs'
export default {
  async fetch(request, env, context) {
    const reports = []
    const options = { apiKey: env.KEY, apiUrl: env.URL, waitUntil: (promise) => context.waitUntil(promise), onReport: (text) => reports.push(text) }
    return Response.json({ ...(await recordAndRead(StepwellClient, options)), reports })
  },
}
`

/** Runs a Worker, and returns the answer to a request. */
const inWorkerd = async (service, flags, file, source = RECORD_AND_READ) => {
  writeFileSync(path('worker.ts'), source)
  bundle(
    'worker.ts',
    file,
    '--conditions=workerd',
    '--platform=neutral',
    '--main-fields=module,main',
    '--external:node:*',
    // As the bundlers of edge platforms do.
    '--define:process.env.NODE_ENV="production"',
  )
  const { url, apiKey } = service
  const bindings = { URL: url, KEY: apiKey, STEPWELL_API_URL: url, STEPWELL_API_KEY: apiKey }
  writeFileSync(
    path(`${file}.capnp`),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "${file}")],
      compatibilityDate = "2026-01-01",
      compatibilityFlags = ${JSON.stringify(flags)},
      bindings = [${Object.entries(bindings)
        .map(([name, text]) => `(name = "${name}", text = "${text}")`)
        .join(', ')}],
    )),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  )
  const child = spawn(bin('workerd'), ['serve', `${file}.capnp`, '--control-fd=3'], {
    cwd: work,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  try {
    const lines = createInterface({ input: child.stdio[3] })
    let port
    for await (const line of lines) {
      port = JSON.parse(line).port
      if (port !== undefined) break
    }
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'Hello' })
    const text = await response.text()
    if (!response.ok) return { isRight: false, text }
    return source === RECORD_AND_READ ? JSON.parse(text) : { text, steps: await arrived(service) }
  } finally {
    child.kill()
  }
}

/** Returns the steps of the handler of the documentation, once both have arrived; those that are there after ten seconds. */
const arrived = async ({ url, apiKey }) => {
  const query = '{ steps(first: 100) { edges { node { id name parentId } } } }'
  const isOfHandler = ({ name }) => name === 'ask' || name === 'chat gpt-4o'
  for (const end = Date.now() + 10_000; ; await new Promise((next) => setTimeout(next, 50))) {
    const answer = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ query }),
    })
    const { data } = await answer.json()
    const steps = data.steps.edges.map(({ node }) => node).filter(isOfHandler)
    if (steps.length >= 2 || Date.now() > end) return steps
  }
}

/** The handler of the documentation, with a model that answers. */
const docsHandler = (address) => {
  const page = readFileSync(join(root, 'docs/integrations/cloudflare-workers.md'), 'utf8')
  const [, source = ''] = /^```ts no-run\n([\s\S]*?)^```/m.exec(page) ?? []
  return source.replace('apiKey: env.OPENAI_API_KEY', `apiKey: 'key', baseURL: '${address}'`)
}
const startModel = async () => {
  const message = { role: 'assistant', content: 'On its way.' }
  const answer = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'gpt-4o',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  }
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** Opens a page from the same origin as the service, as browsers require. */
const inBrowser = async (service) => {
  writeFileSync(
    path('page.mjs'),
    `import { StepwellClient } from 'stepwell'
import { recordAndRead } from './program.mjs'
recordAndRead(StepwellClient, { apiKey: ${JSON.stringify(service.apiKey)}, apiUrl: location.origin }).then(
  (result) => { globalThis.result = result },
  (error) => { globalThis.result = { isRight: false, text: String(error.stack) } },
)
`,
  )
  bundle('page.mjs', 'page.js', '--platform=browser')
  const server = createServer(async (request, response) => {
    if (request.url === '/') {
      response
        .setHeader('content-type', 'text/html')
        .end('<script type="module" src="/page.js"></script>')
      return
    }
    if (request.url === '/page.js') {
      response.setHeader('content-type', 'text/javascript').end(readFileSync(path('page.js')))
      return
    }
    const { host, connection, ...headers } = request.headers
    const answer = await fetch(`${service.url}${request.url}`, {
      method: request.method,
      headers,
      ...(request.method === 'POST' ? { body: request, duplex: 'half' } : {}),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { chromium } = await import(path('node_modules/playwright-core/index.mjs'))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${server.address().port}/`)
    return await (await page.waitForFunction('globalThis.result', { timeout: 30_000 })).jsonValue()
  } finally {
    await browser.close()
    server.close()
  }
}

const outcomes = {}
const chosen = process.argv[2] ?? ''
/** Runs one of them, if its name contains the given part. */
const attempt = async (name, work) => {
  if (!name.includes(chosen)) return
  let result
  try {
    result = await work()
  } catch (error) {
    result = { isRight: false, text: String(error.message ?? error) }
  }
  outcomes[name] = result.isRight === true
  console.log(
    `${result.isRight === true ? 'ok    ' : 'FAILED'} ${name}${result.isRight === true ? '' : ` ${JSON.stringify(result)}`}`,
  )
}

install()
const service = await startService()
try {
  for (const version of [20, 22, 24, 26])
    for (const program of ['import.mjs', 'require.cjs', 'sync.mjs', 'sync.cjs'])
      await attempt(`node ${version} ${program}`, () =>
        inProcess(bin(`node${version}`), [program], service),
      )
  for (const program of ['import.mjs', 'require.cjs', 'sync.mjs'])
    await attempt(`bun ${program}`, () => inProcess(bin('bun'), [program], service))
  for (const program of ['import.mjs', 'require.cjs', 'sync.mjs'])
    await attempt(`deno ${program}`, () =>
      inProcess(path('node_modules/deno/deno'), ['run', '--allow-all', program], service),
    )
  await attempt('workerd', async () => {
    const result = await inWorkerd(service, [], 'plain.js')
    const said = result.reports?.filter((text) => text.includes('nodejs_compat')).length
    return { ...result, isRight: result.isRight && said === 1 }
  })
  await attempt('workerd with nodejs_compat', async () => {
    const result = await inWorkerd(service, ['nodejs_compat'], 'compat.js')
    return { ...result, isRight: result.isRight && result.reports.length === 0 }
  })
  await attempt('workerd with the handler of the documentation', async () => {
    const model = await startModel()
    try {
      const source = docsHandler(`http://127.0.0.1:${model.address().port}`)
      const { text, steps } = await inWorkerd(service, ['nodejs_compat'], 'docs.js', source)
      const ask = steps.find(({ name }) => name === 'ask')
      const isInside = steps.some(({ parentId }) => parentId === ask?.id)
      return { isRight: text === 'On its way.' && steps.length === 2 && isInside, text, steps }
    } finally {
      model.close()
    }
  })
  if (existsSync(CHROMIUM)) await attempt('a page in Chromium', () => inBrowser(service))
  else
    await attempt('a page in Chromium', async () => ({
      isRight: false,
      text: `there is no ${CHROMIUM}`,
    }))
} finally {
  service.stop()
  rmSync(work, { recursive: true, force: true })
}
const wrong = Object.values(outcomes).filter((isRight) => !isRight).length
console.log(
  `${Object.keys(outcomes).length - wrong} of ${Object.keys(outcomes).length} as it should be`,
)
process.exitCode = wrong === 0 ? 0 : 1
