import { createRequire } from 'node:module'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BUSY, SHORT_LIVED } from './test/support/short-lived.js'

const APART = [
  'attaching',
  'following',
  'outbox',
  'spool',
  'tap',
  'tap-apis',
  'tap-fetches',
  'tap-streams',
  'variables',
  'without-key',
].map((name) => `test/${name}.test.ts`)

/**
 * The plan of a cluster tells the rows of one worker alone. Elsewhere nothing is said here, so that `--exclude` holds.
 */
const ON_A_CLUSTER = process.env.STEPWELL_TEST_WORKERS
  ? { exclude: ['server/test/thorough/plans.test.ts'] }
  : {}

/** Many times the longest duration on an idle machine: a busy one must not fail tests. A cluster takes several times as long. */
const TIMEOUT_MS = process.env.STEPWELL_TEST_WORKERS ? 1_800_000 : 600_000
/** That of a condition that a test waits for. */
const POLL_TIMEOUT_MS = process.env.STEPWELL_TEST_WORKERS ? 300_000 : 60_000

export default defineConfig({
  resolve: {
    // Vite would take the ES modules of graphql, and every package that requires it the others: two realms.
    alias: [
      { find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') },
      // The same tests on a PostgreSQL server instead of the embedded one.
      ...(process.env.STEPWELL_TEST_DATABASE
        ? [
            {
              find: /^@stepwell\/server$/,
              replacement: join(import.meta.dirname, 'test/support/on-postgres.ts'),
            },
          ]
        : []),
    ],
  },
  // Tests run on the sources of both packages, not on the build.
  ssr: { resolve: { conditions: ['stepwell-source', 'node'] } },
  test: {
    globalSetup: ['test/support/build.ts'],
    projects: [
      // Files that change nothing global share a process, which reads the sources once: a third less work.
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/*.test.ts', 'web/test/**/*.test.ts'],
          exclude: APART,
          isolate: false,
        },
      },
      // Files that replace what the whole process has: `fetch`, its environment, the SDK's documents, what happens at its end.
      {
        extends: true,
        test: {
          name: 'apart',
          include: APART,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['server/test/*.test.ts'],
          ...ON_A_CLUSTER,
          isolate: false,
        },
      },
      // Apart, with files of its own: the compiler runs for whatever file of its project is asked for.
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/*.test-d.ts'],
            tsconfig: 'test/tsconfig.types.json',
            ignoreSourceErrors: true,
          },
        },
      },
      // Processes that start and end, databases of size, requests by the thousand, examples by the hundred: `npm test`
      // leaves these minutes to CI.
      {
        extends: true,
        test: {
          name: 'thorough',
          include: ['{server/,}test/thorough/*.test.ts'],
          ...ON_A_CLUSTER,
          execArgv: BUSY,
        },
      },
    ],
    hookTimeout: TIMEOUT_MS,
    testTimeout: TIMEOUT_MS,
    maxWorkers: 2,
    execArgv: SHORT_LIVED,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
  },
})
