import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The synchronous flavour works with a thread, which runs what was built: so it is, unless it is up to date. */
export const setup = (): void => {
  const root = join(import.meta.dirname, '../..')
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.js'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
}
