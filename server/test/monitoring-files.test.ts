import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createService } from '../src/index.js'
import { asker } from './support/ask.js'

// The rules of alerts and the board that operators take over.
const folder = join(import.meta.dirname, '../../deploy/monitoring')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

interface Board {
  panels: { title: string; targets: { expr: string }[] }[]
}
const expressions = (JSON.parse(read('grafana.json')) as Board).panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr),
)

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const promtool = (...args: string[]): string =>
  execFileSync('promtool', args, { cwd: folder, encoding: 'utf8' })

test('rules and board name only metrics that the service has', async () => {
  const data = mkdtempSync(join(tmpdir(), 'stepwell-metrics-'))
  const service = await createService({ apiKey: 'k', dataFolder: data })
  try {
    await asker(service, 'k')('mutation { ingestSteps(steps: [{ id: "" }]) { ok } }')
    const answer = await service.fetch('http://x/metrics', { headers: { 'x-api-key': 'k' } })
    const has = new Set(
      [...(await answer.text()).matchAll(/^([a-z_]+)(?:\{| )/gm)].map(([, name]) => name),
    )
    expect(has.size).toBeGreaterThan(25)
    const used = [...expressions, read('alerts.yaml')].flatMap((text) =>
      [...text.matchAll(/\b(?:stepwell|process|nodejs)_[a-z_]+/g)].map(([name]) => name),
    )
    expect(used.length).toBeGreaterThan(25)
    expect(used.filter((name) => !has.has(name))).toEqual([])
  } finally {
    await service.close()
    rmSync(data, { recursive: true, force: true })
  }
})

test.skipIf(!hasPromtool)(
  'promtool accepts the rules, and they raise the alerts of their tests',
  () => {
    expect(promtool('check', 'rules', 'alerts.yaml')).toMatch(/SUCCESS: \d+ rules found/)
    expect(promtool('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS')
  },
)

test.skipIf(!hasPromtool)('promtool accepts every expression of the board', () => {
  const work = mkdtempSync(join(tmpdir(), 'stepwell-board-'))
  try {
    const rules = expressions.map((expr, index) => ({
      record: `board:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const path = join(work, 'board.yaml')
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'board', rules }] }))
    expect(promtool('check', 'rules', path)).toContain(`${rules.length} rules found`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})
