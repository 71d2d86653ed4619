// Measures the size of an entry point in an application's bundle, minified and compressed: `node
// scripts/bundle-size.js`. Fails when one exceeds its limit; raise the number in the change that needs it.
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const ENTRIES = [
  { entry: 'stepwell/tracing', source: 'src/tracing/index.ts', largestKb: 43.5 },
  { entry: 'stepwell/api', source: 'src/api/index.ts', largestKb: 42.6 },
]

for (const { entry, source, largestKb } of ENTRIES) {
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
  // Modules of Node, which no page can load.
  const imports = output.flatMap((part) => [
    ...(part.imports ?? []),
    ...(part.dynamicImports ?? []),
  ])
  console.log(`${entry}: ${kilobytes.toFixed(3)} kB, ${largestKb} at most`)
  for (const found of imports) console.log(`${entry} imports ${found}`)
  if (kilobytes > largestKb || imports.length > 0) process.exitCode = 1
}
