import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { BisectReport } from '../../src/cli/bisect/report.js'
import { StepwellClient } from '../../src/index.js'

// `stepwell bisect` of the build, on real repositories of git and beside the real service.
const root = join(import.meta.dirname, '../..')
const folder = join(root, 'test/.bisected')
const temporary = join(folder, 'tmp')
const repository = join(folder, 'repository')
const ITEMS = 16

let service: Service
let listening: Listening
let env: NodeJS.ProcessEnv

const git = (...args: string[]): string => {
  const done = spawnSync('git', args, { cwd: repository, encoding: 'utf8', env })
  expect(done.stderr + done.status).toMatch(/0$/)
  return done.stdout.trim()
}

/** Commits a change of the application. Returns the commit. */
const commit = (subject: string, files: Record<string, string> = {}): string => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(repository, name, '..'), { recursive: true })
    writeFileSync(join(repository, name), content)
  }
  appendFileSync(join(repository, 'log'), `${subject}\n`)
  git('add', '-A')
  git('commit', '-q', '-m', subject)
  return git('rev-parse', 'HEAD')
}

/** The application: it answers every item, or with `fails` each third one alone. */
const RUN = `item=$(cat)
n=$(echo "$item" | sed 's/.*"n":\\([0-9]*\\).*/\\1/')
score=1
[ "$(cat quality)" = bad ] && [ $((n % 3)) != 0 ] && score=0
echo 'a line of a log'
echo "{\\"scores\\":{\\"correct\\":$score}}"
`
const COMMAND = ['sh', 'run.sh']
let commits: string[] = []
const at = (index: number): string => commits[index] ?? ''
/** The commit that breaks the application. */
const CULPRIT = 7

interface Ended {
  status: number | null
  stdout: string
  stderr: string
  report: BisectReport
}

const start = (args: string[], cwd = repository) =>
  spawn(process.execPath, [join(root, 'bin/stepwell.js'), 'bisect', ...args], { cwd, env })

const endOf = async (child: ReturnType<typeof start>): Promise<Ended> => {
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (part) => {
    stdout += part
  })
  child.stderr.on('data', (part) => {
    stderr += part
  })
  const [status] = (await once(child, 'close')) as [number | null]
  const report = (stdout.startsWith('{') ? JSON.parse(stdout) : undefined) as BisectReport
  return { status, stdout, stderr, report }
}

const bisect = (options: string[], command = COMMAND, cwd?: string): Promise<Ended> => {
  const ends = options.includes('--good') ? [] : ['--good', at(0), '--bad', 'main']
  const data = ['--dataset', 'questions', '--metric', 'correct', '--json', '--quiet']
  return endOf(start([...ends, ...data, ...options, '--', ...command], cwd))
}

/** Everything that a bisect could leave. */
const left = () => ({
  worktrees: git('worktree', 'list').split('\n').length - 1,
  folders: readdirSync(temporary),
  branches: git('branch', '--list').split('\n').length,
})
const NOTHING = { worktrees: 0, folders: [], branches: 1 }

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(temporary, { recursive: true })
  mkdirSync(repository)
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
  const { apiKey } = await service.createProject('bisects')
  env = {
    ...process.env,
    NODE_OPTIONS: '',
    STEPWELL_API_URL: listening.url,
    STEPWELL_API_KEY: apiKey,
    TMPDIR: temporary,
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' },
    ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' },
  }
  const stepwell = new StepwellClient({ apiKey, apiUrl: listening.url, disabled: true })
  const { id } = await stepwell.api.createDataset({ name: 'questions' })
  for (let n = 0; n < ITEMS; n++)
    await stepwell.api.createDatasetItem(id, { input: { n }, expectedOutput: { n } })
  for (let version = 0; version < 8; version++)
    await stepwell.api.getOrCreatePrompt('asking', [
      { role: 'system', content: version < 5 ? `Be right, ${version}.` : `Be brief, ${version}.` },
    ])
  git('init', '-q', '-b', 'main')
  commits = Array.from({ length: 12 }, (_, index) =>
    commit(`change ${index}`, {
      'run.sh': RUN,
      quality: index < CULPRIT ? 'good' : 'bad',
      number: String(index),
    }),
  )
})
beforeEach(() => {
  git('checkout', '-q', '-f', 'main')
})
afterAll(async () => {
  await listening?.stop()
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('names the commit that broke a score, and leaves a changed checkout as it is', async () => {
  writeFileSync(join(repository, 'quality'), 'neither')
  writeFileSync(join(repository, 'untracked'), 'mine')
  const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), left()]
  const { status, stderr, report } = await bisect([])
  expect(stderr).toBe('')
  expect(report).toMatchObject({
    verdict: 'found',
    version: at(CULPRIT),
    remaining: [at(CULPRIT)],
    good: { version: at(0), mean: 1 },
    skipped: [],
    errors: {},
    retried: 0,
  })
  expect(report.difference).toBeLessThan(-0.5)
  expect(status).toBe(0)
  expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), left()]).toEqual(before)
  expect(readFileSync(join(repository, 'quality'), 'utf8')).toBe('neither')
  rmSync(join(repository, 'untracked'))
})

