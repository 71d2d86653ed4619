// The programs that play scenarios: one of Node for each subject, and one of Python for each environment, which forks
// for each subject, as its clients take seconds to import.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Subject } from './subjects.js'

/** A program that is told what to do line by line, and says in lines what it has done. */
export interface Program {
  tell: (line: string) => void
  /** Resolves to the next line; undefined when there will be none. */
  heard: () => Promise<string | undefined>
  /** Returns what it has written to its standard error. */
  complaints: () => string
  /** Resolves once it has ended. */
  end: () => Promise<void>
}

const FOLDER = join(import.meta.dirname, '..')

/** Messages are written, in every generation of the conventions that asks before it does. */
const SETTINGS = {
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  TRACELOOP_TRACE_CONTENT: 'true',
  TRACELOOP_TELEMETRY: 'false',
  OTEL_METRICS_EXPORTER: 'none',
}

const started = new Map<string, Program>()

/** Returns the program that plays a subject, with the addresses and the key that it is given. */
export const programOf = ({ program, environment }: Subject, args: readonly string[]): Program => {
  if (program === 'node') {
    // Some libraries need Node 22.
    const node = process.env.STEPWELL_NODE_22 ?? process.execPath
    return start(node, [join(FOLDER, 'application.js'), ...args])
  }
  const name = environment ?? ''
  const python = join(FOLDER, '../python/environments', name, 'bin/python')
  const known = started.get(name) ?? start(python, [join(FOLDER, 'application.py'), ...args])
  started.set(name, known)
  return known
}

/** Ends the programs that play several subjects. */
export const endPrograms = async (): Promise<void> => {
  await Promise.all([...started.values()].map((program) => program.end()))
  started.clear()
}

const start = (command: string, args: readonly string[]): Program => {
  const child: ChildProcessWithoutNullStreams = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '', ...SETTINGS },
  })
  const exited = new Promise((resolve) => child.once('close', resolve))
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text
  })
  child.on('error', (error) => {
    said += error.message
  })
  child.stdin.on('error', (error) => {
    said += error.message
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    tell: (line) => child.stdin.write(`${line}\n`),
    heard: async () => {
      const { done, value } = await lines.next()
      return done === true ? undefined : value
    },
    complaints: () => said,
    end: async () => {
      child.stdin.end()
      await exited
    },
  }
}
