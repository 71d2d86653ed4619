import { createRequire } from 'node:module'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BUSY } from '../../test/support/short-lived.js'

const root = join(import.meta.dirname, '../..')

export default defineConfig({
  resolve: {
    alias: [
      { find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') },
      { find: /^stepwell$/, replacement: join(root, 'src/index.ts') },
    ],
  },
  ssr: { resolve: { conditions: ['stepwell-source', 'node'] } },
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    globalSetup: [join(root, 'test/support/build.ts')],
    hookTimeout: 180_000,
    testTimeout: 60_000,
    execArgv: BUSY,
    // As long as the browser waits for an element.
    expect: { poll: { timeout: 15_000 } },
    // One browser at a time: two of them on a small machine only wait for each other.
    fileParallelism: false,
    // Each file opens a browser and a service of its own, and nothing else is changed; the sources are read once.
    isolate: false,
  },
})
