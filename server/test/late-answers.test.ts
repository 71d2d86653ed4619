import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { answerCommand } from '../src/http/operator.js'
import { createService } from '../src/index.js'
import type { CommandResult } from '../src/operator/commands.js'
import { writeWhole } from '../src/operator/moving/output.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-late-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const refuse = (error: unknown) =>
  Response.json({ errors: [{ message: (error as Error).message }] }, { status: 503 })

/** Answers a command that has ended only after the first byte of its answer. Returns that byte and the rest. */
const answerLate = async (
  end: (resolve: (result: CommandResult) => void, reject: (error: Error) => void) => void,
) => {
  let ending = (): void => undefined
  const work = new Promise<CommandResult>((resolve, reject) => {
    ending = () => end(resolve, reject)
  })
  const { body } = await answerCommand(work, refuse, 1)
  const reader = (body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader()
  const { value: first } = await reader.read()
  ending()
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  return [first, JSON.parse(text)]
}

test('the connection of a command that takes long is not idle, as a service and fetch close such a one', async () => {
  const done = { rows: [{ folder: '/copy' }] }
  expect(await answerLate((resolve) => resolve(done))).toEqual([' ', done])
  expect(await answerLate((_, reject) => reject(new Error('no room')))).toEqual([
    ' ',
    { errors: [{ message: 'no room' }] },
  ])
})

test('a copy for a command that was ended meanwhile is ended too, and takes no room', async () => {
  const dataFolder = join(folder, 'data')
  const service = await createService({ dataFolder, apiKey: 'k' })
  const copy = { noun: 'snapshot', verb: 'create', options: { purpose: 'backup' } }
  const copies = () => readdir(join(dataFolder, 'snapshots'))
  try {
    let looks = 0
    const leaving = service.operate(copy, () => ++looks < 100)
    await expect(leaving).rejects.toThrow('has ended')
    expect(looks).toBe(100)
    expect(await copies()).toEqual([])
    // The database can be copied again.
    const { rows } = await service.operate(copy)
    expect(await copies()).toHaveLength(1)
    expect(rows[0]?.folder).toContain((await copies())[0])
  } finally {
    await service.close()
  }
})

test('a signal that ends a command removes its unfinished file first', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  try {
    const out = join(folder, 'file')
    const interrupted = writeWhole(out, async (stream) => {
      stream.write('half')
      process.emit('SIGHUP', 'SIGHUP')
      await vi.waitFor(() => expect(exit.mock.calls[0]?.[0]).toBe(129))
      expect((await readdir(folder)).filter((name) => name.startsWith('file'))).toEqual([])
      throw new Error('ended')
    })
    await expect(interrupted).rejects.toThrow('ended')
    expect(process.listenerCount('SIGHUP')).toBe(0)
  } finally {
    exit.mockRestore()
  }
})

test('a file without a name is rejected before anything is copied', async () => {
  await expect(writeWhole('', async () => undefined)).rejects.toThrow('--out: expected a file')
})
