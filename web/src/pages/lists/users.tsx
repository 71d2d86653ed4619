import { Link } from 'wouter'
import { UserTableDocument, type UserTableQuery } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { USER_LANGUAGE } from '../../filter/fields.js'
import { atLeast } from '../../format/money.js'
import { count, nounOf } from '../../format/number.js'
import type { ListConfig } from '../../list/list-config.js'
import { ListPage } from '../../list/list-page.js'
import { EmptyHint } from '../../parts/empty-hint.js'
import { NameOrId } from '../../parts/name-or-id.js'
import { Label, Text, Time } from '../../table/cells.js'
import { type Column, MOMENT_WIDTH } from '../../table/table.js'
import { readable } from '../../values/readable.js'

type Row = UserTableQuery['participants']['edges'][number]['node']

const hrefOf = ({ id }: Row) => `/users/${segment(id)}`

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'identifier',
    title: 'Identifier',
    isMain: true,
    orderBy: 'identifier',
    cell: (row) => (
      <Link href={hrefOf(row)}>
        <NameOrId name={row.identifier} id={row.id} />
      </Link>
    ),
  },
  {
    id: 'threads',
    title: 'Threads',
    unit: ({ threadCount }) => nounOf(threadCount ?? 0, 'thread'),
    width: 90,
    align: 'right',
    orderBy: 'threadCount',
    cell: ({ threadCount }) => count(threadCount),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    unit: 'tok',
    width: 90,
    align: 'right',
    orderBy: 'tokenCount',
    // Without calls of models the sum is 0, which says nothing.
    isBlank: ({ tokenCount }) => !tokenCount,
    cell: ({ tokenCount }) => count(tokenCount || null),
  },
  {
    id: 'errors',
    title: 'Errors',
    unit: 'failed',
    width: 84,
    align: 'right',
    orderBy: 'errorCount',
    isBlank: ({ errorCount }) => !errorCount,
    cell: ({ errorCount }) => (
      <span className={errorCount ? 'bad' : 'quiet'}>{count(errorCount)}</span>
    ),
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 84,
    align: 'right',
    orderBy: 'cost',
    isBlank: (row) => row.cost === null,
    cell: (row) => atLeast(row.cost, (row.unpricedCount ?? 0) > 0),
  },
  {
    id: 'first',
    drops: 1,
    title: 'First seen',
    width: MOMENT_WIDTH,
    orderBy: 'firstEngaged',
    cell: ({ firstEngaged, createdAt }) => (
      <>
        <Label>first seen</Label>
        <Time at={firstEngaged ?? createdAt} />
      </>
    ),
  },
  {
    id: 'last',
    title: 'Last seen',
    width: MOMENT_WIDTH,
    orderBy: 'lastEngaged',
    cell: ({ lastEngaged }) => (
      <>
        <Label>last seen</Label>
        <Time at={lastEngaged} />
      </>
    ),
  },
  {
    id: 'arrived',
    drops: 3,
    title: 'Arrived',
    width: MOMENT_WIDTH,
    orderBy: 'createdAt',
    isBlank: () => true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: 'metadata',
    drops: 2,
    title: 'Metadata',
    width: 320,
    isBlank: () => true,
    cell: ({ metadata }) => {
      const text = readable(metadata)
      return text === '{}' ? (
        <span className="quiet">–</span>
      ) : (
        <Text value={text.slice(0, 300)} className="soft" />
      )
    },
  },
]

const pick = (data: UserTableQuery) => data.participants
const keyOf = ({ id }: Row) => id

export const UsersPage = () => (
  <ListPage<UserTableQuery, Row>
    title="Users"
    exported="users"
    noun={['user', 'users']}
    language={USER_LANGUAGE}
    subject="USERS"
    columns={COLUMNS}
    document={UserTableDocument as ListConfig<UserTableQuery, Row>['document']}
    pick={pick}
    keyOf={keyOf}
    hrefOf={hrefOf}
    placeholder="user:ada@example.org threads>10 metadata[plan]=pro"
    empty={<EmptyHint what="users" />}
  />
)
