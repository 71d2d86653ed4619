import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll } from 'vitest'
import { SHORT_LIVED } from './short-lived.js'

export interface ServiceProcess {
  url: string
  /** The keys of the projects that were asked for. */
  apiKeys: string[]
}

/** Starts a service in a separate process, for tests that block theirs. */
export const useServiceProcess = (projects: number): ServiceProcess => {
  const service: ServiceProcess = { url: '', apiKeys: [] }
  let child: ChildProcess
  beforeAll(async () => {
    child = spawn(
      process.execPath,
      [...SHORT_LIVED, join(import.meta.dirname, 'service-program.js'), String(projects)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })
    const [line] = (await once(lines, 'line')) as [string]
    Object.assign(service, JSON.parse(line))
  })
  afterAll(() => {
    child?.kill()
  })
  return service
}
