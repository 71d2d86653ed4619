import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anthropic } from '../src/model-calls/apis/anthropic.js'
import type { Answer, Answered, Api } from '../src/model-calls/apis/api.js'
import { cohereChat } from '../src/model-calls/apis/cohere.js'
import { gemini } from '../src/model-calls/apis/gemini.js'
import { ollamaChat, ollamaGenerate } from '../src/model-calls/apis/ollama.js'
import { openAIChat } from '../src/model-calls/apis/openai-chat.js'
import { openAICompletion } from '../src/model-calls/apis/openai-completion.js'
import { openAIResponses } from '../src/model-calls/apis/openai-responses.js'
import { Alike } from '../src/model-calls/body/alike.js'
import { eventReader, lineReader, type MakeReader } from '../src/model-calls/body/events.js'
import { anyEvents, type Shape } from './support/any-events.js'
import { runs } from './support/runs.js'

const APIS: readonly [shape: Shape, api: Api, make: MakeReader][] = [
  ['openai.chat', openAIChat, eventReader],
  ['openai.completion', openAICompletion, eventReader],
  ['openai.responses', openAIResponses, eventReader],
  ['anthropic.messages', anthropic, eventReader],
  ['gemini.generate', gemini, eventReader],
  ['cohere.chat', cohereChat, eventReader],
  ['ollama.chat', ollamaChat, lineReader],
  ['ollama.generate', ollamaGenerate, lineReader],
]

/** Times that cases are tried again until enough events were joined. */
const MAX_MORE = 20

interface Seen {
  answered: Answered
  hasContent: boolean
  isOver: boolean
}
const seen = (answer: Answer): Seen => ({
  answered: structuredClone(answer.read()),
  hasContent: answer.hasContent,
  isOver: answer.isOver,
})

/** Cuts a text at places that are shares of its length. */
const cut = (text: string, shares: readonly number[]): string[] => {
  const places = shares.map((share) => Math.floor(share * text.length)).sort((a, b) => a - b)
  return [0, ...places].map((place, at) => text.slice(place, places[at] ?? text.length))
}

for (const [shape, api, make] of APIS)
  test(`${shape}: events that are joined say the same as each of them alone, at any time`, () => {
    let parsedAll = 0
    let parsedJoined = 0
    const tryCases = () =>
      fc.assert(
        fc.property(
          anyEvents(shape),
          fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
          fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }),
          (text, shares, reads) => {
            const alone = api.answer()
            const joined = api.answer()
            const plain = make(
              (event) => {
                parsedAll++
                alone.event(event)
              },
              () => {
                alone.isOver = true
              },
            )
            const alike = new Alike({
              make,
              gap: make === eventReader ? '\n\n' : '\n',
              onEvent: (event) => {
                parsedJoined++
                joined.event(event)
              },
              onDone: () => {
                joined.isOver = true
              },
              joinedOf: api.joinedOf,
            })
            for (const [at, piece] of cut(text, shares).entries()) {
              plain.push(piece)
              alike.push(piece)
              expect([joined.hasContent, joined.isOver]).toEqual([alone.hasContent, alone.isOver])
              if (reads[at]) {
                alike.flush()
                expect(seen(joined)).toEqual(seen(alone))
              }
            }
            plain.end()
            alike.end()
            expect(seen(joined)).toEqual(seen(alone))
          },
        ),
        { numRuns: runs(1000) },
      )
    tryCases()
    if (api.joinedOf === undefined) return
    // Otherwise the property would say nothing. Events of some shapes are seldom alike.
    for (let more = 0; more < MAX_MORE && parsedAll - parsedJoined <= runs(50); more++) tryCases()
    expect(parsedAll - parsedJoined).toBeGreaterThan(runs(50))
  })
