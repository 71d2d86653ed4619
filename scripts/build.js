// Builds all packages: the SDK as ESM and CommonJS, a file per entry point, as loading many small ones takes an
// application three times as long; the server as ESM, file by file; the web UI as static
// files, each beside its compressed forms. Types come from the compiler. What is built already is
// left alone, so that starting the service again takes neither.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const STAMP = 'built'

const targets = [
  {
    out: 'dist',
    from: ['src', 'generated', 'scripts/build.js', 'tsconfig.json', 'tsconfig.build.json'],
    project: 'tsconfig.build.json',
    after: async () => {
      await bundle('es', 'dist/esm')
      await bundle('cjs', 'dist/cjs')
      // The types are the same; which modules they speak of says the package.json above them.
      copyTypes('dist/esm', 'dist/cjs')
      // Node reads the format of a .js file from the package.json next above it.
      writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n')
    },
  },
  {
    out: 'server/dist',
    from: ['server/src', 'server/generated', 'tsconfig.json', 'server/tsconfig.build.json'],
    project: 'server/tsconfig.build.json',
    after: () => {},
  },
  {
    out: 'web/dist',
    from: [
      'web/src',
      'web/generated',
      'web/index.html',
      'web/vite.config.js',
      'generated',
      'scripts/build.js',
    ],
    after: async () => {
      const { build } = await import('vite')
      // Whoever asks for the build, tests too: what is served is what people get.
      process.env.NODE_ENV = 'production'
      await build({
        configFile: join(root, 'web/vite.config.js'),
        mode: 'production',
        logLevel: 'warn',
      })
      compress('web/dist/assets')
    },
  },
]

for (const { out, from, project, after } of targets) {
  const stamp = join(root, out, STAMP)
  if (!process.argv.includes('--force') && newest(from) < modified(stamp)) continue
  rmSync(join(root, out), { recursive: true, force: true })
  if (project !== undefined) compile(project)
  await after()
  writeFileSync(stamp, '')
}

function compile(project) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** Writes what a browser takes instead of a file: the service then compresses nothing while it answers. */
function compress(folder) {
  for (const name of readdirSync(join(root, folder))) {
    const path = join(root, folder, name)
    const content = readFileSync(path)
    writeFileSync(`${path}.br`, brotliCompressSync(content))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}

/** Writes the entry points of the SDK, and in chunks what they share. */
async function bundle(format, out) {
  const { build } = await import('vite')
  const entries = [
    'index',
    'api/index',
    'tracing/index',
    'tracing/spool',
    'sync/index',
    'sync/worker',
    'sync/unsupported',
    ...(format === 'es' ? ['cli/main'] : []),
  ]
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: out,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      sourcemap: true,
      lib: {
        entry: Object.fromEntries(
          entries.map((name) => [`src/${name}`, join(root, `src/${name}.ts`)]),
        ),
        formats: [format],
      },
      rolldownOptions: {
        // Packages and Node's own modules stay what they are.
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