test('prints it for people, and the progress beside it', async () => {
  const child = start([
    ...['--good', 'main~11', '--bad', 'main', '--dataset', 'questions', '--metric', 'correct'],
    ...['--', ...COMMAND],
  ])
  const { status, stdout, stderr } = await endOf(child)
  expect(stdout).toContain(`correct changes with ${at(CULPRIT).slice(0, 7)}`)
  expect(stdout).toContain('change 7 (−0.')
  expect(stdout).toMatch(/^\d+ runs, \d+ % of those that each version with all 16 items takes$/m)
  expect(stderr).toContain('bisect: 11 versions after')
  expect(status).toBe(0)
})

test('a commit that can’t be tested is skipped; next to the change, both remain', async () => {
  const skipping = (index: number) => [
    'sh',
    '-c',
    `[ "$(cat number)" = ${index} ] && echo 'no such model' >&2 && exit 125; . ./run.sh`,
  ]
  const beside = await bisect([], skipping(5))
  expect(beside.report).toMatchObject({ verdict: 'found', version: at(CULPRIT) })
  expect(beside.report.skipped).toEqual([{ version: at(5), why: 'exit code 125\nno such model' }])
  const itself = await bisect([], skipping(CULPRIT))
  expect(itself.report).toMatchObject({
    verdict: 'cannot tell',
    version: null,
    remaining: [at(CULPRIT), at(CULPRIT + 1)],
  })
  expect(itself.status).toBe(2)
  const end = await bisect([], skipping(0))
  expect(end.stderr).toContain('--good: ')
  expect(end.stderr).toContain("can't be tested: exit code 125\nno such model")
  expect(end.status).toBe(3)
  expect(left()).toEqual(NOTHING)
})

test('a commit is prepared before its first item, and skipped when that fails', async () => {
  const setup = (broken: number) => [
    '--setup',
    `[ "$(cat number)" != ${broken} ] || { echo 'does not build' >&2; exit 1; }; cp run.sh built.sh`,
  ]
  const { report } = await bisect(setup(6), ['sh', 'built.sh'])
  expect(report).toMatchObject({
    verdict: 'cannot tell',
    remaining: [at(6), at(7)],
    skipped: [{ version: at(6), why: '--setup failed: exit code 1\ndoes not build' }],
  })
  const end = await bisect(setup(11), ['sh', 'built.sh'])
  expect(end.stderr).toContain('--bad: ')
  expect(end.stderr).toContain('does not build')
  expect(end.status).toBe(3)
  expect(left()).toEqual(NOTHING)
})

