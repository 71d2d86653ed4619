import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { TracerOptions } from '../../src/tracing/index.js'
import { Tracer } from '../../src/tracing/spool.js'
import type { Sink } from './sink.js'

/** Records steps with the ids `s0`, `s1`, … */
export const record = (tracer: Pick<Tracer, 'trace'>, count: number, from = 0): void => {
  for (let index = from; index < from + count; index++)
    tracer.trace({ id: `s${index}`, input: { text: 'x'.repeat(100) } }, () => index)
}

/** A folder for each test, and clients that keep their steps there. */
export const useSpool = (sink: Sink) => {
  const spool = {
    folder: '',

    newTracer: (options: Partial<TracerOptions> = {}) => {
      const reports: string[] = []
      const tracer = new Tracer({
        apiKey: 'k',
        apiUrl: sink.url,
        flushAtExit: false,
        spool: spool.folder,
        onReport: (message) => reports.push(message),
        ...options,
      })
      return { tracer, reports }
    },

    filesOf: async (ending: string): Promise<string[]> =>
      (await readdir(spool.folder, { recursive: true }))
        .filter((name) => name.endsWith(ending))
        .map((name) => join(spool.folder, name))
        .sort(),

    /** Creates a client that recorded steps and then ended, without any request to the service. */
    abandoned: async (count: number, options: Partial<TracerOptions> = {}) => {
      const fetch = () => Promise.reject(new Error('away'))
      const { tracer } = spool.newTracer({ ...options, fetch })
      record(tracer, count)
      void tracer.thread({ id: 't', name: 'kept' }).upsert()
      await tracer.close({ timeoutMs: 1 })
      return tracer.stats()
    },

    /** Creates a client that has sent what earlier ones left. */
    adopted: async (options: Partial<TracerOptions> = {}) => {
      const made = spool.newTracer(options)
      await new Promise((resolve) => setImmediate(resolve))
      await made.tracer.flush()
      return made
    },
  }
  beforeEach(async () => {
    spool.folder = await mkdtemp(join(tmpdir(), 'stepwell-spool-'))
  })
  afterEach(() => rm(spool.folder, { recursive: true, force: true }))
  return spool
}
