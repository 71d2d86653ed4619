// A release, rehearsed: `node e2e/release.js [NODE_VERSION...]`, 20, 22 and 24 when omitted. In a copy of the last
// commit it makes the versions that the notes in .changeset/ ask for, packs and publishes without sending. On each Node
// it then installs the tarballs into an empty folder, starts the service, opens its web UI, records, reads back and
// generates types.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const work = mkdtempSync(join(tmpdir(), 'stepwell-release-'))
const copy = join(work, 'copy')
/** Packed, in kB. The web UI is most of the service. */
const MAX_KB = { stepwell: 1150, 'stepwell-server': 5100 }
/** The tags of Node's packages on the registry. */
const nodes = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24']

const run = (command, args, options = {}) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: 600_000,
    ...options,
  })
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const tell = (text) => console.log(`-- ${text}`)

const version = () => {
  run('git', ['clone', '--quiet', '--shared', root, copy])
  // Changesets compares with a branch of this name.
  if (run('git', ['branch', '--list', 'main'], { cwd: copy }) === '')
    run('git', ['branch', 'main'], { cwd: copy })
  // A workspace has some of its own, if the root has another version.
  for (const path of ['node_modules', 'server/node_modules', 'web/node_modules'])
    if (existsSync(join(root, path))) symlinkSync(join(root, path), join(copy, path))
  run('npm', ['run', '--silent', 'changeset', '--', 'status'], { cwd: copy })
  const before = manifestOf(copy).version
  const notes = readdirSync(join(copy, '.changeset')).filter((name) => name.endsWith('.md'))
  run('npm', ['run', '--silent', 'versions'], { cwd: copy })
  const { version } = manifestOf(copy)
  if (notes.length > 0) assert.notEqual(version, before)
  for (const folder of ['server', 'web'])
    assert.equal(manifestOf(join(copy, folder)).version, version, folder)
  assert.ok(readFileSync(join(copy, 'src/version.ts'), 'utf8').includes(`'${version}'`))
  const left = readdirSync(join(copy, '.changeset')).filter((name) => name.endsWith('.md'))
  assert.deepEqual(left, [])
  if (notes.length > 0)
    for (const place of ['CHANGELOG.md', 'server/CHANGELOG.md'])
      assert.ok(readFileSync(join(copy, place), 'utf8').includes(`## ${version}`), place)
  run('node', ['scripts/manifests.js', 'check'], { cwd: copy })
  tell(`${notes.length} notes make ${version}, from ${before}`)
  return version
}

/** Takes over what the service's package has of this folder's build, which names no version, if all here is committed. */
const takeBuild = () => {
  if (run('git', ['status', '--porcelain'], { cwd: root }) !== '') return
  run('node', ['scripts/build.js'], { cwd: root })
  for (const part of ['dist', 'ui', 'prepared']) {
    const place = join(copy, 'server', part)
    cpSync(join(root, 'server', part), place, { recursive: true })
    // Newer than its sources, which were copied as well.
    const now = new Date()
    utimesSync(join(place, 'built'), now, now)
  }
  tell('the build of the service is the one that is here')
}

const pack = (version) => {
  // Packing builds: the build in the copy has its version.
  for (const folder of [copy, join(copy, 'server')]) {
    run('npm', ['publish', '--dry-run', '--silent', '--ignore-scripts', '--tag', 'next'], {
      cwd: folder,
    })
    run('npm', ['pack', '--silent', '--pack-destination', work], { cwd: folder })
  }
  return Object.entries(MAX_KB).map(([name, most]) => {
    const tarball = join(work, `${name}-${version}.tgz`)
    const kilobytes = Math.round(readFileSync(tarball).length / 1000)
    const names = run('tar', ['tzf', tarball]).split('\n')
    tell(`${name}: ${kilobytes} kB packed, ${names.length - 1} files`)
    assert.ok(kilobytes <= most, `${name} is larger than ${most} kB`)
    for (const file of ['LICENSE', 'README.md', 'package.json'])
      assert.ok(names.includes(`package/${file}`), `${name} has no ${file}`)
    // Only the built form is shipped.
    assert.deepEqual(
      names.filter((file) => /(?<!\.d)\.ts$|\.map$|\.tsbuildinfo$/.test(file)),
      [],
    )
    run('npx', ['--yes', 'publint@0.3.25', tarball])
    return tarball
  })
}

const PROGRAM = `import { StepwellClient } from 'stepwell'
const stepwell = new StepwellClient()
await stepwell.trace({ name: 'answer', type: 'run' }, async () => 'yes')
await stepwell.flush()
const { data } = await stepwell.api.getSteps({ first: 1 })
console.log(data[0].name)
`

const tryOn = async (node, tarballs) => {
  const folder = join(work, `on-node-${node}`)
  mkdirSync(folder)
  const runtime = `node-linux-${process.arch}`
  run('npm', ['install', '--no-save', '--prefix', join(work, node), `${runtime}@${node}`])
  const env = {
    ...process.env,
    PATH: `${join(work, node, 'node_modules', runtime, 'bin')}${delimiter}${process.env.PATH}`,
    STEPWELL_API_KEY: '',
    DATABASE_URL: '',
  }
  const here = (command, ...args) => run(command, args, { cwd: folder, env })
  tell(`${here('node', '--version').trim()}: installs`)
  here('npm', 'install', '--no-audit', '--no-fund', ...tarballs)
  const service = spawn(
    join(folder, 'node_modules/.bin/stepwell'),
    ['serve', '--port', '0', '--data', join(folder, 'data')],
    { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(service, 'exit')
  try {
    let printed = ''
    for await (const text of service.stdout) {
      printed += text
      if (/sign-in\?token=/.test(printed)) break
    }
    const [, url] = /serves at (http:\S+?),/.exec(printed) ?? []
    assert.ok(url, `the service did not start: ${printed}`)
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
    const [script] = /\/assets\/[\w.-]+\.js/.exec(page) ?? []
    assert.ok(script, `the page has no script: ${page.slice(0, 200)}`)
    assert.equal((await fetch(`${url}${script}`)).status, 200)
    env.STEPWELL_API_URL = url
    env.STEPWELL_API_KEY = readFileSync(join(folder, 'data/api-key'), 'utf8').trim()
    writeFileSync(join(folder, 'program.mjs'), PROGRAM)
    assert.equal(here('node', 'program.mjs').trim(), 'answer')
    const { devDependencies, dependencies } = manifestOf(root)
    const all = { ...devDependencies, ...dependencies }
    const generators = [
      '@graphql-codegen/core',
      '@graphql-codegen/typescript-operations',
      '@graphql-codegen/typed-document-node',
      '@graphql-typed-document-node/core',
    ]
    here('npm', 'install', '--no-audit', '--no-fund', ...generators.map((n) => `${n}@${all[n]}`))
    mkdirSync(join(folder, 'documents'))
    writeFileSync(
      join(folder, 'documents/steps.graphql'),
      'query Names { steps(first: 3) { edges { node { name } } } }\n',
    )
    here('npx', '--no', 'stepwell', 'contract', 'pull')
    here('npx', '--no', 'stepwell', 'codegen', '--documents', 'documents')
    assert.ok(existsSync(join(folder, 'src/generated/stepwell.ts')))
    service.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    tell(`Node ${node}: serves its UI, records, reads, generates, ends with 0`)
  } finally {
    service.kill('SIGKILL')
  }
}

try {
  const made = version()
  takeBuild()
  const tarballs = pack(made)
  for (const node of nodes) await tryOn(node, tarballs)
} finally {
  rmSync(work, { recursive: true, force: true })
}
