import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'

const ROOT = '/usr/lib/postgresql'
const binaries = existsSync(ROOT)
  ? readdirSync(ROOT)
      .map((version) => join(ROOT, version, 'bin'))
      .filter((folder) => existsSync(join(folder, 'initdb')))
      .sort()
      .at(-1)
  : undefined

/** True where the programs of PostgreSQL are installed. */
export const hasPostgres = binaries !== undefined

/** PostgreSQL does not run as root. */
const run = (program: string, ...args: string[]): void => {
  const command = [join(binaries as string, program), ...args]
  const options = { cwd: '/', stdio: 'ignore' } as const
  if (process.getuid?.() !== 0) execFileSync(command[0] as string, command.slice(1), options)
  else
    execFileSync(
      'su',
      ['postgres', '-c', command.map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(' ')],
      options,
    )
}

/** A PostgreSQL server of a test's own, which it may stop. */
export class OwnPostgres {
  static async create(): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'stepwell-postgres-'))
    chmodSync(folder, 0o755)
    if (process.getuid?.() === 0) {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
      chownSync(folder, id('-u'), id('-g'))
    }
    const server = new OwnPostgres(folder, await freePort())
    run('initdb', '-D', join(folder, 'data'), '-U', 'stepwell', '--auth=trust', '-E', 'UTF8')
    server.start()
    return server
  }

  readonly #folder: string
  readonly #port: number

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  get url(): string {
    return `postgres://stepwell@127.0.0.1:${this.#port}/postgres`
  }

  start(): void {
    const options = `-p ${this.#port} -k ${this.#folder} -c listen_addresses=127.0.0.1 -c fsync=off`
    this.#control('start', '-o', options, '-l', join(this.#folder, 'log'))
  }

  /** Stops it as a crash does. */
  stop(): void {
    this.#control('stop', '-m', 'immediate')
  }

  remove(): void {
    if (existsSync(join(this.#folder, 'data', 'postmaster.pid'))) this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #control(verb: string, ...args: string[]): void {
    run('pg_ctl', verb, '-w', '-D', join(this.#folder, 'data'), ...args)
  }
}
