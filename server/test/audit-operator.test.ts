import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createService, type Service } from '../src/index.js'
import { exportCommand } from '../src/operator/moving/export.js'
import { performReading } from '../src/operator/reading.js'

// Copies of the data by the operator's commands are in the audit log.
let folder: string
let dataFolder: string
let service: Service | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-audit-'))
  dataFolder = join(folder, 'data')
  service = await createService({ dataFolder })
  await service.createProject('shop')
})
afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

const command = { noun: 'audit', verb: 'list' }
const actionsOf = ({ rows }: { rows: Record<string, string>[] }) =>
  rows.map(({ action, actor }) => `${action} by ${actor}`)
const made = (actor: string) => [`CREATE_KEY by ${actor}`, `CREATE_PROJECT by ${actor}`]

test('a backup is an entry in each project, an export in its own, and both are in the copy', async () => {
  const running = service as Service
  const listed = async (project: string) =>
    actionsOf(await running.operate({ ...command, options: { project } }))
  const snapshot = async (options: object) => {
    const { rows } = await running.operate({ noun: 'snapshot', verb: 'create', options })
    return rows[0]?.folder ?? ''
  }
  const copy = await snapshot({ purpose: 'backup' })
  expect(await listed('shop')).toEqual(['BACK_UP by operator', ...made('operator')])
  expect(await listed('default')).toEqual(['BACK_UP by operator', ...made('service')])
  const inCopy = await performReading(
    { folder: join(copy, 'database') },
    { ...command, options: { project: 'shop' } },
  )
  expect(actionsOf(inCopy)).toEqual(['BACK_UP by operator', ...made('operator')])
  await rm(copy, { recursive: true })

  await rm(await snapshot({ purpose: 'export', project: 'shop' }), { recursive: true })
  expect((await listed('shop'))[0]).toBe('EXPORT_PROJECT by operator')
  expect((await listed('default'))[0]).toBe('BACK_UP by operator')
  await expect(snapshot({ purpose: 'export', project: 'none' })).rejects.toThrow('none')
})

test('an export of a stopped service leaves an entry, which a command reads that changes nothing', async () => {
  await service?.close()
  service = undefined
  const silent = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const out = join(folder, 'default.tar')
  try {
    const args = ['--data', dataFolder, '--project', 'default', '--out', out, '--quiet']
    expect(await exportCommand(args)).toBe(0)
  } finally {
    silent.mockRestore()
  }
  expect((await stat(out)).size).toBeGreaterThan(0)
  const location = { folder: join(dataFolder, 'database') }
  const listed = await performReading(location, { ...command, options: { project: 'default' } })
  expect(actionsOf(listed)).toEqual([
    'EXPORT_PROJECT by operator',
    'BACK_UP by operator',
    ...made('service'),
  ])
})
