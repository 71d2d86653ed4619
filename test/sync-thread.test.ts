import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

// The built module: the sources have no thread.
const built = join(import.meta.dirname, '../dist/esm/src/sync/index.js')

const permission = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission'

test('a thread that does not start is said with its reason and what to do, as where Node allows no workers', () => {
  const program = `
    import { StepwellClient } from ${JSON.stringify(pathToFileURL(built).href)}
    try {
      new StepwellClient({ apiKey: 'k', apiUrl: 'http://127.0.0.1:1' }).api.getProjectId()
    } catch ({ name, code, message, cause }) {
      console.log(JSON.stringify({ name, code, message, cause: cause?.code }))
    }
    process.exit()`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [permission, '--allow-fs-read=*', '--input-type=module', '--eval', program],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
  )
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual({
    name: 'StepwellError',
    code: 'INTERNAL',
    message: expect.stringMatching(
      /^stepwell\/sync: its thread did not start: .*restricted.*; where the application is bundled, keep the package out/,
    ),
    cause: 'ERR_ACCESS_DENIED',
  })
})
