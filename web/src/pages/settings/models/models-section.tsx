import { useState } from 'react'
import {
  DropModelDocument,
  ModelTableDocument,
  type ModelTableQuery,
} from '../../../../generated/operations.js'
import { sessionKey, setSessionKey } from '../../../data/models/session-keys.js'
import { useMayWrite } from '../../../data/project.js'
import { useChange, useData } from '../../../data/use-data.js'
import { line } from '../../../format/text.js'
import { Label } from '../../../table/cells.js'
import { ActionTable } from '../../../ui/action-table.js'
import { ConfirmButton } from '../../../ui/confirm-button.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { ModelForm } from './model-form.js'

type Model = ModelTableQuery['modelEndpoints'][number]

const PROTOCOLS: Readonly<Record<Model['protocol'], string>> = {
  OPENAI: 'OpenAI',
  ANTHROPIC: 'Anthropic',
}

const keyOf = (model: Model): string => {
  if (sessionKey(model.id) !== null) return 'in this tab'
  return model.hasKey ? 'in the service' : 'none'
}

/** The models that prompts are tried with. */
export const ModelsSection = () => {
  const models = useData(ModelTableDocument, {})
  const drop = useChange(DropModelDocument)
  const mayWrite = useMayWrite()
  const [edited, setEdited] = useState<Model | 'new'>()
  const rows = models.data?.modelEndpoints
  return (
    <div className="column" style={{ gap: 16, maxWidth: 960 }}>
      <p className="soft">
        Prompts are tried with these models, by any endpoint that speaks the protocol of OpenAI or
        Anthropic. The service passes a call on, and stores nothing of it.
      </p>
      {models.problem !== undefined && (
        <ProblemView problem={models.problem} retry={models.refresh} />
      )}
      {rows?.length === 0 && <p className="notice">There is no model yet.</p>}
      {rows !== undefined && rows.length > 0 && (
        <div style={{ overflowX: 'auto' }}>
          <ActionTable label="Models" columns={['Name', 'Protocol', 'Endpoint', 'Model', 'Key']}>
            {rows.map((model) => (
              <tr key={model.id}>
                <td className="main-cell">
                  <bdi>{line(model.name, 60)}</bdi>
                </td>
                <td>{PROTOCOLS[model.protocol]}</td>
                <td className="mono">{line(model.baseUrl, 60)}</td>
                <td className="mono">{line(model.model, 60)}</td>
                <td>
                  <Label>key</Label>
                  {keyOf(model)}
                </td>
                <td className="right">
                  {mayWrite && (
                    <span className="row">
                      <button
                        type="button"
                        className="button small"
                        onClick={() => setEdited(model)}
                      >
                        Change
                      </button>
                      <ConfirmButton
                        className="small"
                        label="Delete"
                        confirmLabel="Delete it?"
                        onConfirm={async () => {
                          await drop({ id: model.id })
                          setSessionKey(model.id, '')
                          models.refresh()
                        }}
                      />
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </ActionTable>
        </div>
      )}
      {mayWrite && (
        <div>
          <button type="button" className="button" onClick={() => setEdited('new')}>
            Add a model
          </button>
        </div>
      )}
      {edited !== undefined && (
        <ModelForm
          model={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onDone={models.refresh}
        />
      )}
    </div>
  )
}
