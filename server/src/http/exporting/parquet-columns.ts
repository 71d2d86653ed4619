import type { Column } from '../../graphql/exporting/columns.js'
import type { ColumnKind } from '../../graphql/exporting/kinds.js'

/** An element of a schema of Parquet. */
type Element = NonNullable<
  ConstructorParameters<typeof import('hyparquet-writer').ParquetWriter>[0]['schema'][number]
>

export interface ColumnForm {
  /** The type; of a list, that of its items. */
  type: Omit<Element, 'name'>
  isList: boolean
  /** True when row groups note their smallest and largest value, by which readers skip groups. */
  hasBounds: boolean
  /** Converts a value that is not null. */
  write: (value: unknown) => unknown
}

const form = (
  type: ColumnForm['type'],
  write: (value: unknown) => unknown,
  hasBounds = true,
): ColumnForm => ({ type, write, hasBounds, isList: false })

const TEXT: ColumnForm['type'] = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
}

const MICROSECONDS_IN_MS = 1000n
const FRACTION = /\.\d{3}(\d{3})Z$/

/** Returns the microseconds since 1970 of a moment of the service, which has three or six fractional digits. */
const microseconds = (moment: unknown): bigint => {
  const text = String(moment)
  const below = FRACTION.exec(text)?.[1] ?? '0'
  const ms = BigInt(Date.parse(text.replace(FRACTION, (all) => `${all.slice(0, 4)}Z`)))
  return ms * MICROSECONDS_IN_MS + BigInt(below)
}

/** The form of each kind of column. */
export const COLUMN_FORMS: Readonly<Record<ColumnKind, ColumnForm>> = {
  text: form(TEXT, String),
  texts: { ...form(TEXT, (value) => value, false), isList: true },
  moment: form(
    {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    microseconds,
  ),
  integer: form({ type: 'INT32' }, (value) => value),
  number: form({ type: 'DOUBLE' }, (value) => value),
  boolean: form({ type: 'BOOLEAN' }, (value) => value),
  // Bounds of JSON would be values in whole.
  json: form(
    { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
    (value) => JSON.stringify(value),
    false,
  ),
}

/**
 * Returns the schema of a file. While it is `written`, JSON is a text as it stands: the library would write it again, and
 * drop members such as `__proto__`. As `named` in the file, it says that the text is JSON.
 */
export const schemaOf = (columns: readonly Column[], use: 'written' | 'named'): Element[] => [
  { name: 'rows', num_children: columns.length },
  ...columns.flatMap(({ name, kind }): Element[] => {
    const { type, isList } = COLUMN_FORMS[kind]
    const leaf = use === 'written' && kind === 'json' ? TEXT : type
    if (!isList) return [{ ...leaf, name, repetition_type: 'OPTIONAL' }]
    return [
      {
        name,
        repetition_type: 'OPTIONAL',
        num_children: 1,
        converted_type: 'LIST',
        logical_type: { type: 'LIST' },
      },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { ...leaf, name: 'element', repetition_type: 'OPTIONAL' },
    ]
  }),
]
