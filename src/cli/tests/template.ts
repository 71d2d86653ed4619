import type { RunFixture } from '../../testing/index.js'
import type { ModuleExport } from './paths.js'

/** Returns the source of a test that replays all fixtures beside it. */
export const testFile = (
  fixtures: readonly RunFixture[],
  app: ModuleExport | undefined,
  client: ModuleExport | undefined,
): string =>
  `// Written by \`stepwell test from\`, and yours: change what it expects. It finds new fixtures itself.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ${client === undefined ? 'replayInMemory, ' : ''}type RunFixture } from 'stepwell/testing'
import 'stepwell/testing/vitest'
import { expect, test, vi } from 'vitest'
${app === undefined ? '' : importOf(app)}
const folder = join(import.meta.dirname, 'fixtures')
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as RunFixture)

// Answers models and tools from the record. Tools that are to work: { live: ['name'] }.
${client === undefined ? IN_PLACE : replacing(client)}

for (const fixture of fixtures)
  test(\`\${fixture.name} (\${fixture.stepId ?? fixture.threadId})\`, async () => {
    vi.stubGlobal('fetch', fetch) // so that no socket is opened
${app === undefined ? AGAIN : callOf(client)}
    expect(steps).toBeSameRun(fixture, {
      order: true,
      arguments: 'exact', // or 'structure', or false
      outputs: 'structure', // or 'exact', or false
      cost: 0, // the share by which tokens and told costs may differ, or false
${app === undefined ? ALL_SCORES : OWN_SCORES}
      ignore: [], // parts of texts that may differ, such as /\\d{4}-\\d\\d-\\d\\d/
${app !== undefined && fixtures.some(hasMessagesOutside) ? LEAVE_OUT : ''}    })
  })
`

const IN_PLACE = `const { fetch, replay, steps } = replayInMemory()`

const replacing = ({ path, name }: ModuleExport): string =>
  `const { fetch, replay, steps, stepwell } = await vi.hoisted(async () =>
  (await import('stepwell/testing')).replayInMemory(),
)
vi.mock('${quoted(path)}', () => ({ ${name === 'default' ? 'default: stepwell' : name === 'stepwell' ? name : `${name}: stepwell`} }))`

const AGAIN = `    // Does the record once more. To test your application, put it in its place: it gets each recorded input, and the client.
    //   await replay(fixture, (input, stepwell) => run(input, stepwell))
    await replay(fixture)`

const callOf = (client: ModuleExport | undefined): string =>
  client === undefined
    ? '    await replay(fixture, (input, stepwell) => run(input as never, stepwell))'
    : '    await replay(fixture, (input) => run(input as never))'

const ALL_SCORES = `      scores: true, // or those of some types: ['CODE']`
const OWN_SCORES = `      scores: ['CODE'], // those that the application gives; people and judges come later`
const LEAVE_OUT = `      // The messages around the runs are not the application's.
      leaveOut: ['user_message', 'assistant_message', 'system_message'],
`

const importOf = ({ path, name }: ModuleExport): string => {
  const imported = name === 'default' ? 'run' : name === 'run' ? '{ run }' : `{ ${name} as run }`
  return `import ${imported} from '${quoted(path)}'\n`
}

/** Returns a path as it stands between single quotes. */
const quoted = (path: string): string => path.replace(/['\\]/g, '\\$&')

/** Returns true for a thread with runs, and messages beside them. */
const hasMessagesOutside = ({ steps }: RunFixture): boolean => {
  const roots = steps.filter(({ depth }) => depth === 0)
  const isMessage = (type: string) => type.endsWith('_message')
  return (
    roots.some(({ type }) => isMessage(type)) &&
    roots.some(({ type, input }) => !isMessage(type) && input !== undefined)
  )
}
