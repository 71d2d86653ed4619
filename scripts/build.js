// Builds all packages: the SDK as ESM and CommonJS and the server as ESM, a file per entry point, as many small ones take
// longer to load; the web UI as static files of the server's package, compressed; and the empty database that new services
// start as. Types come from the compiler. An up-to-date part is left alone, so that restarting the service takes no time.
// A part is replaced as a whole, so that no process starts with half of one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const STAMP = 'built'

const SERVER_ENTRIES = [
  'index',
  'database/engine/thread',
  // For scripts, benchmarks and tests, which use parts of the built service.
  'assembled',
  'data-folder',
  'database/database',
  'database/engine/engine-thread',
  'database/statistics',
]

const targets = [
  {
    out: 'dist',
    from: ['src', 'generated', 'scripts/build.js', 'tsconfig.json', 'tsconfig.build.json'],
    make: async (place) => {
      await compile('tsconfig.build.json', `${place}/esm`)
      await bundleSdk('es', `${place}/esm`)
      await bundleSdk('cjs', `${place}/cjs`)
      // The types are the same; the package.json above them decides which module format they describe.
      copyTypes(`${place}/esm`, `${place}/cjs`)
      // Node reads the format of a .js file from the nearest package.json above it.
      writeFileSync(join(root, place, 'cjs/package.json'), '{ "type": "commonjs" }\n')
    },
  },
  {
    out: 'server/dist',
    from: [
      'server/src',
      'server/generated',
      'scripts/build.js',
      'tsconfig.json',
      'server/tsconfig.build.json',
    ],
    make: async (place) => {
      // The service imports the verbs of agents by the types of the built SDK.
      await sdk
      await compile('server/tsconfig.build.json', place)
      await bundle('es', SERVER_ENTRIES, 'server', place)
    },
  },
  {
    out: 'server/ui',
    from: [
      'web/src',
      'server/src/query',
      'src/importing',
      'src/statistics',
      'web/generated',
      'web/index.html',
      'web/vite.config.js',
      'generated',
      'docs',
      'scripts/build.js',
    ],
    make: async (place) => {
      const { build } = await import('vite')
      // For every caller, tests too: the build is the one that users get.
      process.env.NODE_ENV = 'production'
      await build({
        configFile: join(root, 'web/vite.config.js'),
        mode: 'production',
        logLevel: 'warn',
        build: { outDir: join(root, place) },
      })
      compress(`${place}/assets`)
    },
  },
]

/** Created by the parts built before. */
const late = [
  {
    out: 'server/prepared',
    from: [
      'server/src/database/database.ts',
      'server/src/database/session.ts',
      'server/src/database/engine',
      'server/src/database/migrations',
      'scripts/prepare-database.js',
      'package-lock.json',
    ],
    make: (place) => run('scripts/prepare-database.js', place),
  },
]

const isForced = process.argv.includes('--force')
const isStale = ({ out, from }) => isForced || newest(from) >= modified(join(root, out, STAMP))
// The compilers are separate processes, so that two cores have work.
const stale = targets.filter(isStale)
const sdk = Promise.all(stale.filter(({ out }) => out === 'dist').map(make))
await Promise.all([sdk, ...stale.filter(({ out }) => out !== 'dist').map(make)])
await Promise.all(late.filter(isStale).map(make))

async function make({ out, make }) {
  const begin = new Date()
  const place = `${out}.${process.pid}`
  const former = `${place}.former`
  try {
    await make(place)
    const stamp = join(root, place, STAMP)
    writeFileSync(stamp, '')
    // Files that change during the build are built again.
    utimesSync(stamp, begin, begin)
    if (existsSync(join(root, out))) renameSync(join(root, out), join(root, former))
    renameSync(join(root, place), join(root, out))
  } finally {
    for (const left of [place, former]) rmSync(join(root, left), { recursive: true, force: true })
  }
}

/** Writes what the types of a project say, and does not check them: that takes as long again, and `npm run check` does it. */
function compile(project, place) {
  return run(tsc, '-p', project, '--noCheck', '--outDir', place)
}

async function run(program, ...args) {
  const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${status}`)
}

/** Keeps of each file only its smallest form: the service derives the others from it. */
function compress(folder) {
  for (const name of readdirSync(join(root, folder))) {
    const path = join(root, folder, name)
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)))
    rmSync(path)
  }
}

/** Writes the entry points of the SDK. */
function bundleSdk(format, out) {
  const entries = [
    'index',
    'api/index',
    'tracing/index',
    'tracing/spool',
    'sync/index',
    'sync/worker',
    'sync/unsupported',
    'otlp/index',
    'agents/index',
    'evaluate/index',
    'testing/index',
    'hooks/langchain/index',
    'hooks/ai-sdk/index',
    'hooks/openai-agents/index',
    'hooks/mcp/index',
    'hooks/claude-agent-sdk/index',
    'hooks/mastra/index',
    // Vitest is an ES module only.
    ...(format === 'es'
      ? ['cli/main', 'cli/replay/preload', 'evaluate/vitest', 'testing/vitest']
      : []),
  ]
  return bundle(format, entries, '.', out)
}

/** Writes the entry points of a package, with the code that they share in chunks. */
async function bundle(format, entries, folder, out) {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: out,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      // The limit is meant for pages.
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
      lib: {
        entry: Object.fromEntries(
          entries.map((name) => [`src/${name}`, join(root, folder, `src/${name}.ts`)]),
        ),
        formats: [format],
      },
      rolldownOptions: {
        // Packages and Node's own modules stay imports.
        external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
        ...(format === 'cjs' ? { transform: { define: { 'import.meta.url': '__filename' } } } : {}),
        output: { entryFileNames: '[name].js', chunkFileNames: 'src/shared/[name].js' },
      },
    },
  })
}

function copyTypes(from, to) {
  const isType = (path) => statSync(path).isDirectory() || path.endsWith('.d.ts')
  cpSync(join(root, from), join(root, to), { recursive: true, filter: isType })
}

/** Returns the time of the newest change of some files and folders. */
function newest(paths) {
  return Math.max(
    ...paths.flatMap((path) => {
      const full = join(root, path)
      if (!statSync(full).isDirectory()) return modified(full)
      const entries = readdirSync(full, { recursive: true, withFileTypes: true })
      // A folder's own time shows that files were deleted.
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
