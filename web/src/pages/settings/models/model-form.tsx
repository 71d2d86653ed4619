import { useState } from 'react'
import { type ModelTableQuery, SaveModelDocument } from '../../../../generated/operations.js'
import { setSessionKey } from '../../../data/models/session-keys.js'
import { useChange } from '../../../data/use-data.js'
import { Field } from '../../../ui/field.js'
import { FormDialog } from '../../../ui/forms/form-dialog.js'

type Model = ModelTableQuery['modelEndpoints'][number]

const BASE_URLS: Readonly<Record<Model['protocol'], string>> = {
  OPENAI: 'https://api.openai.com/v1',
  ANTHROPIC: 'https://api.anthropic.com',
}

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
  const [isStored, setStored] = useState(model?.hasKey ?? false)
  return (
    <FormDialog
      title={model === undefined ? 'Add a model' : 'Change the model'}
      send="Save"
      onClose={onClose}
      onSend={async () => {
        // Without a new key, one in the service stays there as long as it is to.
        const stored = isStored ? key || null : ''
        const { setModelEndpoint } = await save({
          id: model?.id ?? null,
          name: name || modelName,
          protocol,
          baseUrl,
          model: modelName,
          key: stored,
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
      <Field label="Model">
        {(control) => (
          <input
            {...control}
            required
            value={modelName}
            onChange={(event) => setModelName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Name" hint="Default: that of the model.">
        {(control) => (
          <input {...control} value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      <Field
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
