// How large an entry point becomes in an application's bundle, minified and compressed: `node scripts/bundle-size.js`.
// Fails when one is larger than it may be; raise the number in the change that needs it.
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const LARGEST_KB = { 'stepwell/tracing': 16.5 }
const sources = { 'stepwell/tracing': 'src/tracing/index.ts' }

for (const [entry, source] of Object.entries(sources)) {
  const { output } = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      rolldownOptions: { input: source, preserveEntrySignatures: 'strict' },
    },
  })
  const code = output.map((part) => part.code ?? '').join('')
  const kilobytes = gzipSync(code, { level: 9 }).length / 1000
  console.log(`${entry}: ${kilobytes.toFixed(1)} kB, ${LARGEST_KB[entry]} at most`)
  if (kilobytes > LARGEST_KB[entry]) process.exitCode = 1
}
