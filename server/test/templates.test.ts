import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { samePrompt } from '../src/domain/prompts/templates.js'
import { type Ask, asker } from './support/ask.js'

/** The same by texts: a simple implementation, without regard to its time. */
const text = (value: unknown) =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
const own = ({ uuid: _, templated: __, ...rest }: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
const plain = ({ templateMessages, tools, settings }: Prompt) =>
  text([templateMessages.map(own), tools?.length ? tools : null, settings ?? {}])

interface Prompt {
  templateMessages: Record<string, unknown>[]
  tools: unknown[] | null
  settings: Record<string, unknown> | null
}
const value = fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.parse(JSON.stringify(one)))
const names = fc.constantFrom('role', 'content', 'uuid', 'templated', 'name', '__proto__')
const members = fc
  .array(fc.tuple(names, fc.oneof(value, fc.constantFrom(null, 0, 'a', [1], { a: 1 }))), {
    maxLength: 4,
  })
  .map((entries) => Object.fromEntries(entries) as Record<string, unknown>)
const prompts: fc.Arbitrary<Prompt> = fc.record({
  templateMessages: fc.array(members, { maxLength: 2 }),
  tools: fc.option(fc.array(fc.oneof(value, members), { maxLength: 1 })),
  settings: fc.option(members),
})
/** Returns the same value with its members in another order. */
const turned = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(turned)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .map(([name, item]) => [name, turned(item)])
            .reverse(),
        )
      : value

test('prompts are the same exactly if their texts are, in any order of their members', () => {
  let same = 0
  fc.assert(
    fc.property(prompts, prompts, fc.boolean(), (one, another, isTurned) => {
      const other = isTurned ? (turned(one) as Prompt) : another
      expect(samePrompt(one, other)).toBe(plain(one) === plain(other))
      if (samePrompt(one, other)) same++
    }),
    { numRuns: 3000 },
  )
  expect(same).toBeGreaterThan(1000)
})

test('a missing provider matches any, and another one makes another prompt', () => {
  const of = (settings: Record<string, unknown>) => ({ templateMessages: [], tools: [], settings })
  expect(samePrompt(of({ provider: 'a', model: 'm' }), of({ model: 'm' }))).toBe(true)
  expect(samePrompt(of({ provider: 'a' }), of({ provider: null }))).toBe(true)
  expect(samePrompt(of({ provider: 'a' }), of({ provider: 'b' }))).toBe(false)
  expect(samePrompt(of({}), of({ provider: 'b' }))).toBe(false)
})

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  ask = asker(service, 'k')
})
afterAll(() => service?.close())

test('a version is compared with all stored ones, however large, and others are answered in between', async () => {
  const { createPromptLineage: lineage } = await ask(
    'mutation { createPromptLineage(name: "large") { id } }',
  )
  const settings = (version: number) => ({
    ...Object.fromEntries(
      Array.from({ length: 30_000 }, (_, at) => [`a name of its own ${at}`, at]),
    ),
    version,
  })
  const create = async (version: number) =>
    (
      await ask(
        `mutation($id: String!, $settings: Json) { createPromptVersion(lineageId: $id, settings: $settings,
          templateMessages: [{ role: "user", content: "x" }]) { id version } }`,
        { id: lineage.id, settings: settings(version) },
      )
    ).createPromptVersion
  const first = await create(0)
  for (let version = 1; version < 10; version++)
    expect((await create(version)).version).toBe(version)
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 5)
  expect(await create(0)).toEqual(first)
  clearInterval(timer)
  expect(longest).toBeLessThan(1500)
})
