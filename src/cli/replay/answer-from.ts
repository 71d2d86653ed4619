import { addressOf } from '../../model-calls/address.js'
import { headerOf, methodOf, urlOf } from '../../model-calls/body/request-body.js'
import { pathOf } from '../../model-calls/recognise.js'
import type { PlatformFetch } from '../../platform.js'
import { normalBy } from '../../testing/comparing/normal.js'
import { type RecordedNode, readFixture } from '../../testing/fixtures/read-fixture.js'
import type { Fork } from '../../testing/replaying/fork.js'
import { ModelAnswers } from '../../testing/replaying/model-answers.js'
import { Problems } from '../../testing/replaying/problem.js'
import type { Answering } from '../../testing/replaying/replay-client.js'
import { isTool, ToolAnswers } from '../../testing/replaying/tool-answers.js'
import { withModel } from './other-model.js'
import { CLIENT_HEADER, faultOfService } from './past-the-relay.js'
import { type Plan, type ReplayEvent, tell } from './plan.js'

/** A record that answers in a process of the application. */
export interface AnsweringRecord extends Answering {
  fetch: typeof globalThis.fetch
  /** True when it has calls of tools that answer. */
  readonly hasTools: boolean
  readonly plan: Plan
  /** True once requests are sent. */
  readonly isLive: boolean
  /** The addresses that requests are sent to by this record. */
  readonly sending: ReadonlySet<string>
  /** Notes a request that passed by the record. Returns the error to end it with. */
  refuse(message: string): Error
  /** Notes a request that was sent without the record. */
  noteLive(request: string): void
}

/** Answers the requests of this process from a plan, and sends those behind the fork. */
export const answerFrom = (plan: Plan, folder: string): AnsweringRecord => {
  const platformFetch = globalThis.fetch
  const { pid } = process
  const before = new Set(plan.before)
  const { all } = readFixture(plan.fixture)
  const normal = normalBy(plan.ignore === undefined ? [] : [new RegExp(plan.ignore)])
  const note = (event: ReplayEvent): void => tell(folder, event)
  const problems = new Problems((message) => note({ kind: 'problem', pid, message }))
  const sending = new Set<string>()
  /** From the first request behind the fork on, tools in front of it are not expected any more. */
  let areToolsOver = false
  const fork: Fork = {
    isBefore: (id) => before.has(id),
    hasOtherPrompt: plan.hasOtherPrompt,
    onAnswer: (step) => note({ kind: 'answered', pid, step }),
    async send(input, init) {
      if (!plan.isForked)
        throw problems.note(
          `${methodOf({ input, init: init as never })} ${pathOf(urlOf(input))} comes after the last recorded call: --from STEP lets what follows a step be sent`,
        )
      if (models.isPastFork) areToolsOver = true
      const changed = await withModel(input, init, plan.model)
      if (changed === undefined)
        throw problems.note(`--model: the request to ${pathOf(urlOf(input))} names no model`)
      const [to, given] = changed
      const url = urlOf(to)
      note({ kind: 'live', pid, request: pathOf(url) })
      // As undici names it.
      sending.add(new URL(url).href)
      return platformFetch(to as string, given)
    },
  }
  const models = new ModelAnswers(all, normal, problems, fork)
  const tools = new ToolAnswers(all, plan.live, normal, problems, fork)
  const fetch = ((input: unknown, init: RequestInit | undefined) => {
    const method = methodOf({ input, init: init as never })
    const url = urlOf(input)
    if (method === 'POST' && addressOf(url) !== undefined) return models.fetch(input, init)
    const fault = plan.isOffline
      ? `${method} ${pathOf(url)} is no call of a model: --offline sends nothing`
      : faultOfService(plan, url, headerOf({ input, init: init as never }, CLIENT_HEADER))
    if (fault !== undefined) return Promise.reject(problems.note(fault))
    return platformFetch(input as string, init)
  }) as PlatformFetch

  return {
    fetch,
    sending,
    hasTools: all.some((node) => isTool(node) && before.has(node.step.id)),
    plan,
    get isLive() {
      return plan.isForked && models.isPastFork
    },
    refuse: (message) => problems.note(message),
    noteLive: (request) => note({ kind: 'live', pid, request }),
    answers: (type, name, input) =>
      tools.answers(type, name) &&
      !areToolsOver &&
      !tools.isBehind(name, input) &&
      (tools.has(name) || !(plan.isForked && models.isPastFork)),
    take(name, input) {
      const taken = tools.take(name, input)
      const below = idsBelow(taken)
      models.drop(below)
      tools.drop(below)
      return taken
    },
  }
}

/** Returns the steps below a step, by their ids: nobody does them when the record answers in its place. */
export const idsBelow = ({ children }: RecordedNode): Set<string> => {
  const ids = new Set<string>()
  const open = [...children]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    ids.add(next.step.id)
    open.push(...next.children)
  }
  return ids
}
