// Answers with many objects: others have their turn while one is put together, and nothing else about it changes.
import fc from 'fast-check'
import { buildSchema, execute, parse } from 'graphql'
import { expect, test, vi } from 'vitest'
import type { Context } from '../src/graphql/engine/context.js'
import { answerInTurns, inOrder } from '../src/graphql/engine/in-turns.js'

const SOURCE = 'type Query { rows: [Row!] } type Row { name: String!, below: [Row] }'

interface Row {
  name: string | null
  below: (Row | null)[] | null
}

const rowsOf = fc.letrec<{ row: Row; rows: (Row | null)[] | null }>((tie) => ({
  row: fc.record({
    name: fc.option(fc.string(), { freq: 20 }),
    below: tie('rows'),
  }),
  rows: fc.option(fc.array(fc.option(tie('row'), { freq: 20 }), { maxLength: 30 }), {
    depthSize: 'small',
  }),
}))

const later = () => new Promise<void>((resolve) => setImmediate(resolve))

const answer = (isInTurns: boolean, rows: unknown, turn: Context['turn']) => {
  const schema = buildSchema(SOURCE)
  if (isInTurns)
    for (const type of [schema.getQueryType(), schema.getType('Row')])
      for (const field of Object.values((type as never as { getFields(): object }).getFields()))
        answerInTurns(field)
  return execute({
    schema,
    document: parse('{ rows { name below { name below { name below { name } } } } }'),
    rootValue: { rows },
    contextValue: { turn },
  })
}

test('whatever rows there are, and whatever is wrong with some, the answer is the one that comes without turns', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOf.rows, fc.boolean(), async (rows, isLate) => {
      const given = isLate ? Promise.resolve(rows) : rows
      const turn = () => (Math.random() < 0.5 ? later() : Promise.resolve())
      const plain = await answer(false, given, turn)
      const inTurns = await answer(true, given, turn)
      expect(inTurns.data).toEqual(plain.data)
      // Of several errors in a part that is null because of them, one is told.
      expect(inTurns.errors === undefined).toBe(plain.errors === undefined)
    }),
  )
})

test('a long list, and short ones in others, give others their turn', async () => {
  const row = { name: 'row', below: null }
  const long = Array.from({ length: 10_000 }, () => row)
  const nested = [{ ...row, below: [{ ...row, below: [row] }] }]
  for (const [rows, turns] of [
    [long, 9],
    [nested, 2],
  ] as const) {
    let others = 0
    let isOver = false
    const count = () => {
      others++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await answer(true, rows, later)
    isOver = true
    expect(others).toBeGreaterThanOrEqual(turns)
  }
})

test('parts that ask at once begin in order, and a turn is asked for whenever some of them took a while', async () => {
  let time = 1000
  const now = vi.spyOn(performance, 'now').mockImplementation(() => time)
  const began: string[] = []
  const turn = inOrder(async () => {
    began.push('turn')
  })
  const part = async (name: string, ms: number) => {
    await turn()
    began.push(name)
    time += ms
  }
  await Promise.all([part('a', 4), part('b', 4), part('c', 1), part('d', 1), part('e', 1)])
  expect(began.filter((name) => name !== 'turn')).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(began).toContain('turn')
  expect(began[0]).toBe('a')
  now.mockRestore()
})
