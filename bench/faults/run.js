// Breaks things under load, and counts: `npm run build && node bench/faults/run.js FAULT [TIMES]`. In the end every
// acknowledged step must be stored once, and the service must have recovered on its own. FAULT is one of
//
//   kill-embedded    kill -9 of the service, on the embedded database
//   kill-service     kill -9 of one of two services on one PostgreSQL server
//   kill-postgres    an immediate stop of the PostgreSQL server, and a start
//   cut-connections  all connections to the server are ended
//   disk-full        the disk of the embedded database has no room for a while; needs to be root, for a disk of its own
//   server-disk-full the same for the PostgreSQL server, which is started again where it gave up
//   clock-jumps      the clock of the service goes up to a day forth or back; needs Debian's package faketime
//   racing           every part of a step comes several times, in any order and at once, to two services on one server
//
// PostgreSQL is that of the system, with a cluster of its own in a temporary folder.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StepwellClient } from '../../dist/esm/src/index.js'
import { freePort } from '../service.js'

const [fault, times = '20'] = process.argv.slice(2)
const FAULTS = [
  'kill-embedded',
  'kill-service',
  'kill-postgres',
  'cut-connections',
  'disk-full',
  'server-disk-full',
  'clock-jumps',
  'racing',
]
if (!FAULTS.includes(fault)) {
  console.error(`usage: node bench/faults/run.js ${FAULTS.join('|')} [TIMES]`)
  process.exit(2)
}
const bin = fileURLToPath(new URL('../../bin/stepwell.js', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'stepwell-faults-'))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const LANES = 4
const BATCH = 20

/** Starts a PostgreSQL server that can be stopped and restarted. It does not run as root. */
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
  mkdirSync(folder, { recursive: true })
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
    isUp: () =>
      spawnSync(`${bins}/pg_isready`, ['-h', '127.0.0.1', '-p', String(port)]).status === 0,
    sql: (text) =>
      run(`${bins}/psql -h 127.0.0.1 -p ${port} -U stepwell -d postgres -Atc "${text}"`),
  }
}

/** Mounts a separate disk, which can be full. */
const mountDisk = (folder) => {
  mkdirSync(folder)
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=700m', 'tmpfs', folder])
  if (status !== 0) throw new Error(`mount: ${stderr}`)
  const filling = join(folder, 'filling')
  return {
    fill: () => spawnSync('dd', ['if=/dev/zero', `of=${filling}`, 'bs=64k']),
    free: () => rmSync(filling, { force: true }),
    unmount: () => spawnSync('umount', ['-l', folder]),
  }
}
const disk = fault.endsWith('disk-full')
  ? mountDisk(join(work, fault === 'disk-full' ? 'one' : 'postgres'))
  : undefined

const usesServer = !['kill-embedded', 'disk-full', 'clock-jumps'].includes(fault)
const postgres = usesServer ? await startPostgres() : undefined

/** The clock of the service, by a library that reads its offset from a file. */
const clockFile = join(work, 'clock')
const setClock = (seconds) =>
  writeFileSync(clockFile, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`)
const clockEnvironment = () => {
  if (fault !== 'clock-jumps') return {}
  const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
  if (!existsSync(library)) throw new Error('clock-jumps needs the package faketime')
  setClock(0)
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}

/** The largest memory of each process of a service, in MB and in the order in which they ended. */
const peaks = []
const noteMemory = ({ child }) => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  peaks.push(Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024))
}

/** Starts a service as a separate process, always on the same port. */
const startService = async (name) => {
  const port = await freePort()
  const service = { url: `http://127.0.0.1:${port}`, child: undefined, starts: 0 }
  service.start = async () => {
    const args = ['serve', '--port', String(port), '--data', join(work, name)]
    const location = postgres === undefined ? [] : ['--database', postgres.url]
    service.child = spawn(process.execPath, [bin, ...args, ...location], {
      env: { ...process.env, STEPWELL_API_KEY: 'faults', ...clockEnvironment() },
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
    noteMemory(service)
    const gone = once(service.child, 'exit')
    service.child.kill('SIGKILL')
    await gone
  }
  await service.start()
  return service
}

const services = [await startService('one')]
if (fault === 'kill-service' || fault === 'racing') services.push(await startService('two'))

const acknowledged = new Set()
let sent = 0
let failed = 0
let isOver = false
const shuffled = (items) => items.toSorted(() => Math.random() - 0.5)
/** Returns the requests that send some steps: one, or the versions of each step, several times and in any order. */
const requestsOf = (steps) =>
  fault === 'racing'
    ? shuffled(
        [1, 2].flatMap(() => [
          shuffled(steps.map(({ output, ...begun }) => ({ ...begun, name: 'begun' }))),
          shuffled(steps.map(({ id, output }) => ({ id, output }))),
        ]),
      )
    : [steps]
const lane = async (number) => {
  const apis = services.map(
    ({ url }) => new StepwellClient({ apiKey: 'faults', apiUrl: url, timeoutMs: 15_000 }).api,
  )
  for (let batch = 0; !isOver; batch++) {
    const ids = Array.from({ length: BATCH }, (_, index) => `${number}-${batch}-${index}`)
    const steps = ids.map((id) => ({
      id,
      threadId: `thread-${number % 2}`,
      output: { content: 'x'.repeat(300) },
    }))
    sent += BATCH
    const accepted = new Set(ids)
    await Promise.all(
      requestsOf(steps).map(async (request, index) => {
        const { data } = await apis[(batch + index) % apis.length].sendSteps(request)
        for (const { id } of data.ingestSteps.refused) accepted.delete(id)
      }),
    ).catch(() => accepted.clear())
    for (const id of accepted) acknowledged.add(id)
    failed += BATCH - accepted.size
    if (accepted.size === 0) await sleep(50)
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
    case 'disk-full':
      disk.fill()
      await sleep(500)
      return disk.free()
    case 'server-disk-full':
      disk.fill()
      await sleep(500)
      disk.free()
      if (!postgres.isUp()) postgres.start()
      return
    case 'clock-jumps':
      return setClock(Math.round((Math.random() - 0.5) * 2 * 86_400))
    case 'racing':
      return
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
  // It must have recovered before the next fault: a request sent after the fault is acknowledged.
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
let halves = 0
for await (const step of api.getSteps.all({ first: 1000 })) {
  stored.set(step.id, (stored.get(step.id) ?? 0) + 1)
  const isWhole = step.output !== null && step.threadId !== null
  if (acknowledged.has(step.id) && !isWhole) halves++
}
const lost = [...acknowledged].filter((id) => !stored.has(id)).length
const twice = [...stored.values()].filter((count) => count > 1).length
console.log(
  `${fault}: ${times} faults, ${sent} steps sent, ${failed} refused or unanswered, ${acknowledged.size} acknowledged, ${lost} of them lost, ${twice} stored twice, ${halves} in part`,
)
for (const service of services) await service.kill()
console.log(
  `  memory of the service, most of a process: ${Math.max(...peaks)} MB, the last ones ${peaks.slice(-services.length).join(' and ')} MB; ${peaks.length} processes`,
)
try {
  postgres?.crash()
} finally {
  disk?.unmount()
  rmSync(work, { recursive: true, force: true })
}
process.exit(lost + twice + halves === 0 ? 0 : 1)
