import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SHORT_LIVED } from '../test/support/short-lived.js'

const support = join(import.meta.dirname, '../test/support')

export default defineConfig({
  ssr: { resolve: { conditions: ['stepwell-source', 'node'] } },
  test: {
    include: ['*.test.ts', 'frameworks/*.test.ts'],
    globalSetup: [join(support, 'build.ts')],
    hookTimeout: 120_000,
    testTimeout: 60_000,
    execArgv: SHORT_LIVED,
  },
})
