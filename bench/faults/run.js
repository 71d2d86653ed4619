// Breaks things under load, and counts: `npm run build && node bench/faults/run.js FAULT [TIMES]`. Every step that was
// acknowledged must be there once in the end, and the service back by itself. FAULT is one of
//
//   kill-embedded    kill -9 of the service, on the embedded database
//   kill-service     kill -9 of one of two services on one PostgreSQL server
//   kill-postgres    an immediate stop of the PostgreSQL server, and a start
//   cut-connections  all connections to the server are ended
//
// PostgreSQL is that of the system, with a cluster of its own in a temporary folder.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StepwellClient } from '../../dist/esm/src/index.js'

const [fault, times = '20'] = process.argv.slice(2)
const FAULTS = ['kill-embedded', 'kill-service', 'kill-postgres', 'cut-connections']
if (!FAULTS.includes(fault)) {
  console.error(`usage: node bench/faults/run.js ${FAULTS.join('|')} [TIMES]`)
  process.exit(2)
}
const bin = fileURLToPath(new URL('../../bin/stepwell.js', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'stepwell-faults-'))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const LANES = 4
const BATCH = 20

const freePort = async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** A PostgreSQL server that can be stopped and started. It does not run as root. */
const startPostgres = async () => {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => a - b)
  const bins = `/usr/lib/postgresql/${versions.at(-1)}/bin`
  const isRoot = process.getuid?.() === 0
  const run = (command) => {
    const [program, ...args] = isRoot ? ['su', 'postgres', '-c', command] : ['sh', '-c', command]
    const { status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`)
    return stdout
  }
  const folder = join(work, 'postgres')
  chmodSync(work, 0o755)
  mkdirSync(folder)
  if (isRoot) {
    const [uid, gid] = [spawnSync('id', ['-u', 'postgres']), spawnSync('id', ['-g', 'postgres'])]
    chownSync(folder, Number(uid.stdout), Number(gid.stdout))
  }
  const port = await freePort()
  run(`${bins}/initdb -D ${folder}/data -U stepwell --auth=trust`)
  const control = (what) =>
    run(
      `${bins}/pg_ctl -D ${folder}/data -w -o '-p ${port} -k ${folder} -c listen_addresses=127.0.0.1' -l ${folder}/log ${what}`,
    )
  control('start')
  return {
    url: `postgres://stepwell@127.0.0.1:${port}/postgres`,
    crash: () => control('-m immediate stop'),
    start: () => control('start'),
    sql: (text) =>
      run(`${bins}/psql -h 127.0.0.1 -p ${port} -U stepwell -d postgres -Atc "${text}"`),
  }
}

const postgres = fault === 'kill-embedded' ? undefined : await startPostgres()

/** A service as a process of its own, on a port that stays. */
const startService = async (name) => {
  const port = await freePort()
  const service = { url: `http://127.0.0.1:${port}`, child: undefined, starts: 0 }
  service.start = async () => {
    const args = ['serve', '--port', String(port), '--data', join(work, name)]
    const location = postgres === undefined ? [] : ['--database', postgres.url]
    service.child = spawn(process.execPath, [bin, ...args, ...location], {
      env: { ...process.env, STEPWELL_API_KEY: 'faults' },
      stdio: 'ignore',
    })
    service.starts++
    for (;;) {
      if (
        await fetch(`${service.url}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return
      if (service.child.exitCode !== null) throw new Error('the service does not start')
      await sleep(20)
    }
  }
  service.kill = async () => {
    const gone = once(service.child, 'exit')
    service.child.kill('SIGKILL')
    await gone
  }
  await service.start()
  return service
}

const services = [await startService('one')]
if (fault === 'kill-service') services.push(await startService('two'))

const acknowledged = new Set()
let sent = 0
let failed = 0
let isOver = false
const lane = async (number) => {
  const apis = services.map(
    ({ url }) => new StepwellClient({ apiKey: 'faults', apiUrl: url, timeoutMs: 15_000 }).api,
  )
  for (let batch = 0; !isOver; batch++) {
    const ids = Array.from({ length: BATCH }, (_, index) => `${number}-${batch}-${index}`)
    const steps = ids.map((id) => ({
      id,
      threadId: `thread-${number}`,
      output: { content: 'x'.repeat(300) },
    }))
    sent += BATCH
    try {
      const { data } = await apis[batch % apis.length].sendSteps(steps)
      const refused = new Set(data.ingestSteps.refused.map(({ id }) => id))
      for (const id of ids) if (!refused.has(id)) acknowledged.add(id)
      failed += refused.size
    } catch {
      failed += BATCH
      await sleep(50)
    }
  }
}

const inject = async () => {
  switch (fault) {
    case 'kill-embedded':
      await services[0].kill()
      return services[0].start()
    case 'kill-service': {
      const one = services[Math.floor(Math.random() * services.length)]
      await one.kill()
      return one.start()
    }
    case 'kill-postgres':
      postgres.crash()
      await sleep(Math.random() * 300)
      return postgres.start()
    default:
      return postgres.sql(
        'SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
      )
  }
}

const lanes = Array.from({ length: LANES }, (_, number) => lane(number))
for (let time = 0; time < Number(times); time++) {
  await sleep(100 + Math.random() * 500)
  await inject()
  // It must be back before the next one: something that was sent after the fault is acknowledged.
  const before = acknowledged.size
  const deadline = Date.now() + 60_000
  while (acknowledged.size === before) {
    if (Date.now() > deadline) throw new Error(`not back after fault ${time + 1}`)
    await sleep(10)
  }
}
isOver = true
await Promise.all(lanes)

const { api } = new StepwellClient({ apiKey: 'faults', apiUrl: services[0].url })
const stored = new Map()
for await (const { id } of api.getSteps.all({ first: 1000 }))
  stored.set(id, (stored.get(id) ?? 0) + 1)
const lost = [...acknowledged].filter((id) => !stored.has(id)).length
const twice = [...stored.values()].filter((count) => count > 1).length
console.log(
  `${fault}: ${times} faults, ${sent} steps sent, ${failed} refused or unanswered, ${acknowledged.size} acknowledged, ${lost} of them lost, ${twice} stored twice`,
)
for (const service of services) await service.kill()
try {
  postgres?.crash()
} finally {
  rmSync(work, { recursive: true, force: true })
}
process.exit(lost + twice === 0 ? 0 : 1)
