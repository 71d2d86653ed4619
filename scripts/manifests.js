// Keeps the shared fields of the packages' manifests, and everything derived from the version, in one place: the
// package.json of the root. `node scripts/manifests.js write [OWNER/NAME]` writes them to all others, `check` fails
// when one of them differs, and `check --published` also when the repository is still the placeholder.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PLACEHOLDER = 'OWNER/stepwell'
const KEYWORDS = [
  'llm',
  'observability',
  'tracing',
  'evaluation',
  'monitoring',
  'prompts',
  'agents',
  'graphql',
  'opentelemetry',
  'ai',
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (path) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n')
const [command, argument] = process.argv.slice(2)

const first = JSON.parse(read('package.json'))
const [, recorded] = /github\.com\/(.+?)\.git$/.exec(first.repository?.url ?? '') ?? []
const repository = (command === 'write' ? argument : undefined) ?? recorded ?? PLACEHOLDER
if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
  console.error(`expected OWNER/NAME of the repository, got ${JSON.stringify(repository)}`)
  process.exit(2)
}

/** Returns a manifest with the shared fields, placed after the license. */
const manifest = (path, directory) => {
  const own = JSON.parse(read(path))
  const page = `https://github.com/${repository}`
  const shared = {
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
    repository: {
      type: 'git',
      url: `git+${page}.git`,
      ...(directory === undefined ? {} : { directory }),
    },
    keywords: KEYWORDS,
    engines: first.engines,
    ...(own.private ? {} : { publishConfig: { access: 'public' } }),
  }
  const { name, version: _, description, license: __, ...rest } = own
  for (const key of Object.keys(shared)) delete rest[key]
  const begin = { name, version: first.version, description, license: first.license }
  return `${JSON.stringify({ ...begin, ...shared, ...rest }, null, 2)}\n`
}

const contents = {
  'package.json': manifest('package.json'),
  'server/package.json': manifest('server/package.json', 'server'),
  'web/package.json': manifest('web/package.json', 'web'),
  'server/LICENSE': read('LICENSE'),
  'web/LICENSE': read('LICENSE'),
  'src/version.ts': read('src/version.ts').replace(/(?<=VERSION = )'[^']*'/, `'${first.version}'`),
}

let isStale = false
for (const [path, content] of Object.entries(contents)) {
  let before = ''
  try {
    before = read(path)
  } catch {}
  if (before === content) continue
  if (command === 'write') writeFileSync(join(root, path), content)
  else {
    isStale = true
    console.error(`${path} is stale; write it anew with: npm run manifests`)
  }
}
if (argument === '--published' && repository === PLACEHOLDER) {
  isStale = true
  console.error(
    'the repository is a placeholder; name it with: node scripts/manifests.js write OWNER/NAME',
  )
}
process.exitCode = isStale ? 1 : 0
