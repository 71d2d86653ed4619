import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['stepwell-source', 'node'] } },
  test: {
    include: ['*.test.ts'],
    hookTimeout: 120_000,
    testTimeout: 60_000,
  },
})
