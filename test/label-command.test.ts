import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { run } from '../src/cli/main.js'
import { StepwellClient } from '../src/index.js'

// `stepwell prompts label` against the real service.
let service: Service
let listening: Listening
beforeAll(async () => {
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  const { apiKey } = await service.createProject('labels')
  vi.stubEnv('STEPWELL_API_URL', listening.url)
  vi.stubEnv('STEPWELL_API_KEY', apiKey)
  const { api } = new StepwellClient()
  for (const content of ['zero', 'one'])
    await api.getOrCreatePrompt('voice', [{ role: 'user', content }])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await listening?.stop()
  await service?.close()
})

const prompts = async (...args: string[]) => {
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text)
      return true
    })
  const status = await run(['prompts', ...args])
  vi.restoreAllMocks()
  return { status, ...said }
}

test('a label is set, moved, listed and removed, and callers follow', async () => {
  // A busy machine answers late, and a copy of before would be taken instead.
  const { api } = new StepwellClient({ prompts: { waitMs: 60_000 } })
  const labelled = async () => (await api.getPrompt('voice', { label: 'production' }))?.version
  expect(await prompts('label', 'voice', '--label', 'production', '--version', '0')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^production {2}v0 {2}\S+\n$/),
    stderr: '',
  })
  expect(await labelled()).toBe(0)
  await prompts('label', 'voice', '--label', 'production', '--version', '1')
  expect(await labelled()).toBe(1)
  const { stdout } = await prompts('labels', 'voice', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ name: 'production', version: 1 })
  expect(await prompts('unlabel', 'voice', '--label', 'production')).toMatchObject({ stdout: '' })
  expect(await api.getPromptLabels('voice')).toEqual([])
})

test.each([
  [['labels'], 2, 'expected the name of a prompt'],
  [['label', 'voice', '--version', '1'], 2, '--label: expected a label'],
  [
    ['label', 'voice', '--label', 'x'],
    2,
    '--version: expected the number of a version, got nothing',
  ],
  [['label', 'voice', '--label', 'x', '--version', '1.5'], 2, 'got "1.5"'],
  [['label', 'voice', '--label', 'x', '--version', '9'], 2, 'version'],
  [['labels', 'none'], 1, 'there is no prompt "none"'],
  [['push'], 2, 'expected pull or labels or label or unlabel, got "push"'],
] as const)('prompts %j says what is wrong', async (args, status, message) => {
  expect(await prompts(...args)).toEqual({
    status,
    stdout: '',
    stderr: expect.stringContaining(message),
  })
})
