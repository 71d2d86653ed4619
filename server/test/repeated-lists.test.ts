// A short document that has a long list in its answer many times.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { createService, type Service } from '../src/index.js'

let service: Service
let apiKey: string
beforeAll(async () => {
  service = await createService({})
  apiKey = (await service.createProject('repeated')).apiKey
  const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
  for (let from = 0; from < STEPS; from += 1000)
    await api.sendSteps(
      Array.from({ length: 1000 }, (_, index) => ({ id: `s${from + index}`, threadId: 't' })),
    )
})
afterAll(() => service.close())

const STEPS = 2000
const FIELDS = 'id threadId ...Rest'
const REST =
  'fragment Rest on Step { name type startTime endTime createdAt environment tags error }'

const ask = async (count: number) => {
  const named = Array.from(
    { length: count },
    (_, index) => `a${index}: threadDetail(id: "t") { steps { ${FIELDS} } }`,
  )
  const response = await service.fetch('http://x/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ query: `{ ${named.join(' ')} } ${REST}` }),
  })
  return (await response.json()) as {
    data: Record<string, { steps: unknown[] | null } | null>
    errors?: { message: string; extensions: { code: string } }[]
  }
}

/** Returns the names under which the answer has the list. */
const answered = ({ data }: Awaited<ReturnType<typeof ask>>) =>
  Object.keys(data).filter((name) => data[name]?.steps?.length === STEPS)

test('a list may be asked for by several names', async () => {
  const answer = await ask(10)
  expect(answer.errors).toBeUndefined()
  expect(answered(answer)).toHaveLength(10)
})

test('values that lists have once more are counted, so that a short document gets no answer of any length', async () => {
  const answer = await ask(60)
  // 20,000 values each; the first one is not repeated.
  expect(answered(answer)).toHaveLength(26)
  expect(answer.errors).toHaveLength(60 - 26)
  for (const { message, extensions } of answer.errors ?? []) {
    expect(extensions.code).toBe('TOO_LARGE')
    expect(message).toMatch(/^steps: the document asks for the same rows several times/)
  }
})
