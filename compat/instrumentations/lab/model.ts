// Plays models: the APIs of OpenAI and Anthropic, plain and as streams, answered by the scenario whose prompt a request has.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import * as anthropic from './anthropic.js'
import * as chat from './chat.js'
import { PLAYED, type Scenario } from './scenarios.js'

/** An API that is played. */
interface Played {
  error: (message: string) => object
  answer: (asked: Asked, scenario: Scenario, isFirst: boolean) => object
  /** Returns the events of a stream; those of an endless scenario end after the first pieces of text. */
  events: (asked: Asked, scenario: Scenario, isFirst: boolean) => string[]
}

/** The members of a request that decide about the answer. */
export interface Asked {
  model: string
  stream?: boolean
  stream_options?: { include_usage?: boolean }
}

const APIS = new Map<string, Played>([
  ['/v1/chat/completions', chat],
  ['/v1/messages', anthropic],
])

export interface Model {
  url: string
  /** Returns how many requests have come for each scenario since it was last asked. */
  counted: () => Map<string, number>
  close: () => void
}

/** Time that an answer takes, so that the durations of calls can be told from 0. */
const ANSWER_MS = 5

export const playModel = async (): Promise<Model> => {
  let counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const api = APIS.get(request.url ?? '')
    const scenario = PLAYED.scenarios.find(({ prompt }) => text.includes(prompt))
    if (api === undefined || scenario === undefined) {
      response.writeHead(404).end()
      return
    }
    counts.set(scenario.name, (counts.get(scenario.name) ?? 0) + 1)
    await pause(ANSWER_MS)
    await respond(response, api, JSON.parse(text) as Asked, scenario, text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counted: () => {
      const all = counts
      counts = new Map()
      return all
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

const respond = async (
  response: ServerResponse,
  api: Played,
  asked: Asked,
  scenario: Scenario,
  text: string,
): Promise<void> => {
  const { error, calls = [] } = scenario
  const isFirst = !calls.some(({ result }) => text.includes(result))
  if (error !== undefined || asked.stream !== true) {
    const answer = error === undefined ? api.answer(asked, scenario, isFirst) : api.error(error)
    response.writeHead(error === undefined ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of api.events(asked, scenario, isFirst)) {
    response.write(event)
    await pause(1)
  }
  // The application is the one that ends it.
  if (!scenario.endless) response.end()
}
