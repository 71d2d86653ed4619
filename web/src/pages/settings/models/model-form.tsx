import { useState } from 'react'
import {
  ModelTableDocument,
  type ModelTableQuery,
  SaveModelDocument,
} from '../../../../generated/operations.js'
import { setSessionKey } from '../../../data/models/session-keys.js'
import { read, useChange } from '../../../data/use-data.js'
import { Field } from '../../../ui/field.js'
import { FormDialog } from '../../../ui/forms/form-dialog.js'
import { useOwnChanges } from '../../../ui/forms/own-changes.js'

type Model = ModelTableQuery['modelEndpoints'][number]

const BASE_URLS: Readonly<Record<Model['protocol'], string>> = {
  OPENAI: 'https://api.openai.com/v1',
  ANTHROPIC: 'https://api.anthropic.com',
}

/** The parts of a model, as people know them; its key is none, as nobody can read it. */
const TITLES = {
  protocol: 'Protocol',
  baseUrl: 'Base URL',
  model: 'Model',
  name: 'Name',
} as const

type Parts = Pick<Model, keyof typeof TITLES>

const partsOf = ({ name, protocol, baseUrl, model }: Parts): Parts => ({
  name,
  protocol,
  baseUrl,
  model,
})

/** Adds or changes a model. Its key stays in this tab unless the service is to keep it. */
export const ModelForm = ({
  model,
  onClose,
  onDone,
}: {
  model: Model | undefined
  onClose: () => void
  onDone: () => void
}) => {
  const save = useChange(SaveModelDocument)
  const [name, setName] = useState(model?.name ?? '')
  const [protocol, setProtocol] = useState(model?.protocol ?? 'OPENAI')
  const [baseUrl, setBaseUrl] = useState(model?.baseUrl ?? BASE_URLS.OPENAI)
  const [modelName, setModelName] = useState(model?.model ?? '')
  const [key, setKey] = useState('')
  const [hadKey] = useState(model?.hasKey ?? false)
  const [isStored, setStored] = useState(hadKey)
  const mine: Parts = { name: name || modelName, protocol, baseUrl, model: modelName }
  const own = useOwnChanges(partsOf(model ?? mine), TITLES)
  return (
    <FormDialog
      title={model === undefined ? 'Add a model' : 'Change the model'}
      send="Save"
      onClose={onClose}
      onSend={async () => {
        const { modelEndpoints } = await read(ModelTableDocument, {})
        const found = modelEndpoints.find(({ id }) => id === model?.id)
        const stored = found && partsOf(found)
        const { setModelEndpoint } = await save({
          id: model?.id ?? null,
          ...(stored ?? mine),
          ...own.changes(mine, stored),
          // Without a new key, one in the service stays there until somebody says that it is not to.
          key: isStored ? key || null : hadKey ? '' : null,
        })
        if (setModelEndpoint != null && (key !== '' || isStored))
          setSessionKey(setModelEndpoint.id, isStored ? '' : key)
        onDone()
      }}
    >
      <Field label="Protocol">
        {(control) => (
          <select
            {...control}
            // biome-ignore lint/a11y/noAutofocus: the dialog's first field
            autoFocus
            value={protocol}
            onChange={(event) => {
              const next = event.target.value as Model['protocol']
              setProtocol(next)
              if (Object.values(BASE_URLS).includes(baseUrl)) setBaseUrl(BASE_URLS[next])
            }}
          >
            <option value="OPENAI">OpenAI chat completions</option>
            <option value="ANTHROPIC">Anthropic messages</option>
          </select>
        )}
      </Field>
      <Field
        name="baseUrl"
        label="Base URL"
        hint="Private hosts, such as localhost:11434, need the operator’s --model-hosts."
      >
        {(control) => (
          <input
            {...control}
            required
            value={baseUrl}
            onChange={(event) => setBaseUrl(event.target.value)}
          />
        )}
      </Field>
      <Field name="model" label="Model">
        {(control) => (
          <input
            {...control}
            required
            value={modelName}
            onChange={(event) => setModelName(event.target.value)}
          />
        )}
      </Field>
      <Field name="name" label="Name" hint="Default: that of the model.">
        {(control) => (
          <input {...control} value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <Field
        name="key"
        label="API key"
        hint={model?.hasKey ? 'The service keeps one. Empty: it stays.' : 'Empty for none.'}
      >
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete="off"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <label className="row">
        <input type="checkbox" checked={isStored} onChange={() => setStored(!isStored)} />
        The service keeps the key, encrypted, for everybody who may write
      </label>
      {!isStored && (
        <p className="quiet">The key stays in this tab, and is gone when the tab is closed.</p>
      )}
    </FormDialog>
  )
}
