// The service as a separate process, for measurements from outside. Needs a build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const bin = fileURLToPath(new URL('../bin/stepwell.js', import.meta.url))
export const API_KEY = 'bench'

// A signal alone would leave the services running.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

export const freePort = async () => {
  const socket = createServer()
  await once(socket.listen(0, '127.0.0.1'), 'listening')
  const { port } = socket.address()
  socket.close()
  return port
}

const databaseArguments = (databaseUrl) =>
  databaseUrl === undefined ? [] : ['--database', databaseUrl]

/** Runs an operator's command, and resolves to the API key that it prints. */
export const operate = async (dataFolder, databaseUrl, command) => {
  const child = spawn(
    process.execPath,
    [bin, ...command, '--data', dataFolder, ...databaseArguments(databaseUrl)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  for await (const part of child.stdout) text += part
  const [key] = /lsk_[\w-]+/.exec(text) ?? []
  if (key === undefined) throw new Error(`${command.join(' ')} printed no key`)
  return key
}

/**
 * Starts the service on a data folder, and on a PostgreSQL server if a URL is given. Resolves once it answers.
 * `arguments` are Node's own; `workers` is the number of its processes.
 */
export const startService = async (dataFolder, databaseUrl, options = {}) => {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [
      ...(options.arguments ?? []),
      bin,
      'serve',
      '--port',
      String(port),
      '--data',
      dataFolder,
      ...databaseArguments(databaseUrl),
      ...(options.workers === undefined ? [] : ['--workers', String(options.workers)]),
    ],
    {
      env: { ...process.env, STEPWELL_API_KEY: API_KEY, STEPWELL_DRAIN_MS: '0' },
      stdio: options.arguments === undefined ? 'ignore' : ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  // Also when the measurement fails.
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const url = `http://127.0.0.1:${port}`
  const answers = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error('the service does not start')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    url,
    port,
    child,
    /** Sends a body that is JSON already. Errors in the answer are thrown. */
    post: async (path, body, headers = {}) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': API_KEY, ...headers },
        body,
      })
      const answer = await response.json()
      if (answer.errors) throw new Error(JSON.stringify(answer.errors))
      return answer
    },
    /** Reads an answer to its end, whatever its content. */
    get: async (path) => {
      await (await fetch(`${url}${path}`, { headers: { connection: 'close' } })).arrayBuffer()
    },
    /** Returns user and system time so far, in milliseconds, and memory in MB. */
    usage: () => {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const memory = (name) =>
        Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024)
      return {
        cpu: (Number(stat[11]) + Number(stat[12])) * 10,
        now: memory('VmRSS'),
        peak: memory('VmHWM'),
      }
    },
    kill: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    stop: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
