import { useState } from 'react'
import { ChangePricesDocument } from '../../../../generated/operations.js'
import { useChange } from '../../../data/use-data.js'
import { Field } from '../../../ui/field.js'
import { Form, SendButton } from '../../../ui/forms/form.js'
import { useToast } from '../../../ui/toasts.js'

/** The parts that the form asks for; others are set by the command line. */
const ASKED = {
  input: '$ per million tokens in',
  cached: 'from a cache',
  output: 'out',
} as const

/** Sets a price of the project. */
export const PriceForm = ({ onDone }: { onDone: () => void }) => {
  const [model, setModel] = useState('')
  const [provider, setProvider] = useState('')
  const [from, setFrom] = useState('')
  const [rates, setRates] = useState<Partial<Record<keyof typeof ASKED, string>>>({})
  const change = useChange(ChangePricesDocument)
  const showToast = useToast()
  const save = async () => {
    const given = Object.entries(rates).filter(([, rate]) => rate !== '')
    await change({
      prices: [
        {
          model,
          provider: provider === '' ? null : provider,
          from: from === '' ? null : from,
          rates: Object.fromEntries(given.map(([part, rate]) => [part, Number(rate)])),
        },
      ],
    })
    showToast(
      new Date(from) > new Date()
        ? `The price is stored, and holds for calls from ${from} on.`
        : 'The price holds for calls from now on.',
    )
    setModel('')
    setRates({})
    onDone()
  }
  return (
    <Form
      className="panel column"
      style={{ padding: 12 }}
      onSend={save}
      buttons={
        <div>
          <SendButton label="Set price" />{' '}
          <span className="soft">
            All parts, tiers and lists of prices: <code>stepwell prices</code>
          </span>
        </div>
      }
    >
      <div className="row" style={{ flexWrap: 'wrap', gap: 12 }}>
        <Field name="model" label="Model">
          {(control) => (
            <input
              {...control}
              required
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
          )}
        </Field>
        <Field name="provider" label="Provider, empty for any">
          {(control) => (
            <input
              {...control}
              value={provider}
              onChange={(event) => setProvider(event.target.value)}
            />
          )}
        </Field>
        <Field name="from" label="From, empty for always">
          {(control) => (
            <input
              {...control}
              type="date"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
          )}
        </Field>
        {Object.entries(ASKED).map(([part, label]) => (
          <Field key={part} name={part} label={label}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={0}
                step="any"
                required={part !== 'cached'}
                value={rates[part as keyof typeof ASKED] ?? ''}
                onChange={(event) => setRates({ ...rates, [part]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </Form>
  )
}
