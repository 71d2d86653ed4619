import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createService, type Service } from '../src/index.js'
import { backupCommand } from '../src/operator/moving/backup.js'
import { exportCommand } from '../src/operator/moving/export.js'
import { restoreCommand } from '../src/operator/moving/restore.js'
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

test('a backup of a stopped service and a restore are entries from the next start on, with their time', async () => {
  const silent = [process.stderr, process.stdout].map((stream) =>
    vi.spyOn(stream, 'write').mockReturnValue(true),
  )
  const out = join(folder, 'stopped.backup.tar.gz')
  const restored = join(folder, 'restored')
  const begin = Date.now()
  try {
    expect(await backupCommand(['--data', dataFolder, '--out', out, '--quiet'])).toBe(0)
    expect(await restoreCommand([out, '--data', restored])).toBe(0)
  } finally {
    for (const spy of silent) spy.mockRestore()
  }
  for (const [at, action] of [
    [dataFolder, 'BACK_UP'],
    [restored, 'RESTORE'],
    // Another start adds nothing.
    [restored, 'RESTORE'],
  ] as const) {
    service = await createService({ dataFolder: at })
    for (const project of ['shop', 'default']) {
      const { rows } = await service.operate({ ...command, options: { project } })
      const [newest, before] = rows
      expect(newest).toMatchObject({ action, actor: 'operator' })
      expect(before?.action).not.toBe(action === 'BACK_UP' ? undefined : 'RESTORE')
      const [time = ''] = /\d{4}-[\d-]+T[\d:.]+Z/.exec(newest?.details ?? '') ?? []
      expect(Date.parse(time)).toBeGreaterThanOrEqual(begin)
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now())
    }
    await service.close()
    service = undefined
  }
})
