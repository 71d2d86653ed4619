import type { ReactNode } from 'react'
import type { AnyVariables, TypedDocumentNode } from 'urql'
import type { ShownLanguage } from '../filter/fields.js'
import type { View } from '../filter/views.js'
import type { Column } from '../table/table.js'
import type { Scope } from './bulk/scope.js'

/** A page of rows, in the form of all lists of the contract. */
export interface Connection<Row> {
  edges: readonly { node: Row; cursor: string }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
  totalCount?: number | null
}

/** The content of a list, and the links of its rows. */
export interface ListConfig<Data, Row> {
  title: string
  /** The name of the list in exports; undefined for a list that has none. */
  exported?: string
  noun: [one: string, many: string]
  /** The language of its filter. */
  language: ShownLanguage
  /** The kind of its views. */
  subject: View['subject']
  columns: readonly Column<Row>[]
  document: TypedDocumentNode<Data, AnyVariables>
  pick: (data: Data) => Connection<Row>
  keyOf: (row: Row) => string
  hrefOf: (row: Row) => string
  /** The moment at which a row happened, by which the list goes. Without it, the list goes by creation. */
  startOf?: (row: Row) => string
  hasEnvironment?: boolean
  empty: ReactNode
  placeholder: string
  /** Conditions that always hold here. */
  always?: readonly object[]
  /** The actions on chosen rows; `done` is called when they have changed. */
  actions?: ((scope: Scope<Row>, done: () => void) => ReactNode) | undefined
  /** True for a list in a page that has a bar of its own. */
  isEmbedded?: boolean
}
