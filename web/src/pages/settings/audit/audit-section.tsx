import { AuditTableDocument, KeyTableDocument } from '../../../../generated/operations.js'
import { useAddress } from '../../../address/use-address.js'
import { useProject } from '../../../data/project.js'
import { useData } from '../../../data/use-data.js'
import { line, visible } from '../../../format/text.js'
import { Label, Text, Time } from '../../../table/cells.js'
import { Pager, usePage } from '../../../table/pager.js'
import { Field } from '../../../ui/field.js'
import { Notices } from '../../../ui/notices.js'
import { ProblemView } from '../../../ui/problem-view.js'
import {
  ACTIONS,
  ACTORS,
  actorOf,
  type Conditions,
  conditionNotices,
  detailsOf,
  type Entry,
  filtersOf,
  words,
} from './words.js'

/** The section of the settings with the log of who did what. */
export const AuditSection = () => {
  const { scopes } = useProject()
  if (!scopes.includes('admin'))
    return (
      <p className="notice">
        You are signed in with the scopes {scopes.join(', ')}. Reading who did what needs the scope
        admin.
      </p>
    )
  return <Audit />
}

const Audit = () => {
  const address = useAddress()
  const conditions: Conditions = {
    action: address.get('action') ?? '',
    actor: address.get('actor') ?? '',
    from: address.get('from') ?? '',
    to: address.get('to') ?? '',
  }
  const { data, problem, refresh } = useData(AuditTableDocument, {
    ...usePage(),
    filters: filtersOf(conditions),
  })
  const rows = data?.auditEntries.edges.map(({ node }) => node)
  const change = (changes: Partial<Conditions>) =>
    address.set({ ...changes, after: null, before: null })
  return (
    <div className="column" style={{ gap: 12 }}>
      <p className="soft">
        Keys, deletions, prompts, settings, sign-ins, imports and exports. Entries are neither
        changed nor deleted.
      </p>
      <AuditFilters conditions={conditions} onChange={change} />
      <Notices texts={conditionNotices(conditions)} />
      {problem !== undefined && <ProblemView problem={problem} retry={refresh} />}
      {rows?.length === 0 && <p className="notice">There are no such entries.</p>}
      {rows !== undefined && rows.length > 0 && <AuditTable rows={rows} />}
      {data !== undefined && <Pager info={data.auditEntries.pageInfo} />}
    </div>
  )
}

const AuditFilters = ({
  conditions: { action, actor, from, to },
  onChange,
}: {
  conditions: Conditions
  onChange: (changes: Partial<Conditions>) => void
}) => {
  const keys = useData(KeyTableDocument, {}).data?.apiKeys ?? []
  const id = actor.startsWith('key:') ? actor.slice('key:'.length) : undefined
  return (
    <div className="form-grid" style={{ maxWidth: 960 }}>
      <Field label="Action">
        {(control) => (
          <select
            {...control}
            value={action}
            onChange={(event) => onChange({ action: event.target.value })}
          >
            <option value="">all</option>
            {ACTIONS.map((name) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="By">
        {(control) => (
          <select
            {...control}
            value={actor}
            onChange={(event) => onChange({ actor: event.target.value })}
          >
            <option value="">all</option>
            {Object.entries(ACTORS).map(([kind, title]) => (
              <option key={kind} value={kind}>
                {title}
              </option>
            ))}
            {keys.map((key) => (
              <option key={key.id} value={`key:${key.id}`}>
                {visible(key.name)} ({key.id})
              </option>
            ))}
            {id !== undefined && !keys.some((key) => key.id === id) && (
              <option value={actor}>{visible(id)}</option>
            )}
          </select>
        )}
      </Field>
      <Field label="From">
        {(control) => (
          <input
            {...control}
            type="date"
            value={from}
            onChange={(event) => onChange({ from: event.target.value })}
          />
        )}
      </Field>
      <Field label="To">
        {(control) => (
          <input
            {...control}
            type="date"
            value={to}
            onChange={(event) => onChange({ to: event.target.value })}
          />
        )}
      </Field>
    </div>
  )
}

const AuditTable = ({ rows }: { rows: readonly Entry[] }) => (
  // It scrolls, and the keyboard must reach that.
  <section style={{ overflowX: 'auto' }} tabIndex={0} aria-label="Entries">
    <table className="table stacks" aria-label="Audit log" style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">By</th>
          <th scope="col">Action</th>
          <th scope="col">Of</th>
          <th scope="col">Details</th>
          <th scope="col">Request</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((entry) => (
          <tr key={entry.id}>
            <td>
              <Time at={entry.createdAt} />
            </td>
            <td>
              <Label>by</Label>
              <bdi title={entry.actorId ?? undefined}>{visible(actorOf(entry))}</bdi>
            </td>
            <td className="main-cell">{words(entry.action)}</td>
            <td style={{ whiteSpace: 'normal', minWidth: 160 }}>
              <Label>of</Label>
              <bdi title={entry.subjectId ?? undefined}>
                {line(entry.subjectName) || line(entry.subjectId) || words(entry.subjectKind)}
              </bdi>
            </td>
            <td style={{ whiteSpace: 'normal' }}>
              <Text value={detailsOf(entry)} className="soft" />
            </td>
            <td className="mono">
              <Label>request</Label>
              <Text value={entry.requestId} className="quiet" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
