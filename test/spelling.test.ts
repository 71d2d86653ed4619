import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ShapeName, shapes } from '../generated/shapes.js'
import { type Snake, toCamel, toCamelCase, toSnake, toSnakeCase } from '../src/spelling.js'
import { readSchema } from './support/schema.js'

const fieldNames = Object.values(readSchema().getTypeMap())
  .filter((type) => !type.name.startsWith('__') && 'getFields' in type)
  .flatMap((type) => ('getFields' in type ? Object.keys(type.getFields()) : []))

test('the name of every field of the schema comes back from snake_case', () => {
  for (const name of new Set(fieldNames)) {
    expect(toCamelCase(toSnakeCase(name))).toBe(name)
    expect(toSnakeCase(name)).not.toMatch(/[A-Z]/)
  }
})

const shapeNames = Object.keys(shapes) as ShapeName[]

/** Returns values of a shape: nested objects by the schema, and the user's own JSON, with any keys. */
const anyValueOf = (shape: ShapeName, depth = 0): fc.Arbitrary<Record<string, unknown>> => {
  const nested = depth > 2 ? {} : (shapes[shape] as Record<string, ShapeName>)
  const objects = Object.entries(nested).map(
    ([field, inner]) =>
      [
        field,
        fc.oneof(
          fc.constant(null),
          anyValueOf(inner, depth + 1),
          fc.array(anyValueOf(inner, depth + 1), { maxLength: 2 }),
        ),
      ] as const,
  )
  return fc.record({
    ...Object.fromEntries(objects),
    threadId: fc.string(),
    metadata: fc.jsonValue(),
    input: fc.dictionary(
      fc.constantFrom('camelCase', 'snake_case', '__proto__x', 'A', 'a_B'),
      fc.jsonValue(),
    ),
  })
}

test("converting there and back is the identity, and users' own data is untouched", () => {
  fc.assert(
    fc.property(
      fc
        .constantFrom(...shapeNames)
        .chain((shape) => fc.tuple(fc.constant(shape), anyValueOf(shape))),
      ([shape, value]) => {
        const snake = toSnake(value, shape)
        expect(toCamel(snake as Snake<typeof value>, shape)).toEqual(value)
        expect(snake).toMatchObject({ thread_id: value.threadId })
        expect((snake as Record<string, unknown>).metadata).toBe(value.metadata)
        expect((snake as Record<string, unknown>).input).toBe(value.input)
      },
    ),
  )
})
