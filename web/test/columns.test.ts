import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chosenColumns, readWidths } from '../src/table/columns.js'

const COLUMNS = [
  { id: 'errors' },
  { id: 'name', isMain: true },
  { id: 'user' },
  { id: 'started' },
  { id: 'scores' },
]
const ids = (said: string | undefined) => chosenColumns(COLUMNS, said).map(({ id }) => id)

test('an address without columns shows all, one with columns shows those in its order', () => {
  expect(ids(undefined)).toEqual(['errors', 'name', 'user', 'started', 'scores'])
  expect(ids('started,name,errors')).toEqual(['started', 'name', 'errors'])
})

test('the column that leads to the row stays, and unknown and repeated names are ignored', () => {
  expect(ids('user,user,gone')).toEqual(['name', 'user'])
  fc.assert(
    fc.property(fc.string(), (said) => {
      const shown = ids(said)
      expect(shown).toContain('name')
      expect(new Set(shown).size).toBe(shown.length)
    }),
  )
})

test('invalid stored widths are ignored or limited', () => {
  expect(readWidths('{"user":200,"errors":-5,"name":"wide","tags":null}')).toEqual({
    user: 200,
    errors: 40,
  })
  for (const text of [null, '', '{', 'null', '7', '[]']) expect(readWidths(text)).toEqual({})
})
