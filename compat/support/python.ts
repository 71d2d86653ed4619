import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../python')

/** A released Python client: its environment, and the path of the package when it is not installed there. */
export interface PythonClient {
  environment: string
  version?: string
}

export interface Outcome {
  name: string
  /** The reason for a failure; null when it passed. */
  failure: string | null
}

interface Ended {
  code: number
  output: string
}

/** Runs Python in the environment of a client. */
export const runPython = (
  { environment, version }: PythonClient,
  args: string[],
  variables: Record<string, string> = {},
): Promise<Ended> => {
  const python = join(FOLDER, 'environments', environment, 'bin/python')
  if (!existsSync(python)) throw new Error('run compat/python/install.sh first')
  const path = version && join(FOLDER, 'environments', `literalai-${version}`)
  const env = {
    ...process.env,
    ...(path ? { PYTHONPATH: path } : {}),
    // Several processes import the same packages: one compiles them, beside the environments.
    PYTHONDONTWRITEBYTECODE: '',
    PYTHONPYCACHEPREFIX: join(FOLDER, 'environments/bytecode'),
    // The client of Python 0.1 would report its use.
    TRACELOOP_TELEMETRY: 'false',
    ...variables,
  }
  return new Promise((resolve) => {
    execFile(python, args, { cwd: FOLDER, env, maxBuffer: 64e6 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, output: `${stdout}\n${stderr}` })
    })
  })
}

/** Runs the tests of a file against a service. Returns the result of each, and the output of pytest. */
export const runTests = async (
  client: PythonClient,
  file: string,
  service: { url: string; apiKey: string },
): Promise<{ outcomes: Outcome[]; ended: Ended }> => {
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-compat-'))
  try {
    const results = join(folder, 'results.jsonl')
    const args = [
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      '-W',
      'ignore',
      '--tb=short',
      file,
    ]
    const ended = await runPython(client, args, {
      LITERAL_API_URL: service.url,
      LITERAL_API_KEY: service.apiKey,
      STEPWELL_RESULTS: results,
    })
    const lines = existsSync(results) ? (await readFile(results, 'utf8')).trim().split('\n') : []
    return { outcomes: lines.filter(Boolean).map((line) => JSON.parse(line)), ended }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
