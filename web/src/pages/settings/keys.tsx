import { useState } from 'react'
import type { KeyScope } from '../../../../generated/schema.js'
import { EndKeyDocument, KeyTableDocument, MakeKeyDocument } from '../../../generated/operations.js'
import { useProject } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { visible } from '../../format/text.js'
import { Label, Time } from '../../table/cells.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { Field } from '../../ui/field.js'
import { Form, SendButton } from '../../ui/forms/form.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Snippet } from '../../ui/snippet.js'
import { useToast } from '../../ui/toasts.js'
import { LateKey, showMadeKey, useMadeKey } from './made-key.js'

const SCOPES: Record<KeyScope, string> = {
  ingest: 'record',
  read: 'read',
  write: 'record and change',
  admin: 'everything, keys included',
  metrics: 'read the metrics of the service alone',
}

export const KeysSection = () => {
  const { scopes } = useProject()
  if (!scopes.includes('admin'))
    return (
      <p className="notice">
        You are signed in with the scopes {scopes.join(', ')}. Listing keys needs the scope admin.
      </p>
    )
  return <Keys />
}

const Keys = () => {
  const keys = useData(KeyTableDocument, {})
  const make = useChange(MakeKeyDocument)
  const end = useChange(EndKeyDocument)
  const showToast = useToast()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<ReadonlySet<KeyScope>>(new Set(['read', 'write']))
  const [days, setDays] = useState('')
  const projectId = useProject().id
  const made = useMadeKey(projectId)
  const create = async (isThere: () => boolean) => {
    const { createApiKey } = await make({
      name,
      scopes: [...scopes],
      expiresAt:
        days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
    })
      // A key may be stored though its answer was cut: the list shows it, for revoking.
      .finally(keys.refresh)
    showMadeKey({ projectId, name, key: createApiKey.key })
    if (isThere()) setName('')
    else showToast(<LateKey name={visible(name)} />)
  }
  return (
    <div className="column" style={{ gap: 16, maxWidth: 960 }}>
      <Form
        className="panel column"
        style={{ padding: 12 }}
        onSend={create}
        buttons={
          <div>
            <SendButton label="Create a key" className="" isDisabled={scopes.size === 0} />
          </div>
        }
      >
        <div className="form-grid">
          <Field name="name" label="Name">
            {(control) => (
              <input
                {...control}
                required
                value={name}
                placeholder="purpose"
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <Field name="expiresAt" label="Expires after">
            {(control) => (
              <select {...control} value={days} onChange={(event) => setDays(event.target.value)}>
                <option value="">never</option>
                <option value="7">7 days</option>
                <option value="30">30 days</option>
                <option value="90">90 days</option>
                <option value="365">a year</option>
              </select>
            )}
          </Field>
        </div>
        <fieldset className="row wrap" style={{ border: 0, padding: 0, margin: 0 }}>
          <legend className="visually-hidden">Scopes</legend>
          {(Object.keys(SCOPES) as KeyScope[]).map((scope) => (
            <label key={scope} className="row" style={{ gap: 4 }}>
              <input
                type="checkbox"
                checked={scopes.has(scope)}
                onChange={() => {
                  const next = new Set(scopes)
                  if (!next.delete(scope)) next.add(scope)
                  setScopes(next)
                }}
              />
              {scope} <span className="quiet">({SCOPES[scope]})</span>
            </label>
          ))}
        </fieldset>
      </Form>
      <div role="status">
        {made !== undefined && (
          <div className="notice column">
            <p>
              This is the key “<bdi>{visible(made.name)}</bdi>”. It is shown only once.
            </p>
            <Snippet code={made.key} />
          </div>
        )}
      </div>
      {keys.problem !== undefined && <ProblemView problem={keys.problem} retry={keys.refresh} />}
      <div style={{ overflowX: 'auto' }}>
        <table className="table stacks" aria-label="Keys" style={{ tableLayout: 'auto' }}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Begins with</th>
              <th scope="col">Scopes</th>
              <th scope="col">Created</th>
              <th scope="col">Last used</th>
              <th scope="col">Expires</th>
              <th scope="col">
                <span className="visually-hidden">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.data?.apiKeys.map((key) => (
              <tr key={key.id}>
                <td className="main-cell" style={{ whiteSpace: 'normal', minWidth: 160 }}>
                  <bdi>{visible(key.name)}</bdi>
                </td>
                <td className="mono">{key.prefix === null ? '–' : `${key.prefix}…`}</td>
                <td>{key.scopes.join(', ')}</td>
                <td>
                  <Label>created</Label>
                  <Time at={key.createdAt} />
                </td>
                <td>
                  <Label>last used</Label>
                  <Time at={key.lastUsedAt} />
                </td>
                <td>
                  {key.revokedAt !== null ? (
                    <span className="bad">
                      revoked <Time at={key.revokedAt} />
                    </span>
                  ) : (
                    <>
                      <Label>expires</Label>
                      <Time at={key.expiresAt} />
                    </>
                  )}
                </td>
                <td className="right">
                  {key.revokedAt === null && (
                    <ConfirmButton
                      className="small"
                      label="Revoke…"
                      confirmLabel="Revoke it for good"
                      onConfirm={async () => {
                        await end({ id: key.id })
                        showToast(`The key ${visible(key.name)} is revoked.`)
                        keys.refresh()
                      }}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
