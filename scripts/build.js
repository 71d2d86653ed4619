// Builds both packages with the compiler alone: the SDK as ESM and CommonJS, the server as ESM. What is built already
// is left alone, so that starting the service again takes no compiler.
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const STAMP = 'built'

const targets = [
  {
    out: 'dist',
    from: ['src', 'generated', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.cjs.json'],
    projects: ['tsconfig.build.json', 'tsconfig.cjs.json'],
    // Node reads the format of a .js file from the package.json next above it.
    after: () => writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n'),
  },
  {
    out: 'server/dist',
    from: ['server/src', 'server/generated', 'tsconfig.json', 'server/tsconfig.build.json'],
    projects: ['server/tsconfig.build.json'],
    after: () => {},
  },
]

for (const { out, from, projects, after } of targets) {
  const stamp = join(root, out, STAMP)
  if (!process.argv.includes('--force') && newest(from) < modified(stamp)) continue
  rmSync(join(root, out), { recursive: true, force: true })
  for (const project of projects) {
    const { status } = spawnSync(process.execPath, [tsc, '-p', project], {
      cwd: root,
      stdio: 'inherit',
    })
    if (status !== 0) process.exit(status ?? 1)
  }
  after()
  writeFileSync(stamp, '')
}

/** When the newest of some files and folders was changed. */
function newest(paths) {
  return Math.max(
    ...paths.flatMap((path) => {
      const full = join(root, path)
      if (!statSync(full).isDirectory()) return modified(full)
      const entries = readdirSync(full, { recursive: true, withFileTypes: true })
      // A folder's own time tells of files that are gone.
      return [
        modified(full),
        ...entries.map((entry) => modified(join(entry.parentPath, entry.name))),
      ]
    }),
  )
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