test('a command that fails ends the search, unless its items are given a score', async () => {
  const failing = [
    'sh',
    '-c',
    `cat >/dev/null; [ $(cat quality) = good ] || { echo 'out of tokens' >&2; exit 4; }; echo 1`,
  ]
  const { status, stderr, stdout } = await bisect(['--retries', '0'], failing)
  expect(stderr).toMatch(/the command failed at \w+ change 11, with the item \S+: exit code 4\nout/)
  expect(stderr).toContain('--error-score')
  expect(stdout).toBe('')
  expect(status).toBe(3)
  const scored = await bisect(['--retries', '0', '--error-score', '0'], failing)
  expect(scored.report).toMatchObject({ verdict: 'found', version: at(CULPRIT) })
  expect(scored.report.errors[at(11)]).toBeGreaterThan(5)
  expect(scored.report.errors[at(0)]).toBeUndefined()
  expect(left()).toEqual(NOTHING)
})

test('a run that fails once is repeated, and told', async () => {
  const flaky = [
    'sh',
    '-c',
    `item=$(cat); mark="$TMPDIR/../flaky-$(cat number)-$(echo "$item" | cksum | tr ' ' -)"
[ -e "$mark" ] || { : >"$mark"; exit 1; }; echo "$item" | sh run.sh`,
  ]
  const { report } = await bisect(['--concurrency', '32'], flaky)
  expect(report).toMatchObject({ verdict: 'found', version: at(CULPRIT), errors: {} })
  expect(report.retried).toBe(report.runs)
})

test.each([
  ['nothing', 'true', 'expected {"scores":{"correct":…}} or a number in its output, got nothing'],
  ['broken JSON', `echo '{"scores":{"correct":'`, 'or a number in its output, got "{\\"scores'],
  ['another score', `echo '{"scores":{"other":1}}'`, 'expected {"scores":{"correct":'],
  ['a score that is none', `echo '{"scores":{"correct":"high"}}'`, 'the scorer has no categories'],
  ['a number that is not finite', 'echo 1e999', 'expected a finite number'],
  ['too much', 'yes | head -c 20000000', 'it printed more than 16777216 characters'],
  ['no end', 'sleep 1000', 'it took more than 1 seconds'],
])('a command that prints %s is ended and named', async (_, line, expected) => {
  const options = ['--retries', '0', '--timeout', line.startsWith('sleep') ? '1' : '60']
  const { status, stderr } = await bisect(options, ['sh', '-c', line])
  expect(stderr.replaceAll(': …', ':…')).toContain(expected)
  expect(status).toBe(3)
  expect(left()).toEqual(NOTHING)
})

test('a process that a command leaves behind neither holds the search up nor stays', async () => {
  const pids = join(folder, 'pids')
  const leaving = ['sh', '-c', `sleep 1000 & echo $! >>${pids}; . ./run.sh`]
  const { report } = await bisect(['--concurrency', '32'], leaving)
  expect(report).toMatchObject({ verdict: 'found', version: at(CULPRIT) })
  const started = readFileSync(pids, 'utf8').trim().split('\n')
  expect(started.length).toBeGreaterThanOrEqual(report.runs)
  expect(started.filter((pid) => isAlive(Number(pid)))).toEqual([])
})

/** Returns true for a process that runs: not for one that has ended and is still listed. */
const isAlive = (pid: number): boolean => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

/** Waits until a search has a worktree and its command runs. */
const running = async (marker: string): Promise<void> => {
  await expect.poll(() => existsSync(marker), { timeout: 60_000 }).toBe(true)
}

test('Ctrl-C ends the command and leaves no worktree; what a kill leaves, the next search removes', async () => {
  const marker = join(folder, 'begun')
  const hanging = ['sh', '-c', `echo $$ >>${marker}; sleep 1000`]
  const args = ['--good', at(0), '--bad', 'main', '--dataset', 'questions', '--metric', 'correct']
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    rmSync(marker, { force: true })
    const child = start([...args, '--', ...hanging])
    const ended = endOf(child)
    await running(marker)
    expect(left().worktrees).toBeGreaterThan(0)
    child.kill(signal)
    const { status, stderr, stdout } = await ended
    expect(status).toBe(signal === 'SIGINT' ? 130 : 143)
    expect(stderr).toContain(`stepwell: stopped by ${signal}`)
    expect(stdout).toBe('')
    expect(left()).toEqual(NOTHING)
    const pids = readFileSync(marker, 'utf8').trim().split('\n').map(Number)
    await expect.poll(() => pids.some(isAlive)).toBe(false)
  }
  rmSync(marker, { force: true })
  const killed = start([...args, '--', ...hanging])
  const end = endOf(killed)
  await running(marker)
  killed.kill('SIGKILL')
  await end.catch(() => undefined)
  expect(left().worktrees).toBeGreaterThan(0)
  for (const pid of readFileSync(marker, 'utf8').trim().split('\n').map(Number)) {
    expect(pid).toBeGreaterThan(1)
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  expect((await bisect([])).report.verdict).toBe('found')
  expect(left()).toEqual(NOTHING)
})

