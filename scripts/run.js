// Runs a TypeScript program of this repository from its sources: `node scripts/run.js FILE [ARGUMENT...]`. Vite is here
// for the tests anyway, and Node 20 cannot strip types.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const [file, ...rest] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node scripts/run.js FILE [ARGUMENT...]')
  process.exit(2)
}
const path = resolve(file)
process.argv.splice(1, Number.POSITIVE_INFINITY, path, ...rest)
await runnerImport(path, {
  configFile: false,
  logLevel: 'error',
  // A package resolves its own name, but those beside it, such as bench/, do not.
  resolve: {
    alias: [
      {
        find: /^stepwell$/,
        replacement: fileURLToPath(new URL('../src/index.ts', import.meta.url)),
      },
    ],
  },
  environments: {
    inline: { resolve: { conditions: ['stepwell-source', 'node'] } },
  },
})
