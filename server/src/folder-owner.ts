import { randomUUID } from 'node:crypto'
import { open, readFile, readlink, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'

/** A process that has a data folder, with what another one needs to see if it still runs. */
export interface Owner {
  pid: number
  host: string
  /** Start time by the system, as process ids are reused. Empty if the system does not tell it. */
  started: string
  /** Identity of the running kernel, which containers share. Empty if the system does not tell it. */
  kernel: string
  /** Namespace of the process id, for example a container. */
  pids: string
  /** Name of the socket in the folder that it listens on. */
  socket?: string
}

/** Time without a sign after which an owner that cannot be checked is considered dead. */
const SILENCE_MS = 60_000
const CONNECT_MS = 5000
/** Addresses of sockets are short. */
const MAX_ADDRESS_BYTES = 100

export const ownOwner = async (): Promise<Owner> => ({
  pid: process.pid,
  host: hostname(),
  started: (await startOf(process.pid)) ?? '',
  kernel: await quietly(readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
  pids: await quietly(readlink('/proc/self/ns/pid')),
})

/**
 * Describes an owner that still runs; returns undefined when it does not.
 *
 * @param owner - Undefined while its lock is being written.
 * @param silentMs - Time since it last touched its lock.
 */
export const isAlive = async (
  folder: string,
  owner: Owner | undefined,
  silentMs: number,
): Promise<string | undefined> => {
  const silent = silentMs >= SILENCE_MS
  if (owner === undefined) return silent ? undefined : 'a process that has just started'
  const { pid, host, kernel, pids, socket } = owner
  const own = await ownOwner()
  const unasked = (where: string) =>
    silent
      ? undefined
      : `process ${pid} ${where}, which was alive ${Math.max(0, Math.round(silentMs / 1000))} s ago; after ${SILENCE_MS / 1000} s of silence it counts as dead`
  // On another machine. On a system without a kernel id, the host's name identifies the machine.
  if (kernel !== own.kernel || (kernel === '' && host !== own.host)) return unasked(`on ${host}`)
  const isHere = pids === own.pids
  const where = isHere ? `process ${pid}` : `process ${pid} of another container (${host})`
  if (socket !== undefined) {
    const answer = await listens(join(folder, socket))
    if (answer !== undefined) return answer ? where : undefined
  }
  if (!isHere) return unasked(`of another container (${host})`)
  return (await isRunning(owner)) ? where : undefined
}

const isRunning = async ({ pid, started }: Owner): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // It runs as another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const start = await startOf(pid)
  return start !== 'dead' && (!started || start === undefined || start === started)
}

/**
 * Returns the system's start time of a process, `dead` for one that has ended but is still listed; undefined without
 * /proc.
 */
const startOf = async (pid: number): Promise<string | undefined> => {
  const stat = await quietly(readFile(`/proc/${pid}/stat`, 'utf8'))
  if (stat === '') return undefined
  // The name, in brackets, may contain anything, brackets and spaces included.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? 'dead' : fields[19]
}

const quietly = (read: Promise<string>): Promise<string> =>
  read.then(
    (text) => text.trim(),
    () => '',
  )

/**
 * A socket in the folder, which the system closes when its process ends, however it ends. It can be reached from every
 * container of the machine that mounts the folder.
 */
export class Presence {
  /** Returns undefined if the file system, or the operating system, has no such sockets. */
  static async show(folder: string): Promise<Presence | undefined> {
    if (process.platform === 'win32') return undefined
    const name = `.owner-${randomUUID()}`
    const server = createServer((socket) => socket.destroy())
    server.unref()
    try {
      await atAddress(
        join(folder, name),
        (address) =>
          new Promise<void>((done, failed) => {
            server.once('error', failed)
            server.listen(address, () => done())
          }),
      )
      server.on('error', () => undefined)
      return new Presence(name, folder, server)
    } catch {
      return undefined
    }
  }

  readonly name: string
  readonly #folder: string
  readonly #server: Server

  private constructor(name: string, folder: string, server: Server) {
    this.name = name
    this.#folder = folder
    this.#server = server
  }

  async hide(): Promise<void> {
    await new Promise((done) => this.#server.close(done))
    await rm(join(this.#folder, this.name), { force: true })
  }
}

/** Returns true when a process listens on a socket; undefined when that cannot be determined. */
const listens = (path: string): Promise<boolean | undefined> =>
  atAddress(
    path,
    (address) =>
      new Promise<boolean | undefined>((answer) => {
        const socket = connect(address)
        const settle = (isListening: boolean | undefined) => {
          socket.destroy()
          answer(isListening)
        }
        socket.setTimeout(CONNECT_MS, () => settle(true))
        socket.once('connect', () => settle(true))
        socket.on('error', ({ code }: NodeJS.ErrnoException) =>
          settle(code === 'ECONNREFUSED' ? false : code === 'ENOENT' ? undefined : true),
        )
      }),
  ).catch(() => undefined)

/**
 * Uses a path as the address of a socket. A long path is replaced by one through the folder's open file, if the system
 * allows it.
 */
const atAddress = async <Result>(
  path: string,
  use: (address: string) => Promise<Result>,
): Promise<Result> => {
  const full = resolve(path)
  if (Buffer.byteLength(full) <= MAX_ADDRESS_BYTES) return use(full)
  const folder = await open(join(full, '..'))
  try {
    return await use(`/proc/self/fd/${folder.fd}/${full.slice(full.lastIndexOf('/') + 1)}`)
  } finally {
    await folder.close()
  }
}
