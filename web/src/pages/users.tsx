import { useMemo } from 'react'
import { Link } from 'wouter'
import {
  type ThreadTableQuery,
  UserPageDocument,
  UserTableDocument,
  type UserTableQuery,
} from '../../generated/operations.js'
import { useSegment } from '../address/use-segment.js'
import { useData } from '../data/use-data.js'
import { USER_FIELDS } from '../filter/fields.js'
import { count } from '../format/number.js'
import { line } from '../format/text.js'
import { EmptyHint } from '../settings/empty-hint.js'
import { ProblemView } from '../shell/problem-view.js'
import { Top } from '../shell/shell.js'
import { Text, Time } from '../table/cells.js'
import { type ListConfig, ListPage } from '../table/list-page.js'
import type { Column } from '../table/table.js'
import { readable } from '../values/readable.js'
import { ValueView } from '../values/value-view.js'
import { THREAD_COLUMNS, THREAD_LIST, type ThreadRow } from './threads.js'

type Row = UserTableQuery['participants']['edges'][number]['node']

const hrefOf = ({ id }: Row) => `/users/${encodeURIComponent(id)}`

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'identifier',
    title: 'Identifier',
    isMain: true,
    cell: (row) => (
      <Link href={hrefOf(row)}>
        <bdi>{line(row.identifier)}</bdi>
      </Link>
    ),
  },
  {
    id: 'threads',
    title: 'Threads',
    width: 90,
    align: 'right',
    cell: ({ threadCount }) => count(threadCount),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 90,
    align: 'right',
    cell: ({ tokenCount }) => count(tokenCount),
  },
  {
    id: 'first',
    drops: 1,
    title: 'First seen',
    width: 120,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: 'last',
    title: 'Last seen',
    width: 120,
    cell: ({ lastEngaged }) => <Time at={lastEngaged} />,
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
    noun={['user', 'users']}
    fields={USER_FIELDS}
    columns={COLUMNS}
    document={UserTableDocument as ListConfig<UserTableQuery, Row>['document']}
    pick={pick}
    keyOf={keyOf}
    hrefOf={hrefOf}
    hasOrder={false}
    placeholder="user:ada@example.org threads>10 metadata[plan]=pro"
    empty={<EmptyHint what="users" />}
  />
)

/** A user, and what they did. */
export const UserPage = () => {
  const userId = useSegment(1)
  const page = useData(UserPageDocument, { id: userId })
  const user = page.data?.participant
  const always = useMemo(
    () => [{ field: 'participantId', operator: 'eq', value: userId }],
    [userId],
  )
  return (
    <>
      <Top
        title={
          <div className="crumbs">
            <Link href="/users" className="quiet">
              Users
            </Link>
            <span className="quiet">/</span>
            <h1 className="clip">
              <bdi>{line(user?.identifier) || 'User'}</bdi>
            </h1>
          </div>
        }
      />
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {user === null && (
        <div className="empty">
          <p>There is no user with this id here: deleted, or of another project.</p>
        </div>
      )}
      {user != null && (
        <>
          <div className="figures">
            <Figure name="Threads" value={count(user.threadCount)} />
            <Figure name="Tokens" value={count(user.tokenCount)} />
            <Figure name="First seen" value={<Time at={user.createdAt} />} />
            <Figure name="Last seen" value={<Time at={user.lastEngaged} />} />
          </div>
          {Object.keys(user.metadata as object).length > 0 && (
            <div style={{ padding: '0 16px 12px' }}>
              <ValueView title="Metadata" value={user.metadata} />
            </div>
          )}
          <ListPage<ThreadTableQuery, ThreadRow>
            {...THREAD_LIST}
            columns={THREAD_COLUMNS.filter((column) => column.id !== 'user')}
            always={always}
            isEmbedded
            empty={<p>This user has no threads.</p>}
          />
        </>
      )}
    </>
  )
}

const Figure = ({ name, value }: { name: string; value: React.ReactNode }) => (
  <div className="figure">
    <span className="soft">{name}</span>
    <strong>{value}</strong>
  </div>
)
