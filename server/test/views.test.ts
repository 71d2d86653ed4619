import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService()
  ask = asker(service, (await service.createProject('views')).apiKey)
})
afterAll(() => service?.close())

const FIELDS =
  'id subject name query range environment columns orderColumn orderDirection isDefault'
const create = async (variables: Record<string, unknown>) =>
  (
    await ask(
      `mutation($subject: ViewSubject!, $name: String!, $query: String!, $range: String, $environment: String, $columns: [String!],
        $orderColumn: String, $orderDirection: OrderDirection, $isDefault: Boolean) {
        createView(subject: $subject, name: $name, query: $query, range: $range, environment: $environment, columns: $columns,
          orderColumn: $orderColumn, orderDirection: $orderDirection, isDefault: $isDefault) { ${FIELDS} } }`,
      { subject: 'THREADS', query: '', ...variables },
    )
  ).createView
const update = async (variables: Record<string, unknown>) =>
  (
    await ask(
      `mutation($id: String!, $name: String, $query: String, $range: String, $columns: [String!], $isDefault: Boolean) {
        updateView(id: $id, name: $name, query: $query, range: $range, columns: $columns, isDefault: $isDefault) { ${FIELDS} } }`,
      variables,
    )
  ).updateView
const list = async (subject?: string): Promise<{ name: string; isDefault: boolean }[]> =>
  (
    await ask(`query($subject: ViewSubject) { views(subject: $subject) { ${FIELDS} } }`, {
      subject,
    })
  ).views
const remove = async (id: string) =>
  (await ask('mutation($id: String!) { deleteView(id: $id) { id } }', { id })).deleteView
const errorOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: Error) => JSON.parse(error.message)[0].message,
  )

test('a view is kept as it was saved, by name, and is one of its list', async () => {
  const given = {
    subject: 'THREADS',
    name: 'failed tools',
    query: 'any(type=tool error:any) score[thumbs]=0',
    range: '7d',
    environment: 'prod',
    columns: ['name', 'scores'],
    orderColumn: 'duration',
    orderDirection: 'ASC',
    isDefault: false,
  }
  const view = await create(given)
  expect(view).toEqual({ id: view.id, ...given })
  const other = await create({ subject: 'STEPS', name: 'a step', query: 'type=tool' })
  expect(await list()).toEqual([other, view])
  expect(await list('STEPS')).toEqual([other])
  expect(await remove(other.id)).toEqual({ id: other.id })
  expect(await remove(other.id)).toBeNull()
  expect(await list()).toEqual([view])
  await remove(view.id)
})

test('a change keeps what it leaves out, and null clears it', async () => {
  const view = await create({ name: 'mine', query: 'error:any', range: '7d', columns: ['name'] })
  expect(await update({ id: view.id, name: 'ours' })).toEqual({ ...view, name: 'ours' })
  expect(await update({ id: view.id, range: null, columns: null })).toMatchObject({
    name: 'ours',
    query: 'error:any',
    range: null,
    columns: null,
  })
  await remove(view.id)
})

test('a list has one default, also when several are made at once', async () => {
  const views = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => create({ name, isDefault: true })),
  )
  const defaults = async () => (await list('THREADS')).filter(({ isDefault }) => isDefault)
  expect(await defaults()).toHaveLength(1)
  await Promise.all(views.map(({ id }) => update({ id, isDefault: true })))
  expect(await defaults()).toHaveLength(1)
  await update({ id: views[0].id, isDefault: false })
  await update({ id: views[1].id, isDefault: true })
  expect((await defaults()).map(({ name }) => name)).toEqual(['b'])
  const steps = await create({ subject: 'STEPS', name: 'a', isDefault: true })
  expect(await defaults()).toHaveLength(1)
  for (const { id } of [...views, steps]) await remove(id)
})

test('a name is taken once in a list, also by two at once', async () => {
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => create({ name: 'same' })))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const other = await create({ name: 'other' })
  const message = 'name: a view of this list is named "same" already; expected another name'
  expect(await errorOf(create({ name: 'same' }))).toContain(message)
  expect(await errorOf(create({ name: ' same ' }))).toContain(message)
  expect(await errorOf(update({ id: other.id, name: 'same' }))).toContain(message)
  expect(await create({ subject: 'STEPS', name: 'same' })).toMatchObject({ name: 'same' })
  for (const { id } of (await list()) as unknown as { id: string }[]) await remove(id)
})

test.each([
  [{ name: '' }, 'name: expected a text, got an empty one'],
  [{ name: 'x'.repeat(201) }, 'name: expected at most 200 characters, got 201'],
  [
    { name: 'a', query: 'durations>5' },
    'query: at character 1: durations is no field of this list',
  ],
  [
    { name: 'a', subject: 'STEPS', query: 'any(error:any)' },
    'query: at character 1: any(…) asks for one step',
  ],
  [{ name: 'a', range: 'x'.repeat(201) }, 'range: expected at most 200 characters'],
  [{ name: 'a', columns: Array(101).fill('x') }, 'columns: expected at most 100, got 101'],
])('%j is rejected, and nothing is stored', async (variables, message) => {
  expect(await errorOf(create(variables))).toContain(message)
  expect(await list()).toEqual([])
})

test('an unknown view cannot be changed', async () => {
  expect(await errorOf(update({ id: 'nobody', name: 'a' }))).toContain(
    'no view has the id "nobody"',
  )
})

test('a project has 500 views at most', async () => {
  for (let from = 0; from < 500; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => create({ name: `v${from + index}` })),
    )
  expect(await errorOf(create({ name: 'one more' }))).toContain('at most 500 views')
  expect(await list()).toHaveLength(500)
})
