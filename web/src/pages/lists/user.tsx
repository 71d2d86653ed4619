import { useMemo } from 'react'
import { type ThreadTableQuery, UserPageDocument } from '../../../generated/operations.js'
import { useSegment } from '../../address/use-segment.js'
import { Activity } from '../../charts/activity.js'
import { useData } from '../../data/use-data.js'
import { atLeast } from '../../format/money.js'
import { count } from '../../format/number.js'
import { line } from '../../format/text.js'
import { ListPage } from '../../list/list-page.js'
import { Time } from '../../table/cells.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { ValueView } from '../../values/value-view.js'
import { THREAD_COLUMNS, THREAD_LIST, type ThreadRow } from './thread-list.js'

/** A user with figures, activity and threads. */
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
          <Breadcrumbs parent="Users" href="/users">
            {line(user?.identifier) || 'User'}
          </Breadcrumbs>
        }
      />
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {user === null && (
        <div className="empty">
          <p>
            There is no user with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      )}
      {user != null && (
        <>
          <div className="figures">
            <Figure name="Threads" value={count(user.threadCount)} />
            <Figure name="Tokens" value={count(user.tokenCount || null)} />
            <Figure
              name="Errors"
              value={
                <span className={user.errorCount ? 'bad' : undefined}>
                  {count(user.errorCount)}
                </span>
              }
            />
            <Figure name="Cost" value={atLeast(user.cost, (user.unpricedCount ?? 0) > 0)} />
            <Figure name="First seen" value={<Time at={user.firstEngaged ?? user.createdAt} />} />
            <Figure name="Last seen" value={<Time at={user.lastEngaged} />} />
          </div>
          {Object.keys(user.metadata as object).length > 0 && (
            <div style={{ padding: '0 16px 12px' }}>
              <ValueView level={2} title="Metadata" value={user.metadata} />
            </div>
          )}
          <Activity key={userId} participantId={userId} lastEngaged={user.lastEngaged} />
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