test('a change that came by a merge is named by the merge, and by where to look further', async () => {
  git('checkout', '-q', '-b', 'topic', at(2))
  const topic = [commit('on topic'), commit('breaks it', { quality: 'bad' })]
  git('checkout', '-q', '-b', 'trunk', at(5))
  git('merge', '-q', '--no-ff', '-m', 'merge topic', '-X', 'theirs', 'topic')
  const merge = git('rev-parse', 'HEAD')
  for (const index of [1, 2, 3]) commit(`after it ${index}`)
  const trunk = ['--good', at(0), '--bad', 'trunk']
  const found = await bisect(trunk)
  expect(found.report).toMatchObject({ verdict: 'found', version: merge })
  const inside = await bisect(['--good', at(2), '--bad', topic[1] as string])
  expect(inside.report).toMatchObject({ verdict: 'found', version: topic[1] })
  const { stdout } = await endOf(
    start([...trunk, '--dataset', 'questions', '--metric', 'correct', '--quiet', '--', ...COMMAND]),
  )
  expect(stdout).toContain(
    `It is a merge. To look inside: --good ${at(2).slice(0, 12)} --bad ${topic[1]?.slice(0, 12)}`,
  )
  const apart = await bisect(['--good', topic[0] as string, '--bad', at(5)])
  expect(apart.stderr).toContain(
    `--good: expected a commit that --bad comes from, such as ${at(2).slice(0, 12)}, where both part`,
  )
  expect(apart.status).toBe(3)
  git('checkout', '-q', 'main')
  git('branch', '-q', '-D', 'topic', 'trunk')
  expect(left()).toEqual(NOTHING)
})

test('the command runs where it is called from, in its own repository even below a hook', async () => {
  git('checkout', '-q', '-b', 'nested', at(0))
  commit('a folder', { 'deep/run.sh': RUN, 'deep/quality': 'good' })
  const last = commit('breaks the folder', { 'deep/quality': 'bad' })
  const hook = { ...env, GIT_DIR: join(repository, '.git'), GIT_INDEX_FILE: 'nowhere' }
  const plain = env
  env = hook
  const command = [
    'sh',
    '-c',
    '[ "$(git rev-parse HEAD)" = $STEPWELL_RELEASE ] || exit 9; . ./run.sh',
  ]
  const { stderr, report } = await bisect(
    ['--good', `${last}~1`, '--bad', last],
    command,
    join(repository, 'deep'),
  ).finally(() => {
    env = plain
  })
  expect(stderr).toBe('')
  expect(report).toMatchObject({ verdict: 'found', version: last })
  git('checkout', '-q', 'main')
  git('branch', '-q', '-D', 'nested')
})

test('says so when the ends do not differ, or not enough for these items', async () => {
  const same = await bisect(['--good', at(0), '--bad', at(3)])
  expect(same.report).toMatchObject({ verdict: 'no difference', version: null, remaining: [] })
  expect(same.status).toBe(2)
  const few = await bisect(['--max-runs', '40'])
  expect(few.report).toMatchObject({ verdict: 'cannot tell', version: null })
  expect(few.report.remaining).toContain(at(CULPRIT))
  expect(few.status).toBe(2)
})

