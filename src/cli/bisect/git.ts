import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { UsageError } from '../usage.js'
import { runCommand } from './run-command.js'
import { type Place, type Version, VersionError, type Versions } from './versions.js'

const PREFIX = 'stepwell-bisect-'
const SETUP_TIMEOUT_MS = 1_800_000
/** Commits that are listed at most. */
const MAX_BUFFER = 256 * 1024 * 1024
/** Variables by which a hook names its repository: they would lead each command to that one. */
const OF_HOOKS = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR']

const withoutHook = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OF_HOOKS.includes(name)))

const tryGit = (args: readonly string[], folder?: string) =>
  spawnSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: MAX_BUFFER,
    env: withoutHook(process.env),
  })

/** Returns the commit at which two parted; undefined when they have none in common. */
const mergeBaseOf = (one: string, other: string): string | undefined => {
  const { status, stdout } = tryGit(['merge-base', one, other])
  return status === 0 ? stdout.trim() : undefined
}

/** Runs git and returns its output. @throws UsageError with its own words when it fails. */
const git = (args: readonly string[], folder?: string): string => {
  const done = tryGit(args, folder)
  if (done.status === 0) return done.stdout.trim()
  throw new UsageError(
    `git ${args[0]}: ${done.error?.message ?? firstLine(done.stderr) ?? `exit code ${done.status}`}`,
  )
}

const firstLine = (text: string): string | undefined =>
  text.split('\n').find((line) => line.trim() !== '')

interface GitOptions {
  good: string
  bad: string
  /** A line for the shell, which builds a version. */
  setup: string | undefined
  signal: AbortSignal
  say: (line: string) => void
}

/**
 * Returns the commits between a good and a bad one, by first parents, each in a worktree of its own once it is opened: what is checked
 * out stays as it is.
 */
export const gitVersions = (options: GitOptions): Versions => {
  const { setup, signal, say } = options
  const root = git(['rev-parse', '--show-toplevel'])
  const inside = git(['rev-parse', '--show-prefix'])
  const [good, bad] = (['good', 'bad'] as const).map((name) =>
    commitOf(`--${name}`, options[name]),
  ) as [string, string]
  const list = commitsBetween(good, bad)
  sweep(root)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)))
  const made: string[] = []
  const opened = new Map<number, Promise<Place>>()
  // Git locks its own files: one worktree at a time.
  let last: Promise<unknown> = Promise.resolve()

  const make = async (index: number): Promise<Place> => {
    const { id, title } = list[index] as Version
    const tree = join(folder, id)
    signal.throwIfAborted()
    made.push(tree)
    // Without hooks, which are for people.
    await promisify(execFile)(
      'git',
      ['-c', `core.hooksPath=${join(folder, 'none')}`, 'worktree', 'add', '--detach', tree, id],
      { cwd: root, env: withoutHook(process.env), maxBuffer: MAX_BUFFER },
    ).catch((error: Error & { stderr?: string }) => {
      throw new VersionError(`git worktree: ${firstLine(error.stderr ?? '') ?? error.message}`)
    })
    const place = {
      folder: join(tree, inside),
      env: { ...withoutHook(process.env), STEPWELL_RELEASE: id },
    }
    if (setup === undefined) return place
    say(`preparing ${title}`)
    const running = { ...place, timeoutMs: SETUP_TIMEOUT_MS, isShell: true, signal }
    const { code, why, errors, output } = await runCommand([setup], running)
    if (code !== 0) {
      const told = (errors || output.trim()).split('\n').slice(-3).join('\n')
      throw new VersionError(`--setup failed: ${why}${told === '' ? '' : `\n${told}`}`)
    }
    return place
  }

  return {
    list,
    open(index) {
      const known = opened.get(index)
      if (known !== undefined) return known
      const place = last.then(() => make(index))
      last = place.catch(() => undefined)
      opened.set(index, place)
      return place
    },
    faultOf: () => undefined,
    adviceOn(index) {
      const parents = git(['rev-list', '--parents', '-1', list[index]?.id ?? ''])
        .split(' ')
        .slice(1)
      const [first = '', second] = parents
      if (second === undefined) return undefined
      const from = (mergeBaseOf(first, second) ?? first).slice(0, 12)
      return `It is a merge. To look inside: --good ${from} --bad ${second.slice(0, 12)}`
    },
    close() {
      for (const tree of made) removeTree(root, tree)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const commitOf = (option: string, given: string): string => {
  const wanted = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${given}^{commit}`]
  const done = tryGit(wanted)
  if (done.status === 0) return done.stdout.trim()
  throw new UsageError(`${option}: expected a commit, got ${JSON.stringify(given)}`)
}

const commitsBetween = (good: string, bad: string): Version[] => {
  if (good === bad) throw new UsageError('--bad: expected another commit than that of --good')
  const base = mergeBaseOf(good, bad)
  if (base !== good)
    throw new UsageError(
      `--good: expected a commit that --bad comes from${base === undefined ? '' : `, such as ${base.slice(0, 12)}, where both part`}`,
    )
  const format = '--format=%H %h %s'
  const one = git(['log', '-1', format, good])
  const others = git(['log', '--first-parent', '--reverse', format, `${good}..${bad}`])
  return [one, ...others.split('\n')].map((line) => {
    const [id = '', ...title] = line.split(' ')
    return { id, title: title.join(' ') }
  })
}

const removeTree = (root: string, tree: string): void => {
  // Twice `--force`: also a worktree that is locked, as it is while git makes it.
  const { status } = tryGit(['worktree', 'remove', '--force', '--force', tree], root)
  if (status === 0) return
  rmSync(tree, { recursive: true, force: true })
  tryGit(['worktree', 'prune'], root)
}

/** Removes the worktrees of a bisect of this machine that was killed. */
const sweep = (root: string): void => {
  const folders = new Set<string>()
  for (const line of git(['worktree', 'list', '--porcelain']).split('\n')) {
    const tree = /^worktree (.+)$/.exec(line)?.[1] ?? ''
    const folder = dirname(tree)
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(basename(folder)) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    if (dirname(folder) !== realpathSync(tmpdir())) continue
    removeTree(root, tree)
    folders.add(folder)
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
