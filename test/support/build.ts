import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { makeTemplateDatabase } from '../../server/test/support/new-database.js'

/** Builds everything, as threads run the build. Up-to-date parts are left alone. */
export const setup = async (): Promise<() => Promise<void>> => {
  const root = join(import.meta.dirname, '../..')
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.js'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the build failed: ${stderr}`)
  return makeTemplateDatabase()
}
