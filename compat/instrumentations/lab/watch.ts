// Lets an application with an instrumentation play, scenario by scenario, and gathers the steps of each.
import { expect } from 'vitest'
import type { Step, StepwellClient } from '../../../src/index.js'
import type { Relay } from './exported.js'
import type { Model } from './model.js'
import { programOf } from './programs.js'
import { PLAYED } from './scenarios.js'
import type { Subject } from './subjects.js'
import type { Watched } from './watched.js'

export interface World {
  api: StepwellClient['api']
  model: Model
  relay: Relay
  apiKey: string
}

/** Returns what became of each scenario. */
export const watch = async (subject: Subject, world: World): Promise<Watched[]> => {
  const { api, apiKey, model, relay } = world
  // Nothing of the one before belongs to this one.
  await stepsOf(api, subject.name)
  relay.taken()
  model.counted()
  const program = programOf(subject, [model.url, relay.url, apiKey])
  const watched: Watched[] = []
  program.tell(subject.name)
  for (;;) {
    const line = await program.heard()
    if (line === undefined || line.startsWith('end ')) {
      expect(line, program.complaints()).toBe('end 0')
      break
    }
    const scenario = PLAYED.scenarios.find(({ name }) => name === line)
    // Libraries print of their own.
    if (scenario === undefined) continue
    const session = `${subject.name}: ${scenario.name}`
    watched.push({
      subject,
      scenario,
      session,
      ...(await stepsOf(api, session)),
      exported: relay.taken(),
      requests: model.counted().get(scenario.name) ?? 0,
    })
    program.tell('next')
  }
  expect(watched.map(({ scenario }) => scenario.name)).toEqual(
    PLAYED.scenarios.map(({ name }) => name),
  )
  return watched
}

const known = new Set<string>()

/** Returns the steps since it was last asked, of whatever thread, and the user of the session's. */
const stepsOf = async (api: World['api'], session: string) => {
  const steps: Step[] = []
  for (const step of (await api.getSteps({ first: 100 })).data as Step[]) {
    if (known.has(step.id ?? '')) continue
    known.add(step.id ?? '')
    steps.push(step)
  }
  return { steps, user: (await api.getThread(session))?.participant?.identifier }
}
