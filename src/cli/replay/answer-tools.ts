import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { StepwellClient } from '../../client.js'
import { type Answering, insteadBy } from '../../testing/replaying/replay-client.js'

/** The part of the package that is needed, whichever copy and version the application has. */
interface Sdk {
  StepwellClient: typeof StepwellClient
}

/**
 * Lets a record answer in the place of tools, in every client that the application makes: it loads the package as the application
 * will, in both of its formats, and replaces the ways that run work.
 */
export const answerTools = async (answering: Answering): Promise<void> => {
  const instead = insteadBy(answering)
  const seen = new Set<object>()
  for (const { StepwellClient } of await copiesOf()) {
    const client = new StepwellClient({ disabled: true, onReport: () => undefined })
    // The class that all ways of a client are of; that of `stepwell/tracing` too.
    const tracer = ownerOf(client, 'traced')
    const recorder = ownerOf(client.recorder, 'run')
    if (tracer === undefined || recorder === undefined || seen.has(tracer)) continue
    seen.add(tracer)
    tracer.traced = function (this: StepwellClient, work: never, options = {}) {
      return instead.traced(this, work, options as never)
    }
    const { run } = recorder
    recorder.run = function (this: unknown, step: never, work: never, update: unknown) {
      return instead.run((...given) => run?.apply(this, given), step, work, update)
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: methods of whichever version of the package
type Methods = Record<string, ((...given: any[]) => unknown) | undefined>

/** Returns the prototype that a method is of. */
const ownerOf = (object: object, method: string): Methods | undefined => {
  for (let at: object | null = object; at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, method)) return at as Methods
  return undefined
}

/** Loads the package from the folder of the application, as CommonJS and as ES modules; nothing where it is not installed. */
const copiesOf = async (): Promise<Sdk[]> => {
  const fromHere = createRequire(join(process.cwd(), 'package.json'))
  try {
    const path = fromHere.resolve('stepwell')
    const module = path.replace(/([\\/]dist[\\/])cjs([\\/])/, '$1esm$2')
    const copies = [fromHere(path) as Sdk]
    if (module !== path) copies.push((await import(pathToFileURL(module).href)) as Sdk)
    return copies
  } catch {
    return []
  }
}