test('goes on with the scores of a state, and with no other search’s', async () => {
  const state = join(folder, 'state.jsonl')
  const first = await bisect(['--state', state, '--max-runs', '40'])
  expect(first.report.verdict).toBe('cannot tell')
  // As a kill in the middle of a line leaves it.
  appendFileSync(state, '{"version":"')
  const second = await bisect(['--state', state])
  expect(second.report).toMatchObject({ verdict: 'found', version: at(CULPRIT) })
  expect(second.report.read).toBe(first.report.runs)
  const again = await bisect(['--state', state], ['sh', 'run.sh'])
  expect(again.report).toEqual({ ...second.report, read: second.report.runs })
  const other = await bisect(['--state', state], ['sh', './run.sh'])
  expect(other.stderr).toContain('--state: expected a new file')
  expect(other.status).toBe(3)
})

test('a scorer of the working copy scores the outputs of all versions', async () => {
  const scorer = join(folder, 'scorer.mjs')
  writeFileSync(
    scorer,
    `export default function right({ output, expected, input }) {
  return output.answer === expected.n && input.n === expected.n
}`,
  )
  const command = [
    'sh',
    '-c',
    `item=$(cat); n=$(echo "$item" | sed 's/.*"n":\\([0-9]*\\).*/\\1/')
[ $(cat quality) = bad ] && n=-1; echo "{\\"answer\\":$n}"`,
  ]
  const options = ['--good', at(0), '--bad', 'main', '--dataset', 'questions', '--json', '--quiet']
  const found = await endOf(
    start([...options, '--metric', 'right', '--scorer', scorer, '--', ...command]),
  )
  expect(found.stderr).toBe('')
  expect(found.report).toMatchObject({ verdict: 'found', version: at(CULPRIT), difference: -1 })
})

test('finds the version of a prompt, without moving a label', async () => {
  const program = join(folder, 'asks.mjs')
  writeFileSync(
    program,
    `import { StepwellClient } from 'stepwell'
const stepwell = new StepwellClient({ disabled: true })
const prompt = await stepwell.api.getPrompt('asking')
console.log(/right/.test(prompt.templateMessages[0].content) ? 1 : 0)
`,
  )
  const stepwell = new StepwellClient({
    apiKey: env.STEPWELL_API_KEY ?? '',
    apiUrl: listening.url,
    disabled: true,
  })
  const versions = await Promise.all(
    Array.from({ length: 8 }, (_, version) => stepwell.api.getPrompt('asking', version)),
  )
  const contents = versions.map((one) => String(one?.templateMessages[0]?.content))
  const culprit = contents.findIndex((content) => content.startsWith('Be brief'))
  const prompt = ['--prompt', 'asking', '--good', '0', '--bad', '7', '--concurrency', '2']
  const { stderr, report, status } = await bisect(prompt, [process.execPath, program], folder)
  expect(stderr).toBe('')
  expect(report).toMatchObject({ verdict: 'found', version: `asking@${culprit}` })
  expect(status).toBe(0)
  const deaf = await bisect(prompt, ['sh', '-c', 'echo 1'], folder)
  expect(deaf.stderr).toContain('the command did not ask for the prompt asking')
  expect(deaf.status).toBe(3)
  const absent = await bisect(['--prompt', 'asking', '--good', '0', '--bad', '99'], ['true'])
  expect(absent.stderr).toContain('--bad: there is no version 99 of "asking"')
})

test.each([
  [['--bad', 'main'], '--good: expected a value'],
  [['--good', 'nowhere', '--bad', 'main'], '--good: expected a commit, got "nowhere"'],
  [['--good', '--help', '--bad', 'main'], 'good'],
  [['--good', 'main', '--bad', 'main'], '--bad: expected another commit than that of --good'],
  [['--good', 'main~1', '--bad', 'main', '--repetitions', '0'], '--repetitions: expected a whole'],
  [['--good', 'main~1', '--bad', 'main', '--seeds', '0'], "'--seeds' (did you mean --seed?)"],
  [['--good', '3', '--bad', '2', '--prompt', 'asking'], '--bad: expected a version above 3'],
])('names the option that is wrong: %j', async (options, expected) => {
  const data = ['--dataset', 'questions', '--metric', 'correct']
  const { status, stderr } = await endOf(start([...options, ...data, '--', ...COMMAND]))
  expect(stderr).toContain(expected)
  expect(status).toBe(3)
  expect(left()).toEqual(NOTHING)
})
